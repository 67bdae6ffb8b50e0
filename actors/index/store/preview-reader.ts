// Reading the previews of one media file: its table is checked once and kept, a picture is checked each time.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { storeErrors } from './contract.ts';
import { damaged, storeFault } from './faults.ts';
import { previewFolder } from './names.ts';
import {
  entryBytes,
  headerBytes,
  headMagic,
  type Picture,
  tailMagic,
  trailerBytes,
  version,
} from './preview-writer.ts';
import type { Previews } from './records.ts';

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
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** The entries as they lie in the file. Throws STORE_DAMAGED, STORE_TOO_NEW. */
  of(fd: number, file: string): Buffer {
    const { size, mtimeMs, ino } = fstatSync(fd);
    const mark = `${size}/${mtimeMs}/${ino}`;
    const known = this.#kept.get(file);
    if (known) this.#drop(file, known);
    const table = known?.mark === mark ? known.table : readTable(fd, file, size);
    this.#kept.set(file, { mark, table });
    this.#bytes += table.length;
    for (const [oldest, one] of this.#kept) {
      if (this.#bytes <= mostKept) break;
      this.#drop(oldest, one);
    }
    return table;
  }

  #drop(file: string, { table }: Kept): void {
    this.#kept.delete(file);
    this.#bytes -= table.length;
  }
}

/** The entries as they lie in the file, checked: a search takes one or two of thousands. */
function readTable(fd: number, file: string, size: number): Buffer {
  const read = (position: number, length: number) => {
    const bytes = Buffer.allocUnsafe(Math.max(length, 0));
    const got = position < 0 ? -1 : readSync(fd, bytes, 0, length, position);
    if (got < length) throw damaged(file, 'it is cut off');
    return bytes;
  };
  const head = read(0, headerBytes);
  if (head.toString('latin1', 0, 4) !== headMagic) throw damaged(file, 'its header is broken');
  if (head.readUInt32LE(4) > version) throw storeErrors.STORE_TOO_NEW(`${file} has a newer format`, { file });
  const trailer = read(size - trailerBytes, trailerBytes);
  const bytes = trailer.readUInt32LE(0) * entryBytes;
  if (trailer.toString('latin1', 8, 12) !== tailMagic || bytes > size) {
    throw damaged(file, 'the table at its end is missing');
  }
  const table = read(size - trailerBytes - bytes, bytes);
  if (crc32(table) !== trailer.readUInt32LE(4)) throw damaged(file, 'the table at its end is broken');
  return table;
}

/** By halving: frames are added in ascending order. */
function find(table: Buffer, frame: number): Picture | null {
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
  folder: string,
  record: Previews,
  frames: readonly number[],
  tables: PreviewTables,
): (Uint8Array<ArrayBuffer> | null)[] {
  if (record.count === 0) return frames.map(() => null);
  if (record.file === '') {
    return frames.map((frame) => (frame === record.frame ? Uint8Array.from(record.jpeg) : null));
  }
  const file = join(previewFolder(folder, record.hash_str), record.file);
  let fd: number | null = null;
  try {
    fd = openSync(file, 'r');
    const table = tables.of(fd, file);
    return frames.map((frame) => {
      const picture = find(table, frame);
      if (picture === null) return null;
      const jpeg = new Uint8Array(picture.size);
      const got = readSync(fd as number, jpeg, 0, picture.size, picture.offset);
      if (got < picture.size || crc32(jpeg) !== picture.crc) throw damaged(file, `frame ${frame} is broken`);
      return jpeg;
    });
  } catch (error) {
    throw storeFault(error, file, 'read');
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
