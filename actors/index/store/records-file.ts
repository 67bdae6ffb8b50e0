// The records file while LMDB has it mapped: whether it is still the file of that name, whole, and one that only LMDB wrote.
// What is read behind the end of a mapped file ends the process, so this is asked before the map is touched.
import { closeSync, openSync } from 'node:fs';
import { reasonOf } from '../../../runtime/files/error-code.ts';
import { storeErrors } from './contract.ts';
import { damagedRecords, replaced } from './faults.ts';
import { latestTransaction } from './pages.ts';
import { type FileMark, markAt } from './same-file.ts';

export class RecordsFile {
  readonly file: string;
  readonly #lock: string | null;
  #seen: FileMark;
  #transaction: bigint;

  private constructor(file: string, seen: FileMark, lock: string | null) {
    this.file = file;
    this.#seen = seen;
    this.#lock = lock;
    this.#transaction = transactionOf(file);
  }

  /** `open` maps the file. Opened once more when another one took the name meanwhile. */
  static around<T>(
    file: string,
    open: () => T,
    close: (opened: T) => void,
  ): { opened: T; watched: RecordsFile } {
    for (let attempt = 0; ; attempt++) {
      const before = markAt(file);
      const opened = open();
      const after = markAt(file);
      const same = after !== null && (before === null || before.identity === after.identity);
      if (same) return { opened, watched: new RecordsFile(file, after, identityAt(`${file}-lock`)) };
      close(opened);
      if (attempt === 5) throw replaced(file);
    }
  }

  /** Of this file, other than of any other while it is open. */
  get identity(): string {
    return this.#seen.identity;
  }

  /**
   * Throws STORE_REPLACED when the file was removed or another one has its name, also one that was copied over it,
   * STORE_DAMAGED when it was cut, STORE_UNAVAILABLE when the file system does not say.
   */
  requireSame(): void {
    const now = this.#look();
    if (now === null || now.identity !== this.#seen.identity) throw replaced(this.file);
    // Two processes with two lock files would both write.
    if (this.#lock !== null && identityAt(`${this.file}-lock`) !== this.#lock) throw replaced(this.file);
    if (now.size < this.#seen.size) {
      throw damagedRecords(
        this.file,
        `it was cut from ${this.#seen.size} to ${now.size} bytes while it was open`,
      );
    }
    if (now.size === this.#seen.size && now.changed === this.#seen.changed) return;
    const transaction = transactionOf(this.file);
    if (transaction < this.#transaction) throw replaced(this.file);
    this.#transaction = transaction;
    this.#seen = now;
  }

  #look(): FileMark | null {
    try {
      return markAt(this.file);
    } catch (error) {
      const reason = reasonOf(error);
      throw storeErrors.STORE_UNAVAILABLE(
        `${this.file} cannot be reached: ${reason}`,
        { file: this.file },
        error,
      );
    }
  }
}

function identityAt(path: string): string | null {
  return markAt(path)?.identity ?? null;
}

/** The number of the last transaction: it only grows. */
function transactionOf(file: string): bigint {
  const fd = openSync(file, 'r');
  try {
    return latestTransaction(fd, file);
  } finally {
    closeSync(fd);
  }
}
