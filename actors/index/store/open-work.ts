// The stages that are being written in one analysis folder, of whatever kind. The lease is held from the
// first of them to the end of the last, so two processes can take turns.

import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { hasEnded, thisProcess } from '../../../runtime/process/identity.ts';
import { storeErrors } from './contract.ts';
import type { Environment, Transaction } from './environment.ts';
import { readable } from './faults.ts';
import { leaseKey } from './names.ts';
import { LeaseRow, putFormat } from './records.ts';
import { seal, unseal } from './table.ts';

export interface OpenStage {
  readonly hash: string;
  readonly modelKey: string;
}

export interface LeaseHooks {
  /** For the first stage, with the lease held: removes what writers that ended in the middle left. */
  readonly taken: () => void;
  /** Within the transaction that gives the lease back. */
  readonly released: (writes: Transaction) => void;
}

export class OpenWork {
  readonly #environment: Environment;
  readonly #lease: HeldLease;
  readonly #hooks: LeaseHooks;
  readonly #stages = new Set<OpenStage>();
  readonly #idle: (() => void)[] = [];
  #count = 0;

  constructor(environment: Environment, options: LeaseOptions, hooks: LeaseHooks) {
    this.#environment = environment;
    this.#lease = new HeldLease(environment, options);
    this.#hooks = hooks;
  }

  /** `free` is called when nothing goes on: what is open for stages is freed. */
  whenIdle(free: () => void): void {
    this.#idle.push(free);
  }

  /** Holds the lease. */
  get isBusy(): boolean {
    return this.#stages.size > 0;
  }

  /** Another one for each writer. */
  get token(): string {
    return this.#lease.token;
  }

