// The files of one watched folder: which are complete, which are handed out, and what became of them.
// Messages share it: nothing is held across an await but what is looked up again.
import type { BigIntStats } from 'node:fs';
import { sep } from 'node:path';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Turn } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import { engineErrors, reasonOf } from '../../runtime/errors.ts';
import {
  type BatchSize,
  type Exclusions,
  type FileCounts,
  type FileEnd,
  isSamePlan,
  type PollReport,
  type SeenFile,
  type WatchedFolder,
  type WatchPlan,
  watcherErrors,
} from './contract.ts';
import { type DiskEntry, type PendingQueries, prefixOf, type WatchedDisk, walk } from './disk.ts';
import { exclusionsOf } from './exclusions.ts';
import { type FileEntry, FileTable, isEnd, Ledger, type LedgerRecord, markOf, stateSeen } from './ledger.ts';

export interface FilesParts {
  readonly disk: WatchedDisk;
  readonly queries: PendingQueries;
  readonly clock: Clock;
  /** Between two polls in which a file has to be the same to be complete. */
  readonly settleMs: number;
  /** Longest time for which listing a folder delays other messages. */
  readonly sliceMs: number;
}

/**
 * When a file that failed is tried again although nothing of it changed: a copy on a share that keeps its
 * times may have become complete, and a disk may have had a bad moment.
 */
const retries = { afterMs: 60_000, factor: 4, most: 5 };

interface Retry {
  readonly failures: number;
  readonly at: number;
}

type FilesTurn = Pick<Turn, 'signal' | 'throwIfCancelled'>;

/** Findings of a poll besides complete files. */
interface Findings {
  readonly poll: number;
  hasContent: boolean;
  unreadable: PollReport['unreadable'];
  unreadable_count: number;
  /** Below the folder, with a separator at the end: what is in them is not known. */
  readonly unreadableFolders: string[];
}

export class FolderFiles {
  readonly #folder: WatchedFolder;
  readonly #parts: FilesParts;
  readonly #prefix: string;
  readonly #table = new FileTable();
  readonly #ledger: Ledger;
  /** Files that failed while the service runs, by path. */
  readonly #retries = new Map<string, Retry>();
  #polls = 0;
  /** Device and folder that the path led to when there was something in it; null when that is not known. */
  #root: string | null = null;
  #isClosed = false;

  /** LEDGER_UNWRITABLE. */
  constructor(folder: WatchedFolder, parts: FilesParts) {
    this.#folder = folder;
    this.#parts = parts;
    this.#prefix = prefixOf(folder.folder_path);
    const recall = (record: LedgerRecord) => this.#recall(record);
    const { ledger, plan, shared } = folder;
    this.#ledger = new Ledger(ledger, plan, () => this.#records(), recall, shared);
  }

  get folder(): string {
    return this.#folder.folder_path;
  }

  get counts(): FileCounts {
    return this.#table.counts;
  }

