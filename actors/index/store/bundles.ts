// The bundles of an analysis folder. They are written in `open/` and move to their place when a record names
// them. The records alone say which count: one that is named is also found where it was written, and one that
// nobody names is removed, by a key that the same transaction left.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { renameSync, rmSync } from '../../../runtime/files/names.ts';
import { type SpanKey, storeErrors } from './contract.ts';
import { disk, flush, flushFolder, isSameFile, type StoreDisk, writeAll } from './disk.ts';
import type { Environment, Transaction } from './environment.ts';
import { damaged, isMissing, readable, storeFault } from './faults.ts';
import { goneKey, gonePrefix, openFolder } from './names.ts';

// The file of a bundle: what one piece of work found in one medium. It begins with what it is of; where the
// rest lies is said by the kind of bundle. It is appended to in `open/` while the work goes on, so it is also
// what the work goes on from after an interruption. Once a record names it, it does not change any more.

const magic = 0x4e424846; // 'FHBN'
const version = 1;
/** Magic, version, length of the text, checksum of all of them and the text. */
const headBytes = 16;
/** The rest begins at a multiple of it. */
const alignment = 64;
const longestText = 1 << 20;
/** Read at once. */
const usualHead = 1024;

export interface About {
  readonly hash_str: string;
  readonly model_key: string;
  /** Length of its vectors; 0 where it has none. */
  readonly dimensions: number;
  /** Key of the work that continues with it after an interruption; null if the work begins anew. */
  readonly span: Omit<SpanKey, 'task_only'> | null;
}

export class BundleFile {
  readonly file: string;
  readonly #text: Buffer;
  readonly #start: number;
  readonly #fd: number;
  readonly #on: StoreDisk;
  #isOpen = true;

  private constructor(file: string, text: Buffer, start: number, fd: number, on: StoreDisk) {
    this.file = file;
    this.#text = text;
    this.#start = start;
    this.#fd = fd;
    this.#on = on;
  }

  /** With its folder. One that is there is replaced. */
  static create(file: string, about: About, on: StoreDisk = disk): BundleFile {
    const text = Buffer.from(JSON.stringify(about));
    const head = headOf(text);
    let fd: number;
    try {
      makeFolder(dirname(file));
      fd = openSync(file, 'w+');
    } catch (error) {
      throw storeFault(error, file, 'write');
    }
    const bundle = new BundleFile(file, text, head.byteLength, fd, on);
    try {
      writeAll(on, fd, file, head, 0);
    } catch (error) {
      bundle.close();
      throw error;
    }
    return bundle;
  }

  /**
   * To read from byte `start` on, for who knows what is there and how it is checked: the head is not looked
   * at. A negative `start` counts from the end. Throws STORE_DAMAGED naming the file, also when it is
   * missing.
   */
  static openAt(file: string, start: number): BundleFile {
    let fd: number | null = null;
    try {
      fd = openSync(file, 'r');
      const at = start < 0 ? fstatSync(fd).size + start : start;
      return new BundleFile(file, Buffer.alloc(0), at, fd, disk);
    } catch (error) {
      if (fd !== null) closeSync(fd);
      throw storeFault(error, file, 'read');
    }
  }

  /** Throws STORE_DAMAGED naming the file, also when it is missing, and STORE_TOO_NEW. */
  static open(file: string, access: 'r' | 'r+' = 'r', on: StoreDisk = disk): BundleFile {
    let fd: number;
    try {
      fd = openSync(file, access);
    } catch (error) {
      throw storeFault(error, file, isMissing(error) || access === 'r' ? 'read' : 'write');
    }
    try {
      const { text, start } = readHead(fd, file);
      return new BundleFile(file, text, start, fd, on);
    } catch (error) {
      closeSync(fd);
      throw storeFault(error, file, 'read');
    }
  }

