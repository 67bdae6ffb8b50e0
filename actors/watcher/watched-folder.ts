// One watched folder: what is known of its files, which are handed out, and what became of them. Messages
// share it: nothing is held across an await but what is looked up again.
import type { BigIntStats } from 'node:fs';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Turn } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { Mutex } from '../../runtime/sync/mutex.ts';
import {
  type BatchSize,
  type Exclusions,
  type FileCounts,
  type FileEnd,
  type PollReport,
  type SeenFile,
  watcherErrors,
} from './contract.ts';
import { type Disk, markOf } from './disk.ts';
import { exclusionsOf } from './exclusions.ts';
import { countsOf, fileState, isEnd, stateAfter } from './file-state.ts';
import { FileTable } from './file-table.ts';
import { type Hash64, hashOf } from './hash.ts';
import { Ledger } from './ledger.ts';
import type { EndRecord, LedgerRecord } from './ledger-format.ts';
import { Poll } from './poll.ts';
import { folderAway, type Reach } from './reach.ts';
import { Stamps } from './stamps.ts';
import { identityOf, prefixOf, type Walked, walk } from './walk.ts';

export interface FolderTiming {
  /** Between two polls in which a file has to be the same to be complete. */
  readonly settleMs: number;
  /** So long other messages wait while a folder is listed. */
  readonly sliceMs: number;
  /** Ready files that are kept by name. */
  readonly mostReady: number;
}

export interface FolderParts extends FolderTiming {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly reach: Reach;
  readonly log: Log;
}

export interface OpenFolder {
  readonly id: string;
  readonly folder_path: string;
  readonly ledger: string;
  readonly plan: string;
  readonly keeps: boolean;
}

type Alive = Pick<Turn, 'alive'>;
type PollTurn = Pick<Turn, 'signal' | 'throwIfCancelled' | 'alive'>;
type TakeTurn = Pick<Turn, 'signal' | 'throwIfCancelled' | 'cancelled'>;

/** Errors by which the system keeps somebody out: they do not pass by themselves. */
const keptOut = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG']);

export class WatchedFolder {
  readonly id: string;
  readonly path: string;
  readonly #parts: FolderParts;
  readonly #prefix: string;
  readonly #table = new FileTable();
  readonly #stamps: Stamps;
  readonly #polls = new Mutex();
  #ledger: Ledger;
  #plan: string;
  /** Absolute paths of the last poll that may be taken; some may have changed their state. */
  #ready: string[] = [];
  /** Device and folder that the path led to when there was something in it; null when that is not known. */
  #root: Hash64 | null = null;
  /** Hashes of the folders that were read once. */
  #read = new Set<number>();
  #isClosed = false;

