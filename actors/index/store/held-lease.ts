// The lease of one writer: taken, renewed for as long as it is held, and given back.
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import type { Environment, Writes } from './environment.ts';
import { confirm, newLease, release, renew, renewEveryMs, take } from './lease.ts';
import type { Lease } from './records.ts';

export interface LeaseOptions {
  readonly clock?: Clock;
  /** Milliseconds since 1970: other processes compare it with theirs. */
  readonly now?: () => number;
}

export class HeldLease {
  readonly #environment: Environment;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #own: Lease = newLease();
  #cancelTimer: (() => void) | null = null;

  constructor(environment: Environment, { clock = systemClock, now = Date.now }: LeaseOptions = {}) {
    this.#environment = environment;
    this.#clock = clock;
    this.#now = now;
  }

  get token(): string {
    return this.#own.token;
  }

  /** `along` is part of the same transaction. Throws STORE_IN_USE naming the process that writes here. */
  take(along: (writes: Writes) => void): void {
    const now = this.#now();
    this.#environment.transact((writes) => {
      along(writes);
      take(writes, this.#own, this.#environment.file, now);
    });
    this.#schedule();
  }

  /** Throws STORE_IN_USE when another writer has taken over. */
  confirm(reader: Pick<Writes, 'get'>): void {
    confirm(reader, this.#own, this.#environment.file);
  }

  #renew(): void {
    const now = this.#now();
    try {
      this.#environment.transact((writes) => renew(writes, this.#own, this.#environment.file, now));
    } catch {
      // A disk that is full for now; a disk that stays so fails the stage itself.
    }
  }

  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.after(renewEveryMs, () => {
      this.#renew();
      this.#schedule();
    });
  }

  release(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    try {
      this.#environment.transact((writes) => release(writes, this.#own, this.#environment.file));
    } catch {
      // A lease that could not be given back, on a full disk for one, is taken again by this writer or dies with it.
    }
  }
}