  get about(): About {
    // Written by this program under a checksum, so the text is one of these.
    return JSON.parse(this.#text.toString()) as About;
  }

  /** True while the file of that name is the one that is open: not replaced, not removed. */
  get isCurrent(): boolean {
    return isSameFile(this.#fd, this.file);
  }

  /** Bytes in all. */
  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /** Bytes behind the head. */
  get end(): number {
    return this.size - this.#start;
  }

  /** Changes when the file does. */
  get mark(): string {
    const { size, mtimeMs, ino } = fstatSync(this.#fd);
    return `${size}/${mtimeMs}/${ino}`;
  }

  /** Fills `into` from byte `at` behind the head. Throws STORE_DAMAGED when the file ends before. */
  read(at: number, into: Uint8Array): void {
    try {
      if (this.#start < 0) throw damaged(this.file, 'it is cut off');
      readWhole(this.#fd, this.file, this.#start + at, into);
    } catch (error) {
      throw storeFault(error, this.file, 'read');
    }
  }

  /** *Accepted*: not flushed. */
  write(at: number, bytes: Uint8Array): void {
    writeAll(this.#on, this.#fd, this.file, bytes, this.#start + at);
  }

  flush(): void {
    flush(this.#on, this.#fd, this.file);
  }

  /** Removes what lies behind byte `end`. */
  cut(end: number): void {
    try {
      if (this.end > end) ftruncateSync(this.#fd, this.#start + end);
    } catch (error) {
      throw storeFault(error, this.file, 'write');
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}

function headOf(text: Buffer): Buffer {
  const bytes = Buffer.alloc(Math.ceil((headBytes + text.byteLength) / alignment) * alignment);
  for (const [i, field] of [magic, version, text.byteLength].entries()) bytes.writeUInt32LE(field, i * 4);
  bytes.set(text, headBytes);
  bytes.writeUInt32LE(crc32(text, crc32(bytes.subarray(0, 12))), 12);
  return bytes;
}

function readHead(fd: number, file: string): { text: Buffer; start: number } {
  const bytes = Buffer.allocUnsafe(usualHead);
  const got = readSync(fd, bytes, 0, usualHead, 0);
  const length = got < headBytes ? longestText : bytes.readUInt32LE(8);
  if (bytes.readUInt32LE(0) !== magic || length >= longestText) throw damaged(file, 'its header is broken');
  if (bytes.readUInt32LE(4) > version) {
    throw storeErrors.STORE_TOO_NEW(
      `${file} has format ${bytes.readUInt32LE(4)}, but this program supports ${version}`,
      { file },
    );
  }
  let text = bytes.subarray(headBytes, Math.min(got, headBytes + length));
  if (text.byteLength < length) {
    text = Buffer.alloc(length);
    readWhole(fd, file, headBytes, text);
  }
  if (crc32(text, crc32(bytes.subarray(0, 12))) !== bytes.readUInt32LE(12)) {
    throw damaged(file, 'its header is broken');
  }
  return { text, start: Math.ceil((headBytes + length) / alignment) * alignment };
}

function readWhole(fd: number, file: string, position: number, into: Uint8Array): void {
  for (let done = 0; done < into.byteLength; ) {
    const got = readSync(fd, into, done, into.byteLength - done, position + done);
    if (got === 0) throw damaged(file, `it ends at byte ${position + done}`);
    done += got;
  }
}

/** Reads the subject of a bundle, whole or not. */
export function aboutOf(file: string): About | null {
  if (!existsSync(file)) return null;
  try {
    const opened = BundleFile.open(file);
    opened.close();
    return opened.about;
  } catch {
    return null; // Of a file that was cut off, or is no bundle, nothing can be told.
  }
}

export class Bundles {
  readonly #folder: string;
  readonly #on: StoreDisk;
  /** Keys of bundles that were removed. */
  #removed: string[] = [];

  constructor(folder: string, on: StoreDisk = disk) {
    this.#folder = folder;
    this.#on = on;
  }

  /** A new one, in `open/`. `name`: the last part of its place. */
  create(name: string, about: About): BundleFile {
    return BundleFile.create(join(openFolder(this.#folder), name), about, this.#on);
  }

  /** To go on with one that was being written; null when it is not there, or cannot be read. */
  takeUp(name: string): BundleFile | null {
    const file = join(openFolder(this.#folder), name);
    return readable(() => BundleFile.open(file, 'r+', this.#on));
  }

  /** Names in `open/` are *flushed*. */
  flushNames(): void {
    flushFolder(openFolder(this.#folder));
  }

  /** For reading; the caller closes it. Throws STORE_DAMAGED naming the file. `place`: within the folder. */
  open(place: string): BundleFile {
    return this.#openBy(place, (file) => BundleFile.open(file));
  }

  /** The same from byte `start` on; see `BundleFile.openAt`. */
  openAt(place: string, start: number): BundleFile {
    return this.#openBy(place, (file) => BundleFile.openAt(file, start));
  }

  #openBy(place: string, open: (file: string) => BundleFile): BundleFile {
    const file = join(this.#folder, place);
    for (const candidate of [file, this.#opened(place)]) {
      try {
        return open(candidate);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    // It moved in between.
    return open(file);
  }

  /** Size of the file; 0 when it is missing. */
  bytes(place: string): number {
    const file = join(this.#folder, place);
    try {
      for (const candidate of [file, this.#opened(place), file]) {
        const size = statSync(candidate, { throwIfNoEntry: false })?.size;
        if (size !== undefined) return size;
      }
      return 0;
    } catch (error) {
      throw storeFault(error, file, 'read');
    }
  }

  #opened(place: string): string {
    return join(openFolder(this.#folder), basename(place));
  }

  /** A record names it: moves it to its place. One that cannot be moved is found all the same. */
  settle(place: string): void {
    const file = join(this.#folder, place);
    try {
      makeFolder(dirname(file));
      renameSync(this.#opened(place), file);
    } catch {
      // The next writer tries again.
    }
  }

  /** Where bundles of a content lie, whether records name them or not. */
  placesOf(hash: string): string[] {
    const models = entriesOf(join(this.#folder, 'vectors')).map((model) => `vectors/${model}`);
    return ['previews', ...models].flatMap((kind) => {
      const within = `${kind}/${`${hash}.`.slice(0, 2)}`;
      const names = entriesOf(join(this.#folder, within)).filter((name) => name.startsWith(`${hash}.`));
      return names.map((name) => `${within}/${name}`);
    });
  }

  /** Within the transaction after which no record names them. */
  gone(writes: Transaction, places: readonly string[]): void {
    for (const place of places) if (place !== '') writes.put(goneKey(place), new Uint8Array(1));
  }

  /** Removes those that no record names any more, also what a crash left of them. */
  removeGone(environment: Environment): void {
    environment.refresh();
    for (const key of environment.keys(gonePrefix)) {
      const place = key.slice(gonePrefix.length);
      try {
        for (const file of [join(this.#folder, place), this.#opened(place)]) rmSync(file, { force: true });
        this.#removed.push(key);
      } catch {
        // Open in another process on a system that keeps such names: the next writer tries again.
      }
    }
  }

  /** Within the next transaction of the writer. */
  forgetGone(writes: Transaction): void {
    for (const key of this.#removed) writes.remove(key);
    this.#removed = [];
  }

  /**
   * Moves what records name to its place, and removes what no work goes on with. Only the new holder of the
   * lease calls it. `placeOf`: where a bundle of `open/` is said to lie; null where no record names it.
   */
  tidyOpen(placeOf: (name: string, about: About) => string | null): void {
    const within = openFolder(this.#folder);
    try {
      for (const name of entriesOf(within)) {
        const about = aboutOf(join(within, name));
        const place = about && placeOf(name, about);
        if (place) this.settle(place);
        else if (about === null || about.span === null) rmSync(join(within, name), { force: true });
      }
    } catch (error) {
      throw storeFault(error, within, 'write');
    }
  }
}

/** Names in a folder; none where there is no such folder. */
function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