  /** Throws LEDGER_UNWRITABLE. */
  constructor({ id, folder_path, ledger, plan }: OpenFolder, parts: FolderParts, turn: Alive) {
    this.id = id;
    this.path = folder_path;
    this.#parts = parts;
    this.#prefix = prefixOf(folder_path);
    this.#stamps = new Stamps(parts.settleMs);
    this.#plan = plan;
    this.#ledger = new Ledger(ledger, plan);
    const isWhole = this.#ledger.read(
      (record) => this.#recall(record),
      () => turn.alive(),
    );
    if (!isWhole) this.#ledger.replace(this.#remembered());
    else this.#compact();
  }

  get counts(): FileCounts {
    return countsOf(this.#table.size, (state) => this.#table.count(state));
  }

  /** Whether it may be opened again instead of anew. */
  isOf({ folder_path, ledger }: OpenFolder): boolean {
    return folder_path === this.path && ledger === this.#ledger.path;
  }

  /**
   * What was taken is pending again; with another plan that does not keep what was done, everything is.
   * Throws LEDGER_UNWRITABLE, and then nothing has changed.
   */
  reopen({ plan, keeps }: Pick<OpenFolder, 'plan' | 'keeps'>): void {
    const isSame = plan === this.#plan || keeps;
    if (plan !== this.#plan) {
      const next = new Ledger(this.#ledger.path, plan);
      next.replace(keeps ? this.#remembered() : this.#root ? [{ root: this.#root }] : []);
      [this.#ledger, this.#plan] = [next, plan];
    }
    for (const { state, slot } of this.#table.entries()) {
      const isReset = state === fileState.taken || (!isSame && isEnd(state));
      // The next poll finds it the same, and knows its name.
      if (isReset) this.#table.setState(slot, fileState.unsettled);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Throws FOLDER_AWAY, FOLDER_NOT_OPEN, CANCELLED; then no file is taken for gone. */
  poll(exclusions: Exclusions, skip: readonly string[], turn: PollTurn): Promise<PollReport> {
    return this.#polls.run(() => this.#poll(exclusions, skip, turn), { signal: turn.signal });
  }

  async #poll(exclusions: Exclusions, skip: readonly string[], turn: PollTurn): Promise<PollReport> {
    const { disk, clock, reach, mostReady } = this.#parts;
    const rootStat = await reach.of(this.path, turn.signal);
    const skipped = await this.#skipped(skip, turn);
    this.#requireOpen();
    const stamp = this.#stamps.begin(clock.now());
    const poll = new Poll(this.#table, stamp, disk, mostReady);
    const steps = walk({
      disk,
      root: this.path,
      rootStat,
      exclusions: exclusionsOf(exclusions),
      skip: skipped,
      visitor: poll,
    });
    const walked = await this.#walked(steps, turn).finally(() => this.#stamps.end(clock.now()));
    const after = await reach.of(this.path, turn.signal);
    this.#requireOpen();
    // Unmounted meanwhile: what was not found is not gone.
    if (identityOf(after) !== identityOf(rootStat)) throw folderAway(this.path, 'it became another folder');
    this.#know(hashOf(identityOf(after)), walked);
    if (this.#isComplete(walked)) this.#table.sweep(stamp.generation);
    this.#ready = poll.ready.filter((path) => this.#isReady(path));
    this.#compact();
    return {
      counts: this.counts,
      ready: this.#ready.length,
      unsettled: this.#table.count(fileState.unsettled),
      unreadable: poll.unreadableNamed,
      unreadable_count: poll.unreadableCount,
    };
  }

  async #walked(steps: Generator<void, Walked>, turn: PollTurn): Promise<Walked> {
    const { clock, sliceMs } = this.#parts;
    let begun = clock.now();
    try {
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        turn.throwIfCancelled();
        if (clock.now() - begun < sliceMs) continue;
        await eventLoopTurn();
        this.#requireOpen();
        begun = clock.now();
      }
    } catch (error) {
      // Errors of the file system are those of the root: others are told and passed over.
      throw error instanceof Error && 'syscall' in error ? folderAway(this.path, error) : error;
    }
  }

  /** Folders that are left out, by path and by what the path leads to. */
  async #skipped(skip: readonly string[], turn: PollTurn): Promise<Set<string>> {
    const skipped = new Set(skip);
    for (const folder of skip) {
      const stat = await this.#parts.reach.of(folder, turn.signal).catch(() => null);
      turn.throwIfCancelled();
      if (stat && stat.ino !== 0n) skipped.add(identityOf(stat));
    }
    return skipped;
  }

  /** Throws FOLDER_AWAY for a mount point whose disk is not there. */
  #know(root: Hash64, { isRootEmpty }: Walked): void {
    if (this.#root && this.#root.high === root.high && this.#root.low === root.low) return;
    if (isRootEmpty && this.#table.size > 0) {
      throw folderAway(this.path, 'it is another folder than before, and empty');
    }
    if (isRootEmpty) return;
    this.#root = root;
    try {
      this.#ledger.append([{ root }], () => this.#remembered());
    } catch (error) {
      this.#parts.log.warn('cannot record which folder is watched', { folder: this.path, error });
    }
  }

  /**
   * Whether what was not seen is gone: a folder that could not be read may hold it. One that the system keeps
   * us out of, and that was never read, holds nothing that is known.
   */
  #isComplete({ read, unread }: Walked): boolean {
    const isComplete = [...unread].every(([key, code]) => keptOut.has(code) && !this.#read.has(key));
    for (const key of unread.keys()) if (this.#read.has(key)) read.add(key);
    this.#read = read;
    return isComplete;
  }

  /** Throws FOLDER_AWAY, FOLDER_NOT_OPEN, CANCELLED; then nothing is taken. */
  async take({ few, most, bytes }: BatchSize, turn: TakeTurn): Promise<SeenFile[]> {
    if (this.#ready.length === 0) return [];
    // A share whose server is gone would stop the thread.
    await this.#parts.reach.of(this.path, turn.signal);
    this.#requireOpen();
    const files: SeenFile[] = [];
    let held = 0n;
    for (let path = this.#ready.shift(); path !== undefined; path = this.#ready.shift()) {
      const stat = this.#isReady(path) ? this.#open(path) : null;
      if (stat !== null) {
        files.push({ path, mark: markOf(stat) });
        held += stat.size;
      }
      if (turn.cancelled()) this.#giveBack(files);
      turn.throwIfCancelled();
      if (files.length >= (held < bytes ? most : few)) break;
    }
    return files;
  }

  #giveBack(files: readonly SeenFile[]): void {
    for (const { path } of files) {
      this.#table.setState(this.#slotOf(path), fileState.ready);
      this.#ready.push(path);
    }
  }

  /** Takes a ready file; null when it is not what it was. */
  #open(path: string): BigIntStats | null {
    const slot = this.#slotOf(path);
    try {
      const stat = this.#parts.disk.opened(path);
      const isTaken = stat.isFile() && this.#table.hasMark(slot, hashOf(markOf(stat)));
      this.#table.setState(slot, isTaken ? fileState.taken : fileState.unsettled);
      return isTaken ? stat : null;
    } catch {
      // The next poll tries it again, tells why it cannot be opened, or finds it gone.
      this.#table.setState(slot, fileState.unreadable);
      return null;
    }
  }

  /** Throws LEDGER_UNWRITABLE, and then nothing has changed. */
  report(plan: string, files: readonly (SeenFile & { readonly end: FileEnd })[]): void {
    if (plan !== this.#plan) return;
    const ends = files.flatMap(({ path, mark: text, end }) => {
      const slot = this.#slotOf(path);
      const mark = hashOf(text);
      if (slot < 0 || !this.#table.hasMark(slot, mark)) return [];
      if (end === 'returned' && this.#table.stateAt(slot) !== fileState.taken) return [];
      return [{ path, key: this.#keyOf(path), slot, mark, state: stateAfter(end) }];
    });
    const records = ends.filter(({ state }) => isEnd(state));
    this.#ledger.append(
      records.map(({ key, mark, state }): EndRecord => ({ path: key, mark, state })),
      () => this.#remembered(),
    );
    for (const { path, slot, state } of ends) {
      this.#table.setState(slot, state);
      if (state === fileState.ready && this.#ready.length < this.#parts.mostReady) this.#ready.push(path);
    }
    this.#compact();
  }

  #recall(record: LedgerRecord): void {
    if ('root' in record) {
      this.#root = record.root;
      return;
    }
    const slot = this.#table.slotOf(record.path);
    if (slot < 0) {
      this.#table.add(record.path, record.mark, record.state);
      return;
    }
    this.#table.setMark(slot, record.mark);
    this.#table.setState(slot, record.state);
  }

  *#remembered(): Generator<LedgerRecord> {
    if (this.#root) yield { root: this.#root };
    for (const { path, mark, state } of this.#table.entries()) {
      if (isEnd(state)) yield { path, mark, state };
    }
  }

  #compact(): void {
    const { analyzed, failed, filtered } = this.counts;
    if (!this.#ledger.isLongFor(analyzed + failed + filtered + 1)) return;
    try {
      this.#ledger.replace(this.#remembered());
    } catch (error) {
      this.#parts.log.warn('cannot shorten what was recorded', { folder: this.path, error });
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw watcherErrors.FOLDER_NOT_OPEN(this.path, { id: this.id });
  }

  #isReady(path: string): boolean {
    const slot = this.#slotOf(path);
    return slot >= 0 && this.#table.stateAt(slot) === fileState.ready;
  }

  /** -1 when the file is not known. */
  #slotOf(path: string): number {
    return path.startsWith(this.#prefix) ? this.#table.slotOf(this.#keyOf(path)) : -1;
  }

  #keyOf(path: string): Hash64 {
    return hashOf(path.slice(this.#prefix.length));
  }
}
