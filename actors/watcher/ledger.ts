// The file that remembers what was done with the files of a watched folder: records are appended and flushed,
// and written anew, atomically, when most of them say nothing any more. Nobody else writes it; where somebody
// did, what is known here is written over it.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { codeOf, reasonOf } from '../../runtime/files/error-code.ts';
import { watcherErrors } from './contract.ts';
import {
  headerBytes,
  headerOf,
  isHeaderOf,
  type LedgerRecord,
  recordAt,
  recordBytes,
  recordsBytes,
} from './ledger-format.ts';

/** Records of one read. */
const together = 32_768;
/** Records that may say nothing before a ledger is worth writing anew. */
const spare = 1024;

export class Ledger {
  readonly path: string;
  readonly #plan: string;
  /** As it was left; empty before it was written. */
  #header: Buffer = Buffer.alloc(0);
  #records = 0;

  constructor(path: string, plan: string) {
    this.path = path;
    this.#plan = plan;
  }

  /**
   * Tells every record that is whole, older ones first. False when the ledger has to be written before it is
   * used: not there, damaged, or of another plan, of which nothing is told. `alive`: called every now and
   * then. Throws LEDGER_UNWRITABLE where it cannot be read.
   */
  read(tell: (record: LedgerRecord) => void, alive: () => void): boolean {
    let file: number;
    try {
      file = openSync(this.path, 'r');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw this.#unwritable(error);
    }
    try {
      return this.#readFrom(file, tell, alive);
    } catch (error) {
      throw this.#unwritable(error);
    } finally {
      closeSync(file);
    }
  }

  #readFrom(file: number, tell: (record: LedgerRecord) => void, alive: () => void): boolean {
    const header = Buffer.alloc(headerBytes);
    if (readAll(file, header, 0) < headerBytes || !isHeaderOf(this.#plan, header)) return false;
    const part = Buffer.alloc(together * recordBytes);
    let isWhole = true;
    let records = 0;
    for (let at = headerBytes; ; ) {
      alive();
      const length = readAll(file, part, at);
      for (let i = 0; i + recordBytes <= length; i += recordBytes) {
        const record = recordAt(part, i);
        if (record) tell(record);
        else isWhole = false;
        records += 1;
      }
      at += length;
      if (length % recordBytes !== 0) isWhole = false;
      if (length < part.length) break;
    }
    if (isWhole) [this.#header, this.#records] = [header, records];
    return isWhole;
  }

  /**
   * Flushed when it returns. `all`: what is to be remembered besides, in case the file is not as it was left.
   * Throws LEDGER_UNWRITABLE, and then nothing of it is recorded.
   */
  append(records: readonly LedgerRecord[], all: () => Iterable<LedgerRecord>): void {
    if (records.length === 0) return;
    try {
      if (this.#appended(recordsBytes(records))) this.#records += records.length;
      else this.#replace([...all(), ...records]);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /** False, and nothing was written, where the file is not as it was left. */
  #appended(bytes: Buffer): boolean {
    let file: number;
    try {
      file = openSync(this.path, 'r+');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
    try {
      const end = headerBytes + this.#records * recordBytes;
      const header = Buffer.alloc(headerBytes);
      if (fstatSync(file).size !== end || readAll(file, header, 0) < headerBytes) return false;
      if (!header.equals(this.#header)) return false;
      try {
        for (let done = 0; done < bytes.length; ) {
          done += writeSync(file, bytes, done, bytes.length - done, end + done);
        }
        fsyncSync(file);
      } catch (error) {
        // Where this fails too, the length tells that the file is not as it was left.
        ftruncateSync(file, end);
        throw error;
      }
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Whether so many records would do. */
  isLongFor(needed: number): boolean {
    return this.#records > 2 * needed + spare;
  }

  /** Atomic and flushed. Throws LEDGER_UNWRITABLE, and then the file is as before. */
  replace(all: Iterable<LedgerRecord>): void {
    try {
      this.#replace([...all]);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  #replace(records: readonly LedgerRecord[]): void {
    const header = headerOf(this.#plan, randomBytes(8));
    replaceFile(this.path, Buffer.concat([header, recordsBytes(records)]), { flush: true, mode: 0o600 });
    [this.#header, this.#records] = [header, records.length];
  }

  #unwritable(error: unknown): unknown {
    return unwritable(this.path, error);
  }
}

/** One that is not there is no error. Throws LEDGER_UNWRITABLE. */
export function removeLedger(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** LEDGER_UNWRITABLE for what the file system says; other errors stay what they are. */
function unwritable(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return watcherErrors.LEDGER_UNWRITABLE(`${path}: ${reasonOf(error)}`, { path }, error);
}

/** Bytes read from `position` on: less than asked for only at the end of the file. */
function readAll(file: number, into: Buffer, position: number): number {
  let done = 0;
  for (let read = 1; read > 0 && done < into.length; done += read) {
    read = readSync(file, into, done, into.length - done, position + done);
  }
  return done;
}
