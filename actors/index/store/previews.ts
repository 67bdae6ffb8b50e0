// The previews of one film, written into a bundle and read from it: each JPEG is behind a head that says
// how it is checked, so that an interrupted film finds them again; at the end a table of where each frame's
// lie. A media file with one picture, as every still, has it inside its record: 100,000 stills are not
// 100,000 tiny files.
import { crc32 } from 'node:zlib';
import type { BundleFile, Bundles } from './bundles.ts';
import { damaged } from './faults.ts';
import type { PreviewsRow } from './records.ts';

/** Frame, size, checksum of the JPEG, checksum of these three. */
const headBytes = 16;
/** Frame, size, checksum, unused, where the JPEG begins (64 bits). */
export const entryBytes = 24;
/** Pictures, checksum of the table, magic. */
export const trailerBytes = 12;
export const tailMagic = 0x45504846; // 'FHPE'
/** The largest single picture kept inside a record. */
const inlineLimit = 1 << 20;

export interface StoredPreview {
  readonly frame: number;
  readonly size: number;
  readonly crc: number;
  readonly offset: number;
}

/** Collects the previews of one stage. Owns its file. */
export class PreviewWriter {
  readonly #create: () => BundleFile;
  readonly #pictures: StoredPreview[] = [];
  #first: { frame: number; jpeg: Uint8Array } | null = null;
  #file: BundleFile | null = null;
  #end = 0;

  /** `create`: called when the first picture has to be written. */
  constructor(create: () => BundleFile) {
    this.#create = create;
  }

  get file(): BundleFile | null {
    return this.#file;
  }

  /** The frame of the last picture; -1 before the first. */
  get last(): number {
    return this.#first?.frame ?? this.#pictures.at(-1)?.frame ?? -1;
  }

