// The clusterings that are open, by the number their callers know them by. One that nobody speaks of is dropped after a while:
// its caller is gone.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import { facesErrors } from '../contract.ts';
import type { Clustering } from './clustering.ts';

/** ms without a word. */
export const idleLimit = 10 * 60_000;

interface Open {
  readonly clustering: Clustering;
  stopTimer(): void;
}

export class OpenClusterings {
  readonly #open = new Map<number, Open>();
  readonly #clock: Clock;
  readonly #log: Log;
  /** At random, so that a number of an earlier actor names no clustering of this one. */
  #last = randomInt(2 ** 40);

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  get size(): number {
    return this.#open.size;
  }

  add(clustering: Clustering): number {
    const number = ++this.#last;
    this.#keep(number, clustering);
    return number;
  }

  /** Throws CLUSTERING_LOST. */
  get(number: number): Clustering {
    const open = this.#open.get(number);
    if (open === undefined) throw facesErrors.CLUSTERING_LOST(`clustering: ${number} is not open`);
    open.stopTimer();
    this.#keep(number, open.clustering);
    return open.clustering;
  }

  close(number: number): void {
    this.#open.get(number)?.stopTimer();
    this.#open.delete(number);
  }

  clear(): void {
    for (const number of [...this.#open.keys()]) this.close(number);
  }

  #keep(number: number, clustering: Clustering): void {
    const stopTimer = this.#clock.after(idleLimit, () => {
      this.#log.warn('an unused clustering is dropped', {
        entries: clustering.entries.count,
      });
      this.#open.delete(number);
    });
    this.#open.set(number, { clustering, stopTimer });
  }
}