  /** Any open stage of one of these contents. */
  stageOf(hashes: { has(hash: string): boolean }): OpenStage | undefined {
    return [...this.#stages].find(({ hash }) => hashes.has(hash));
  }

  stagesOf(hashes: { has(hash: string): boolean }): OpenStage[] {
    return [...this.#stages].filter(({ hash }) => hashes.has(hash));
  }

  /**
   * `open` makes the stage; `token` is its own name for parts. Throws STORE_IN_USE naming the process that
   * writes here.
   */
  begin<S extends OpenStage>(open: (token: string) => S): S {
    const isFirst = this.#stages.size === 0;
    if (isFirst) this.#lease.take(putFormat);
    try {
      if (isFirst) this.#hooks.taken();
      const stage = open(`${this.#lease.token}-${++this.#count}`);
      this.#stages.add(stage);
      return stage;
    } catch (error) {
      this.settle();
      throw error;
    }
  }

  /** The stage has ended, whatever became of it. */
  end(stage: OpenStage): void {
    this.#stages.delete(stage);
    this.settle();
  }

  /** For work that is over when this returns. Throws STORE_IN_USE when another process writes here. */
  exclusively<T>(work: () => T): T {
    if (this.#stages.size === 0) this.#lease.take(putFormat);
    try {
      return work();
    } finally {
      this.settle();
    }
  }

  /** Throws when this is not the folder, or not its writer, any more. */
  confirm(): void {
    this.#environment.requireSame();
    this.#environment.refresh();
    this.#lease.confirm(this.#environment);
  }

  /** The same for a transaction, which sees the folder as it is. */
  confirmIn(writes: Pick<Transaction, 'get'>): void {
    this.#lease.confirm(writes);
  }

  /** Gives the lease back when nothing goes on. */
  settle(): void {
    if (this.isBusy) return;
    for (const free of this.#idle) free();
    this.#lease.release(this.#hooks.released);
  }
}

type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** A stage that is appended to, and can keep what it has for the time when it is taken up. */
interface GrowingStage<A> extends OpenStage {
  append(added: A): void;
  keep(): void;
  abort(): void;
}

/** The open stages of one writer. */
export class StageWriter<A, S extends GrowingStage<A>> {
  readonly environment: Environment;
  readonly work: OpenWork;
  readonly warn: Warn;
  readonly #stages = new Set<S>();

  constructor(environment: Environment, work: OpenWork, warn: Warn = () => {}) {
    this.environment = environment;
    this.work = work;
    this.warn = warn;
  }

  get stages(): S[] {
    return [...this.#stages];
  }

  /** `make`: as in `OpenWork.begin`. */
  open(make: (token: string) => S): S {
    const stage = this.work.begin(make);
    this.#stages.add(stage);
    return stage;
  }

  append(stage: S, added: A, keep = false): void {
    this.requireOpen(stage);
    this.work.confirm();
    try {
      stage.append(added);
      if (keep) stage.keep();
    } catch (error) {
      // A refused call took nothing; after a fault of the disk the stage is not whole any more.
      const refused = engineErrors.INVALID_MESSAGE.is(error) || storeErrors.WRONG_DIMENSIONS.is(error);
      if (!refused) this.abort(stage);
      throw error;
    }
  }

  /** The stage is not one of the writer any more; true if it was. */
  forget(stage: S): boolean {
    return this.#stages.delete(stage);
  }

  /** Nothing of the stage stays but what was kept of it. */
  abort(stage: S): void {
    if (!this.forget(stage)) return;
    stage.abort();
    this.work.end(stage);
  }

  /** The same for a stage that is sound: all of it is kept. */
  suspend(stage: S): void {
    if (!this.#stages.has(stage)) return;
    try {
      this.work.confirmIn(this.environment);
      stage.keep();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.warn('The last span of a stage could not be kept', { hash: stage.hash, reason });
    }
    this.abort(stage);
  }

  requireOpen(stage: S): void {
    if (this.#stages.has(stage)) return;
    throw storeErrors.STAGE_LOST(`The stage of ${stage.hash} is not open`);
  }

  /** Suspends what is open. */
  close(): void {
    for (const stage of this.stages) this.suspend(stage);
  }
}

// The lease of one writer: taken, renewed for as long as it is held, and given back.

export interface LeaseOptions {
  readonly clock?: Clock;
  /** Milliseconds since 1970: other processes compare it with theirs. */
  readonly now?: () => number;
}

class HeldLease {
  readonly #environment: Environment;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #lease: LeaseRow = newLease();
  #cancelTimer: (() => void) | null = null;

  constructor(environment: Environment, { clock = systemClock, now = Date.now }: LeaseOptions = {}) {
    this.#environment = environment;
    this.#clock = clock;
    this.#now = now;
  }

  get token(): string {
    return this.#lease.token;
  }

  /** `along` is part of the same transaction. Throws STORE_IN_USE naming the process that writes here. */
  take(along: (writes: Transaction) => void): void {
    const now = this.#now();
    this.#environment.transact((writes) => {
      along(writes);
      take(writes, this.#lease, this.#environment.file, now);
    });
    this.#schedule();
  }

  /** Throws STORE_IN_USE when another writer has taken over. */
  confirm(reader: Pick<Transaction, 'get'>): void {
    confirm(reader, this.#lease, this.#environment.file);
  }

  #renew(): void {
    const now = this.#now();
    try {
      this.#environment.transact((writes) => renew(writes, this.#lease, this.#environment.file, now));
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

  /** `along` is part of the same transaction. */
  release(along: (writes: Transaction) => void): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    try {
      this.#environment.transact((writes) => {
        along(writes);
        release(writes, this.#lease, this.#environment.file);
      });
    } catch {
      // A lease that could not be given back, on a full disk for one, is taken again by this writer or dies
      // with it.
    }
  }
}

// The lease to write an analysis folder. It is a record, taken and released inside transactions, so LMDB's
// own lock orders two processes that want it at once. Its holder renews it. A lease is void when its process
// has ended, or when it was not renewed for a minute and the state of its process is unknown.

export const renewEveryMs = 15_000;
export const expiresAfterMs = 60_000;

export function newLease(): LeaseRow {
  return { ...thisProcess(), token: randomUUID(), renewed_ms: 0 };
}

/** True when the process with this id is certainly the one that took the lease. */
function certainlyRuns(lease: LeaseRow, ownLease: LeaseRow): boolean {
  if (lease.started === '' || ownLease.started === '') return false;
  try {
    process.kill(lease.pid, 0);
    return !hasEnded(lease);
  } catch {
    return false; // Ended, or a process of another user, of which the system tells less.
  }
}

/** True if a writer with the lease `ownLease` has to leave the folder to `lease`. `now`: Unix ms. */
export function isHeld(lease: LeaseRow, ownLease: LeaseRow, now: number): boolean {
  if (lease.host === ownLease.host) {
    // Another thread of this process: it was replaced, and this one goes on in its place.
    if (lease.pid === ownLease.pid || hasEnded(lease)) return false;
    if (certainlyRuns(lease, ownLease)) return true;
  }
  // A time far ahead is of a clock that was set back since.
  return Math.abs(now - lease.renewed_ms) < expiresAfterMs;
}

/** A damaged lease is none: whoever held it finds out before its next write. */
function read(writes: Pick<Transaction, 'get'>, file: string): LeaseRow | null {
  const bytes = writes.get(leaseKey);
  return bytes === undefined ? null : readable(() => unseal(LeaseRow, leaseKey, bytes, file));
}

function inUse(lease: LeaseRow, ownLease: LeaseRow, file: string): Error {
  const { pid, host, renewed_ms } = lease;
  // The end of a process of this host is seen at once.
  const isNear = host === ownLease.host && certainlyRuns(lease, ownLease);
  const lastSeen = renewed_ms > 0 ? ` (last seen ${new Date(renewed_ms).toISOString()})` : '';
  const who = isNear ? `Process ${pid}` : `Process ${pid} on ${host}`;
  const until = isNear ? '' : `${lastSeen}; if it has ended, try again in ${expiresAfterMs / 1000} s`;
  const message = `${who} is writing to ${dirname(file)}: wait until it is done, or end it${until}`;
  return storeErrors.STORE_IN_USE(message, { pid, host, file });
}

/** Takes the lease. Throws STORE_IN_USE naming the process that holds it. */
function take(writes: Transaction, ownLease: LeaseRow, file: string, now: number): void {
  const current = read(writes, file);
  if (current !== null && current.token !== ownLease.token && isHeld(current, ownLease, now)) {
    throw inUse(current, ownLease, file);
  }
  writes.put(leaseKey, seal(LeaseRow, leaseKey, { ...ownLease, renewed_ms: now }));
}

/** Says that the holder is there. Does nothing when another writer has taken over since. */
function renew(writes: Transaction, ownLease: LeaseRow, file: string, now: number): void {
  if (read(writes, file)?.token !== ownLease.token) return;
  writes.put(leaseKey, seal(LeaseRow, leaseKey, { ...ownLease, renewed_ms: now }));
}

/** Throws STORE_IN_USE when another writer has taken over since. */
function confirm(writes: Pick<Transaction, 'get'>, ownLease: LeaseRow, file: string): void {
  const current = read(writes, file);
  if (current === null) {
    throw storeErrors.STORE_IN_USE(`The lease on ${file} was lost to another writer; try again`, { file });
  }
  if (current.token !== ownLease.token) throw inUse(current, ownLease, file);
}

function release(writes: Transaction, ownLease: LeaseRow, file: string): void {
  if (read(writes, file)?.token === ownLease.token) writes.remove(leaseKey);
}
