// The file that remembers what was done with the files of a watched folder: a line of JSON for the plan, and
// one for each file. Lines are appended and flushed; the file is rewritten when most of them are outdated.
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { codeOf, reasonOf } from '../../runtime/files/error-code.ts';
import { fileEnds, isSamePlan, Plan, watcherErrors } from './contract.ts';

const Header = Type.Object({ version: Type.Literal(1), plan: Plan });

/** What was done with a file; `path` is below the watched folder. */
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
  /** All that is to be remembered. */
  readonly #all: () => Iterable<LedgerRecord>;
  #plan: Plan;
  #lines = 0;
  /** Nothing but whole lines are there. */
  #isWhole = false;

  /** Calls `tell` with what was done by the same plan, older records first. LEDGER_UNWRITABLE. */
  constructor(
    path: string,
    plan: Plan,
    all: () => Iterable<LedgerRecord>,
    tell: (record: LedgerRecord) => void,
  ) {
    this.#path = path;
    this.#plan = plan;
    this.#all = all;
    this.#guard(() => {
      if (!this.#read(tell)) this.#write(plan, [...all()]);
    });
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** *Flushed* when it returns. LEDGER_UNWRITABLE, and then nothing of it counts as recorded. */
  append(records: readonly LedgerRecord[]): void {
    if (records.length === 0) return;
    this.#guard(() => {
      // What an append left that failed, such as half a line, is written over.
      if (!this.#isWhole) return this.#write(this.#plan, [...this.#all(), ...records]);
      this.#isWhole = false;
      appendFileSync(this.#path, records.map(lineOf).join(''), { flush: true });
      this.#isWhole = true;
      this.#lines += records.length;
    });
  }

  /** Goes on with another plan and these records. LEDGER_UNWRITABLE, and then it is as before. */
  restart(plan: Plan, records: Iterable<LedgerRecord>): void {
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

  #write(plan: Plan, records: readonly LedgerRecord[]): void {
    const text = [{ version: 1, plan }, ...records].map(lineOf).join('');
    replaceFile(this.#path, text, { flush: true, mode: 0o600 });
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
