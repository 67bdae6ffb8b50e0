// The file that remembers what was done with the files of a watched folder: a line of JSON for the plan, and
// one for each file. Lines are appended and flushed; the file is rewritten when most of them are outdated.
import { appendFileSync, type BigIntStats, readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { codeOf, reasonOf } from '../../runtime/errors.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { rmSync } from '../../runtime/files/names.ts';
import { type FileCounts, fileEnds, isSamePlan, WatchPlan, watcherErrors } from './contract.ts';

const Header = Type.Object({ version: Type.Literal(1), plan: WatchPlan });

/** Outcome of a file; `path` is relative to the watched folder. */
export interface EndRecord {
  readonly path: string;
  readonly mark: string;
  readonly end: (typeof fileEnds)[number];
}

/** Which device and folder the watched folder was when something was in it. */
interface RootRecord {
  readonly root: string;
}

export type LedgerRecord = EndRecord | RootRecord;

/** Outdated lines that are not worth rewriting a ledger. */
const SPARE = 1024;

export class Ledger {
  readonly #path: string;
  readonly #isShared: boolean;
  /** All that is to be remembered. */
  readonly #all: () => Iterable<LedgerRecord>;
  #plan: WatchPlan;
  #lines = 0;
  /** Nothing but whole lines are there. */
  #isWhole = false;

  /**
   * Calls `tell` with what was done by the same plan, older records first. `isShared`: other machines can
   * read and write it, too. LEDGER_UNWRITABLE.
   */
  constructor(
    path: string,
    plan: WatchPlan,
    all: () => Iterable<LedgerRecord>,
    tell: (record: LedgerRecord) => void,
    isShared = false,
  ) {
    this.#path = path;
    this.#isShared = isShared;
    this.#plan = plan;
    this.#all = all;
    this.#guard(() => {
      if (!this.#read(tell)) this.#write(plan, [...all()]);
    });
  }

  get plan(): WatchPlan {
    return this.#plan;
  }

  /** *Flushed* when it returns. LEDGER_UNWRITABLE, and then nothing of it counts as recorded. */
  append(records: readonly LedgerRecord[]): void {
    if (records.length === 0) return;
    this.#guard(() => {
      // The rewrite removes remains of a failed append, such as half a line.
      if (!this.#isWhole) return this.#write(this.#plan, [...this.#all(), ...records]);
      this.#isWhole = false;
      appendFileSync(this.#path, records.map(lineOf).join(''), { flush: true });
      this.#isWhole = true;
      this.#lines += records.length;
    });
  }

  /** Goes on with another plan and these records. LEDGER_UNWRITABLE, and then it is as before. */
  restart(plan: WatchPlan, records: Iterable<LedgerRecord>): void {
    this.#guard(() => this.#write(plan, [...records]));
    this.#plan = plan;
  }

  /** `needed`: records that are not outdated. LEDGER_UNWRITABLE. */
  compact(needed: number): void {
    if (this.#lines > 2 * needed + SPARE) this.#guard(() => this.#write(this.#plan, [...this.#all()]));
  }

  /** False when the file has to be written: it is not there, damaged, or of another plan. */
  #read(tell: (record: LedgerRecord) => void): boolean {
    const lines = linesOf(this.#path);
    const header = lines.next().value;
    if (!Check(Header, header) || !isSamePlan(header.plan, this.#plan)) return false;
    let isWhole = header.plan.store === this.#plan.store;
    for (const record of lines) {
      this.#lines++;
      if (isRecord(record)) tell(record);
      else isWhole = false;
    }
    this.#isWhole = isWhole;
    return isWhole;
  }

  #write(plan: WatchPlan, records: readonly LedgerRecord[]): void {
    const text = [{ version: 1, plan }, ...records].map(lineOf).join('');
    const access = this.#isShared ? { isExport: true } : { mode: 0o600 };
    replaceFile(this.#path, text, { flush: true, ...access });
    this.#isWhole = true;
    this.#lines = records.length;
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}

/** One that is not there is no error. LEDGER_UNWRITABLE. */
export function removeLedger(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

function isRecord(value: unknown): value is LedgerRecord {
  const { root, path, mark, end } = Object(value);
  return (
    typeof root === 'string' ||
    (typeof path === 'string' && typeof mark === 'string' && fileEnds.includes(end))
  );
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The values of the lines, null for what is no JSON; nothing of a file that is not there. */
function* linesOf(path: string): Generator<unknown, undefined> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf('\n', from);
    const end = newline < 0 ? bytes.length : newline;
    yield newline < 0 ? null : parsed(bytes.toString('utf8', from, end));
    from = end + 1;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function unwritable(path: string, error: unknown) {
  return watcherErrors.LEDGER_UNWRITABLE(`${path}: ${reasonOf(error)}`, { path }, error);
}

// State of each file of a folder by its relative path, and the number of files in each state.

/**
 * `unsettled`: seen once, or changed since. `ready`: complete. `taken`: handed out. `unreadable`: cannot be
 * looked at or opened. `empty`: complete, and there is nothing in it.
 */
export type WatchedFileState =
  | 'unsettled'
  | 'ready'
  | 'taken'
  | 'unreadable'
  | 'empty'
  | (typeof fileEnds)[number];

export interface FileEntry {
  /** See `markOf`; empty when it is not known. */
  mark: string;
  /** When it was first seen with this mark. */
  since: number;
  readonly state: WatchedFileState;
  /** Number of the poll that saw it last. */
  poll: number;
}

interface Observation {
  readonly mark: string;
  readonly isEmpty: boolean;
  readonly now: number;
  /** For how long a complete file has had the same mark. */
  readonly settleMs: number;
}

/** The state of a known file that a poll sees. */
export function stateSeen(
  { mark: before, since, state }: Pick<FileEntry, 'mark' | 'since' | 'state'>,
  { mark, isEmpty, now, settleMs }: Observation,
): WatchedFileState {
  if (!isSameMark(before, mark)) return 'unsettled';
  // A file that is written over a network may stand still for a moment.
  if (state !== 'unsettled' || now - since < settleMs) return state;
  return isEmpty ? 'empty' : 'ready';
}

/**
 * Size and times of a file: another mark means another content. The time of the last change is there because
 * programs that copy or edit set the other one back.
 */
export function markOf({ size, mtimeNs, ctimeNs }: MarkedStat): string {
  return `${size}-${mtimeNs}/${ctimeNs}`;
}

type MarkedStat = Pick<BigIntStats, 'size' | 'mtimeNs' | 'ctimeNs'>;

/** `before`: possibly of an earlier version, without the time of the last change. */
export function isSameMark(before: string, mark: string): boolean {
  return before === mark || (before !== '' && !before.includes('/') && mark.startsWith(`${before}/`));
}

export function isEnd(state: WatchedFileState): state is (typeof fileEnds)[number] {
  return (fileEnds as readonly string[]).includes(state);
}

export class FileTable {
  readonly #entries = new Map<string, FileEntry>();
  readonly #counts = new Map<WatchedFileState, number>();

  get counts(): FileCounts {
    const of = (state: WatchedFileState) => this.count(state);
    const [analyzed, failed, filtered] = [of('analyzed'), of('failed'), of('filtered')];
    const files = this.#entries.size;
    return { files, pending: files - analyzed - failed - filtered, analyzed, failed, filtered };
  }

  count(state: WatchedFileState): number {
    return this.#counts.get(state) ?? 0;
  }

  get(path: string): FileEntry | undefined {
    return this.#entries.get(path);
  }

  entries(): Iterable<[string, FileEntry]> {
    return this.#entries;
  }

  add(path: string, mark: string, state: WatchedFileState, now: number): FileEntry {
    const entry = { mark, since: now, state, poll: 0 };
    this.#entries.set(path, entry);
    this.#tally(state, 1);
    return entry;
  }

  setState(entry: FileEntry, state: WatchedFileState): void {
    this.#tally(entry.state, -1);
    this.#tally(state, 1);
    (entry as { state: WatchedFileState }).state = state;
  }

  delete(path: string, { state }: FileEntry): void {
    this.#tally(state, -1);
    this.#entries.delete(path);
  }

  #tally(state: WatchedFileState, change: number): void {
    this.#counts.set(state, this.count(state) + change);
  }
}
