// Reading the previews of one media file: its table is checked once and kept, a picture is checked each time.
import { crc32 } from 'node:zlib';
import type { BundleFile } from './bundle-file.ts';
import type { Bundles } from './bundles.ts';
import { damaged } from './faults.ts';
import { entryBytes, type Picture, tailMagic, trailerBytes } from './preview-writer.ts';
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

  /** The entries as they lie in the file. Throws STORE_DAMAGED. */
  of(opened: BundleFile): Buffer {
    const { file, mark } = opened;
    const known = this.#kept.get(file);
    if (known) this.#drop(file, known);
    const table = known?.mark === mark ? known.table : readTable(opened);
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
  bundles: Bundles,
  record: Previews,
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