  /** Goes on with a file that was left, behind its last picture. Called first. */
  takeUp(file: BundleFile): void {
    this.#file = file;
    const size = file.end;
    const head = Buffer.alloc(headBytes);
    while (this.#end + headBytes <= size) {
      file.read(this.#end, head);
      const [frame, bytes] = [head.readUInt32LE(0), head.readUInt32LE(4)];
      const offset = this.#end + headBytes;
      if (crc32(head.subarray(0, 12)) !== head.readUInt32LE(12) || offset + bytes > size) break;
      this.#pictures.push({ frame, size: bytes, crc: head.readUInt32LE(8), offset });
      this.#end = offset + bytes;
    }
  }

  /** Removes resumed pictures behind a frame. */
  cutAfter(frame: number): void {
    while (this.last > frame) this.#pictures.pop();
    const last = this.#pictures.at(-1);
    this.#end = last === undefined ? 0 : last.offset + last.size;
    this.#file?.cut(this.#end);
  }

  /** *Copied* into the file, or kept while it is the only one. */
  add(frame: number, jpeg: Uint8Array): void {
    if (this.#file === null && this.#first === null && jpeg.byteLength <= inlineLimit) {
      this.#first = { frame, jpeg };
      return;
    }
    this.#begin();
    this.#write(frame, jpeg);
  }

  #begin(): void {
    if (this.#file !== null) return;
    this.#file = this.#create();
    if (this.#first !== null) this.#write(this.#first.frame, this.#first.jpeg);
    this.#first = null;
  }

  #write(frame: number, jpeg: Uint8Array): void {
    const head = Buffer.alloc(headBytes);
    const crc = crc32(jpeg);
    for (const [i, field] of [frame, jpeg.byteLength, crc].entries()) head.writeUInt32LE(field, i * 4);
    head.writeUInt32LE(crc32(head.subarray(0, 12)), 12);
    const file = this.#file as BundleFile;
    file.write(this.#end, head);
    file.write(this.#end + headBytes, jpeg);
    this.#pictures.push({ frame, size: jpeg.byteLength, crc, offset: this.#end + headBytes });
    this.#end += headBytes + jpeg.byteLength;
  }

  /** Makes added pictures durable. */
  flush(): void {
    if (this.#first !== null) this.#begin();
    this.#file?.flush();
  }

  /** The record of what was written; what is in a file is *flushed*. `place`: where the file will lie. */
  finish(hash: string, revision: number, place: string): PreviewsRow {
    const record = { hash_str: hash, revision, file: '', size_bytes: 0, count: 0, frame: 0 };
    if (this.#first !== null) {
      const { frame, jpeg } = this.#first;
      return { ...record, size_bytes: jpeg.byteLength, count: 1, frame, jpeg };
    }
    const jpeg = new Uint8Array(0);
    if (this.#file === null) return { ...record, jpeg };
    const table = tableOf(this.#pictures);
    this.#file.write(this.#end, table);
    this.#file.flush();
    const size_bytes = this.#end + table.byteLength;
    return { ...record, file: place, size_bytes, count: this.#pictures.length, jpeg };
  }

  close(): void {
    this.#file?.close();
  }
}

function tableOf(pictures: readonly StoredPreview[]): Buffer {
  const bytes = Buffer.alloc(pictures.length * entryBytes + trailerBytes);
  pictures.forEach((picture, i) => {
    bytes.writeUInt32LE(picture.frame, i * entryBytes);
    bytes.writeUInt32LE(picture.size, i * entryBytes + 4);
    bytes.writeUInt32LE(picture.crc, i * entryBytes + 8);
    bytes.writeBigUInt64LE(BigInt(picture.offset), i * entryBytes + 16);
  });
  const end = pictures.length * entryBytes;
  bytes.writeUInt32LE(pictures.length, end);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end + 4);
  bytes.writeUInt32LE(tailMagic, end + 8);
  return bytes;
}

// Reading the previews of one media file: its table is checked once and kept, a picture is checked each time.

/** Tables kept, bytes: those of some 700 hours of film. */
const mostKept = 64 << 20;

interface Kept {
  /** Changes when the file does. */
  readonly mark: string;
  readonly table: Buffer;
}

/**
 * The tables that were read last, of one analysis folder. Reading and checking one costs more than a picture.
 */
export class PreviewTables {
  readonly #tables = new Map<string, Kept>();
  #bytes = 0;

  /** The entries as they lie in the file. Throws STORE_DAMAGED. */
  of(opened: BundleFile): Buffer {
    const { file, mark } = opened;
    const cachedEntry = this.#tables.get(file);
    if (cachedEntry) this.#drop(file, cachedEntry);
    const table = cachedEntry?.mark === mark ? cachedEntry.table : readTable(opened);
    this.#tables.set(file, { mark, table });
    this.#bytes += table.length;
    for (const [oldest, entry] of this.#tables) {
      if (this.#bytes <= mostKept) break;
      this.#drop(oldest, entry);
    }
    return table;
  }

  #drop(file: string, { table }: Kept): void {
    this.#tables.delete(file);
    this.#bytes -= table.length;
  }
}

/** The entries as they lie in the file, checked: a search takes one or two of thousands. */
function readTable(opened: BundleFile): Buffer {
  const { file, end } = opened;
  const read = (at: number, length: number) => {
    const bytes = Buffer.allocUnsafe(Math.max(length, 0));
    if (at < 0) throw damaged(file, 'it is cut off');
    opened.read(at, bytes);
    return bytes;
  };
  const trailer = read(end - trailerBytes, trailerBytes);
  const bytes = trailer.readUInt32LE(0) * entryBytes;
  if (trailer.readUInt32LE(8) !== tailMagic || bytes > end) {
    throw damaged(file, 'the table at its end is missing');
  }
  const table = read(end - trailerBytes - bytes, bytes);
  if (crc32(table) !== trailer.readUInt32LE(4)) throw damaged(file, 'the table at its end is broken');
  return table;
}

/** Binary search: frames are added in ascending order. */
function find(table: Buffer, frame: number): StoredPreview | null {
  let low = 0;
  let high = table.length / entryBytes;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (table.readUInt32LE(middle * entryBytes) < frame) low = middle + 1;
    else high = middle;
  }
  const at = low * entryBytes;
  if (at === table.length || table.readUInt32LE(at) !== frame) return null;
  const size = table.readUInt32LE(at + 4);
  return { frame, size, crc: table.readUInt32LE(at + 8), offset: Number(table.readBigUInt64LE(at + 16)) };
}

/** The JPEG of each frame, null where there is none. *Copied*. Throws STORE_DAMAGED naming the file. */
export function readPreviews(
  bundles: Bundles,
  record: PreviewsRow,
  frames: readonly number[],
  tables: PreviewTables,
): (Uint8Array<ArrayBuffer> | null)[] {
  if (record.count === 0) return frames.map(() => null);
  if (record.file === '') {
    return frames.map((frame) => (frame === record.frame ? Uint8Array.from(record.jpeg) : null));
  }
  const opened = bundles.openAt(record.file, -record.size_bytes);
  try {
    const table = tables.of(opened);
    return frames.map((frame) => {
      const picture = find(table, frame);
      if (picture === null) return null;
      const jpeg = new Uint8Array(picture.size);
      opened.read(picture.offset, jpeg);
      if (crc32(jpeg) !== picture.crc) throw damaged(opened.file, `frame ${frame} is broken`);
      return jpeg;
    });
  } finally {
    opened.close();
  }
}