  /** Work of any other plan is not done or accepted. LEDGER_UNWRITABLE leaves the plan unchanged. */
  setPlan(plan: WatchPlan): void {
    const before = this.#ledger.plan;
    if (before.work === plan.work && before.store === plan.store) return;
    const isSame = isSamePlan(before, plan);
    this.#ledger.restart(plan, isSame ? this.#records() : this.#rootRecord());
    if (isSame) return;
    for (const [, entry] of this.#table.entries()) {
      if (entry.state === 'taken' || isEnd(entry.state)) this.#table.setState(entry, 'ready');
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  /** FOLDER_AWAY, CANCELLED; then no file counts as deleted. LEDGER_UNWRITABLE. */
  async poll(exclusions: Exclusions, skip: readonly string[], turn: FilesTurn): Promise<PollReport> {
    const { clock, disk } = this.#parts;
    const before = await this.#reach(turn);
    const began = clock.now();
    const findings: Findings = {
      poll: ++this.#polls,
      hasContent: false,
      unreadable: null,
      unreadable_count: 0,
      unreadableFolders: [],
    };
    const root = this.#folder.folder_path;
    await this.#walk(walk({ disk, root, exclusions: exclusionsOf(exclusions), skip }), findings, turn);
    const after = await this.#reach(turn);
    // Unmounted meanwhile: what was not found is not deleted.
    if (identityOf(after) !== identityOf(before)) throw this.#away('it became another folder');
    this.#identify(identityOf(after), findings);
    this.#sweep(findings);
    this.#compact();
    const { unreadable, unreadable_count } = findings;
    return {
      counts: this.counts,
      ready: this.#table.count('ready'),
      unsettled: this.#table.count('unsettled'),
      unreadable,
      unreadable_count,
      took_ms: clock.now() - began,
    };
  }

  async #walk(steps: Iterable<DiskEntry | null>, findings: Findings, turn: FilesTurn): Promise<void> {
    const { clock, sliceMs } = this.#parts;
    let began = clock.now();
    try {
      for (const sighting of steps) {
        turn.throwIfCancelled();
        if (sighting) this.#apply(sighting, findings);
        if (clock.now() - began < sliceMs) continue;
        await eventLoopTurn();
        this.#expectOpen();
        began = clock.now();
      }
    } catch (error) {
      // Errors of the file system are those of the root: others are sightings.
      throw error instanceof Error && 'syscall' in error ? this.#away(error) : error;
    }
  }

  #apply(sighting: DiskEntry, findings: Findings): void {
    if (sighting.kind === 'content') {
      findings.hasContent = true;
      return;
    }
    const { path } = sighting;
    if (sighting.kind === 'file') {
      this.#seeFile(path, sighting.stat, findings);
      return;
    }
    this.#addUnreadable(path, sighting.message, findings);
    if (sighting.kind === 'unreadable') {
      findings.unreadableFolders.push(path + sep);
      return;
    }
    const entry = this.#table.get(path) ?? this.#add(path, '', 'unreadable');
    entry.poll = findings.poll;
    if (!isEnd(entry.state) && entry.state !== 'taken') this.#table.setState(entry, 'unreadable');
  }

  #seeFile(path: string, stat: BigIntStats, findings: Findings): void {
    const { clock, settleMs } = this.#parts;
    const [mark, now] = [markOf(stat), clock.now()];
    const entry = this.#table.get(path) ?? this.#add(path, mark, 'unsettled');
    entry.poll = findings.poll;
    let state = stateSeen(entry, { mark, isEmpty: stat.size === 0n, now, settleMs });
    if (state === 'unreadable' && this.#opens(path, findings)) state = 'ready';
    if (state === 'failed' && now >= (this.#retries.get(path)?.at ?? Number.POSITIVE_INFINITY))
      state = 'ready';
    if (state === 'unsettled') this.#retries.delete(path);
    if (entry.mark !== mark) Object.assign(entry, { mark, since: now });
    if (entry.state !== state) this.#table.setState(entry, state);
  }

  #opens(path: string, findings: Findings): boolean {
    try {
      this.#parts.disk.opened(this.#prefix + path);
      return true;
    } catch (error) {
      this.#addUnreadable(path, reasonOf(error), findings);
      return false;
    }
  }

  #addUnreadable(path: string, message: string, findings: Findings): void {
    findings.unreadable ??= { path: this.#prefix + path, message };
    findings.unreadable_count++;
  }

  /** FOLDER_AWAY for a mount point whose disk is not there. */
  #identify(root: string, { hasContent }: Findings): void {
    if (this.#root === root) return;
    if (!hasContent) {
      if (this.counts.files > 0) throw this.#away('it is another folder than before, and empty');
      return;
    }
    this.#root = root;
    this.#ledger.append([{ root }]);
  }

  /** Files that were not seen in a readable folder are gone. */
  #sweep({ poll, unreadableFolders }: Findings): void {
    for (const [path, entry] of this.#table.entries()) {
      const isKnown = entry.poll === poll || unreadableFolders.some((folder) => path.startsWith(folder));
      if (isKnown) continue;
      this.#table.delete(path, entry);
      this.#retries.delete(path);
    }
  }

