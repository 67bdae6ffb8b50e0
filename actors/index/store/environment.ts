// The one LMDB environment of an analysis folder and the only importer of lmdb. Values are opaque bytes here.
import { accessSync, closeSync, constants, existsSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ABORT, open, type RootDatabase } from 'lmdb';
import { reasonOf } from '../../../runtime/errors.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { storeErrors } from './contract.ts';
import { freeBytes, markAt, type OpenFileMark, setRestAside, useRoomSetAside } from './disk.ts';
import { damagedRecords, replaced, storeFault } from './faults.ts';
import { checkPages, latestTransaction } from './pages.ts';
import { noRoots, type PathMap } from './path-map.ts';

export type AccessMode = 'read' | 'write';

/** Operations of a transaction. All of them become visible together, or none. */
export interface Transaction {
  get(key: string): Uint8Array | undefined;
  put(key: string, value: Uint8Array): void;
  remove(key: string): void;
}

const maxReaders = 126;
/**
 * LMDB's lock file for that many readers: it is mapped, so its blocks must exist before, or a full disk ends
 * the process.
 */
const lockBytes = 16384;

function prepareLockFile(file: string): void {
  const lock = `${file}-lock`;
  if (!existsSync(lock)) writeFileSync(lock, Buffer.alloc(lockBytes), { flag: 'wx' });
}

function writable(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK);
    if (existsSync(file)) accessSync(file, constants.W_OK);
    if (existsSync(`${file}-lock`)) accessSync(`${file}-lock`, constants.W_OK);
    return true;
  } catch {
    return false; // Every refusal of access means the same here: open for reading.
  }
}

/**
 * Disk space that a transaction may need beside its values, bytes: it copies every page from a changed record
 * up to the root, a few for each record, and the list of free pages.
 */
const spareBytes = 256 * 1024;

/**
 * Throws STORE_FULL unless a transaction with `bytes` of values finds room. LMDB must not find out by itself:
 * a write that fails in the middle of its commit reads as damage, and leaves the heap of the process broken.
 */
function requireRoom(file: string, bytes: number): void {
  const free_bytes = freeBytes(file);
  if (free_bytes < spareBytes + bytes) {
    throw storeErrors.STORE_FULL(`No space left to write ${file}`, { file, free_bytes });
  }
}

function openChecked(file: string, readOnly: boolean): RootDatabase<Buffer, string> {
  if (Environment.exists(file)) checkPages(file);
  if (!readOnly) prepareLockFile(file);
  // Without overlapping sync a transaction that has returned is flushed, not only committed.
  return open<Buffer, string>({
    path: file,
    noSubdir: true,
    encoding: 'binary',
    cache: false,
    overlappingSync: false,
    readOnly,
    maxReaders,
  });
}

interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
}

interface Range {
  readonly start?: string;
  readonly end?: string;
  readonly limit?: number;
}

/** The keys that begin with `prefix`, from the one behind `after` on. */
function under(prefix: string, after: string | null = null): { start: string; end: string } {
  // '0' follows '/', with which every prefix ends.
  return { start: after === null ? prefix : `${after}\0`, end: `${prefix.slice(0, -1)}0` };
}

export class Environment {
  readonly file: string;
  readonly readOnly: boolean;
  readonly #db: RootDatabase<Buffer, string>;
  readonly #watched: RecordsFile;
  /** How paths are stored, and how often that changed. */
  paths: PathMap = noRoots;
  moves = 0;

  private constructor(readOnly: boolean, db: RootDatabase<Buffer, string>, watched: RecordsFile) {
    this.file = watched.file;
    this.readOnly = readOnly;
    this.#db = db;
    this.#watched = watched;
  }

  static exists(file: string): boolean {
    return existsSync(file) && statSync(file).size > 0;
  }

  /**
   * Opens the file, or makes it when there is none and `access` is `write`. A folder that cannot be written
   * is opened for reading. Throws STORE_DAMAGED, STORE_FULL, STORE_READ_ONLY or STORE_UNAVAILABLE naming the
   * file.
   */
  static open(file: string, access: AccessMode): Environment {
    try {
      if (access === 'write') makeFolder(dirname(file));
      const readOnly = !writable(file);
      if (readOnly && access === 'write') {
        throw storeErrors.STORE_READ_ONLY(`${dirname(file)} cannot be written`, { file });
      }
      const { opened, watched } = RecordsFile.around(
        file,
        () => openChecked(file, readOnly),
        (db) => void db.close(),
      );
      return new Environment(readOnly, opened, watched);
    } catch (error) {
      throw storeFault(error, file, access);
    }
  }

  /** Which file this is, whatever its name. */
  get identity(): string {
    return this.#watched.identity;
  }

  /**
   * To be called before anything is read: what LMDB maps may have been removed, replaced or cut since. Throws
   * STORE_REPLACED, STORE_DAMAGED, STORE_UNAVAILABLE.
   */
  requireSame(): void {
    this.#watched.requireSame();
  }