  /** FOLDER_AWAY, CANCELLED; then nothing is taken. */
  async take({ few, most, bytes }: BatchSize, turn: FilesTurn): Promise<SeenFile[]> {
    if (this.#table.count('ready') === 0) return [];
    // A share whose server is gone would stop the thread.
    await this.#reach(turn);
    const batch: [string, FileEntry][] = [];
    let size = 0n;
    for (const [path, entry] of this.#table.entries()) {
      if (batch.length >= (size < bytes ? most : few)) break;
      if (entry.state !== 'ready') continue;
      const stat = this.#open(path, entry);
      if (stat !== null) {
        batch.push([path, entry]);
        size += stat.size;
      }
      try {
        turn.throwIfCancelled();
      } catch (error) {
        for (const [, entry] of batch) this.#table.setState(entry, 'ready');
        throw error;
      }
    }
    return batch.map(([path, { mark }]) => ({ path: this.#prefix + path, mark }));
  }

  /** Takes a ready file; null when it is not what it was. */
  #open(path: string, entry: FileEntry): BigIntStats | null {
    try {
      const stat = this.#parts.disk.opened(this.#prefix + path);
      const isSame = stat.isFile() && markOf(stat) === entry.mark;
      this.#table.setState(entry, isSame ? 'taken' : 'unsettled');
      return isSame ? stat : null;
    } catch {
      // The next poll tries it again, tells why it cannot be opened, or finds it gone.
      this.#table.setState(entry, 'unreadable');
      return null;
    }
  }

  /** LEDGER_UNWRITABLE, and then nothing has changed. */
  report(files: readonly (SeenFile & { readonly end: FileEnd })[]): void {
    const ends = files.flatMap(({ path: absolute, mark, end }) => {
      const path = absolute.slice(this.#prefix.length);
      const entry = this.#table.get(path);
      return entry === undefined || entry.mark === mark ? [{ path, mark, end, entry }] : [];
    });
    this.#ledger.append(
      ends.flatMap(({ path, mark, end }) => (end === 'returned' ? [] : [{ path, mark, end }])),
    );
    for (const { path, mark, end, entry } of ends) {
      this.#planRetry(path, end);
      if (end === 'returned') {
        if (entry?.state === 'taken') this.#table.setState(entry, 'ready');
      } else if (entry) this.#table.setState(entry, end);
      // A restarted watcher has not seen it yet; the next poll drops it when it is gone.
      else this.#add(path, mark, end);
    }
    this.#compact();
  }

  #planRetry(path: string, end: FileEnd): void {
    if (end === 'returned') return;
    const { afterMs, factor, most } = retries;
    const failures = (this.#retries.get(path)?.failures ?? 0) + 1;
    if (end !== 'failed') this.#retries.delete(path);
    else {
      const wait = failures > most ? Number.POSITIVE_INFINITY : afterMs * factor ** (failures - 1);
      this.#retries.set(path, { failures, at: this.#parts.clock.now() + wait });
    }
  }

  #recall(record: LedgerRecord): void {
    if ('root' in record) {
      this.#root = record.root;
      return;
    }
    const { path, mark, end } = record;
    const entry = this.#table.get(path) ?? this.#add(path, mark, end);
    entry.mark = mark;
    this.#table.setState(entry, end);
  }

  *#records(): Generator<LedgerRecord> {
    yield* this.#rootRecord();
    for (const [path, { mark, state }] of this.#table.entries()) {
      if (isEnd(state)) yield { path, mark, end: state };
    }
  }

  #rootRecord(): LedgerRecord[] {
    return this.#root === null ? [] : [{ root: this.#root }];
  }

  #compact(): void {
    const { analyzed, failed, filtered } = this.counts;
    this.#ledger.compact(analyzed + failed + filtered + 1);
  }

  #add(path: string, mark: string, state: FileEntry['state']): FileEntry {
    return this.#table.add(path, mark, state, this.#parts.clock.now());
  }

  async #reach({ signal }: FilesTurn): Promise<BigIntStats> {
    const { disk, queries } = this.#parts;
    const { folder_path } = this.#folder;
    const stat = await queries
      .ask(folder_path, () => disk.reach(folder_path), signal)
      .catch((error) => {
        throw engineErrors.CANCELLED.is(error) ? error : this.#away(error);
      });
    this.#expectOpen();
    if (stat === null) throw this.#away('it does not answer');
    if (!stat.isDirectory()) throw this.#away('it is not a folder');
    return stat;
  }

  #expectOpen(): void {
    if (this.#isClosed) throw engineErrors.CANCELLED(`${this.#folder.folder_path} is not watched any more`);
  }

  #away(reason: unknown) {
    const folder = this.#folder.folder_path;
    return watcherErrors.FOLDER_AWAY(`${folder}: ${reasonOf(reason)}`, { folder }, reason);
  }
}

/** Names a folder on whatever path it is reached; the same after a rename. */
function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