  /** *Copied*. */
  get(key: string): Uint8Array | undefined {
    return this.#read(() => this.#db.getBinary(key));
  }

  has(key: string): boolean {
    return this.#read(() => this.#db.doesExist(key));
  }

  /** Every value whose key begins with `prefix`, in the order of keys. *Copied*. */
  entries(prefix: string): Iterable<Entry> {
    return this.#entries(under(prefix));
  }

  /** Everything there is. *Copied*. */
  all(): Iterable<Entry> {
    return this.#entries({});
  }

  *#entries(range: Range): Iterable<Entry> {
    try {
      for (const { key, value } of this.#db.getRange(range)) yield { key, value: Uint8Array.from(value) };
    } catch (error) {
      throw storeFault(error, this.file, 'read');
    }
  }

  /** Every key that begins with `prefix`, ascending. */
  keys(prefix: string): string[] {
    return this.#read(() => [...this.#db.getKeys(under(prefix))]);
  }

  /** Up to `limit` of them, from the one behind `after` on; null for the first. */
  someKeys(prefix: string, after: string | null, limit: number): string[] {
    return this.#read(() => [...this.#db.getKeys({ ...under(prefix, after), limit })]);
  }

  /** Up to `limit` values from the key behind `after` on; null for the first. *Copied*. */
  someEntries(prefix: string, after: string | null, limit: number): Entry[] {
    return [...this.#entries({ ...under(prefix, after), limit })];
  }

  /** The last key that begins with `prefix`; null when there is none. */
  lastKey(prefix: string): string | null {
    const { start, end } = under(prefix);
    const range = { start: end, end: start, reverse: true, limit: 1 };
    return this.#read(() => [...this.#db.getKeys(range)][0] ?? null);
  }

  /** How many keys begin with `prefix`, without reading values. */
  count(prefix: string): number {
    return this.#read(() => this.#db.getKeysCount(under(prefix)));
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw storeFault(error, this.file, 'read');
    }
  }

  /** Sees what other processes committed since the last read. */
  refresh(): void {
    this.#db.resetReadTxn();
  }

  /**
   * One transaction. *Flushed* when this returns, in the file of that name; when `action` throws, nothing of
   * it stays. STORE_REPLACED and STORE_DAMAGED as `requireSame`.
   */
  transact<T>(action: (writes: Transaction) => T): T {
    if (this.readOnly)
      throw storeErrors.STORE_READ_ONLY(`${this.file} cannot be written`, { file: this.file });
    this.requireSame();
    let bytes = 0;
    const writes: Transaction = {
      get: (key) => this.#db.getBinary(key),
      put: (key, value) => {
        bytes += value.byteLength;
        requireRoom(this.file, bytes);
        void this.#db.put(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      },
      remove: (key) => void this.#db.remove(key),
    };
    let failure: unknown;
    try {
      requireRoom(this.file, 0);
      const done = this.#db.transactionSync(() => {
        try {
          return { value: action(writes) };
        } catch (error) {
          failure = error;
          return ABORT;
        }
      });
      if (failure !== undefined) throw failure;
      this.requireSame();
      return (done as { value: T }).value;
    } catch (error) {
      throw storeFault(error, this.file, 'write');
    }
  }

  /**
   * Runs `work`, whose transactions only take records away, `bytes` of pages at most. Where the disk is full
   * they use the room that was set aside for them.
   */
  freeing<T>(bytes: number, work: () => T): T {
    try {
      requireRoom(this.file, bytes);
      return work();
    } catch (error) {
      if (!storeErrors.STORE_FULL.is(error)) throw storeFault(error, this.file, 'write');
    }
    useRoomSetAside(this.file);
    try {
      requireRoom(this.file, bytes);
      return work();
    } finally {
      setRestAside(this.file);
    }
  }

  /** A copy of all records as they are now, in a new file. */
  async copyTo(file: string): Promise<void> {
    try {
      await this.#db.backup(file, true);
    } catch (error) {
      throw storeFault(error, file, 'write');
    }
  }

  async close(): Promise<void> {
    await this.#db.close();
  }
}

// The records file while LMDB has it mapped: whether it is still the file of that name, whole, and one that
// only LMDB wrote. What is read behind the end of a mapped file ends the process, so this is asked before the
// map is touched.

class RecordsFile {
  readonly file: string;
  readonly #lock: string | null;
  #seen: OpenFileMark;
  #transaction: bigint;

  private constructor(file: string, mark: OpenFileMark, lock: string | null) {
    this.file = file;
    this.#seen = mark;
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

  /** Identity of this file, unique while it is open. */
  get identity(): string {
    return this.#seen.identity;
  }

  /**
   * Throws STORE_REPLACED when the file was removed or another one has its name, also one that was copied
   * over it, STORE_DAMAGED when it was cut, STORE_UNAVAILABLE when the file system does not say.
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

  #look(): OpenFileMark | null {
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
