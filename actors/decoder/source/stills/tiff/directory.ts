// The first image of a TIFF or BigTIFF file as its tags describe it (TIFF 6.0, Adobe technical notes,
// BigTIFF).
import { type ByteSource, OutsideFile } from '../../file.ts';

/** SampleFormat; `int`: two's complement. */
export type SampleFormat = 'uint' | 'int' | 'float' | 'other';

export interface TiffImage {
  readonly little: boolean;
  readonly width: number;
  readonly height: number;
  /** Samples of one pixel. */
  readonly samples: number;
  /** Bits of one sample; null when samples differ. */
  readonly bits: number | null;
  readonly format: SampleFormat;
  readonly compression: number;
  readonly photometric: number;
  /** Each sample is stored as a picture of its own. */
  readonly planar: boolean;
  readonly predictor: number;
  /** The last samples of a pixel: 0 unspecified, 1 opacity multiplied into the colours, 2 opacity. */
  readonly extra: readonly number[];
  /** The pieces: tiles, or strips as wide as the picture. */
  readonly tiled: boolean;
  readonly pieceWidth: number;
  readonly pieceHeight: number;
  readonly offsets: readonly number[];
  readonly counts: readonly number[];
  /** The low bit of a byte comes first. */
  readonly lowBitFirst: boolean;
  /** All reds, then all greens, then all blues, of 16 bits each. */
  readonly palette: readonly number[];
  readonly orientation: number;
  /** Chroma subsampling of YCbCr, across and down. */
  readonly subsampling: readonly [number, number];
  /** JPEGInterchangeFormat: offset and length of a whole JPEG file, in old-style JPEG compression. */
  readonly jpeg: { readonly offset: number; readonly length: number } | null;
}

const sizes: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
};
const unsigned = [1, 3, 4, 7, 13, 16, 18];
/** A directory has no more entries; more mean that it is none. */
const mostEntries = 4096;
const mostValues = 2 ** 22;

type Tags = ReadonlyMap<number, readonly number[]>;

/** Throws OutsideFile for tags that lie outside of the file, or whose numbers make no picture. */
export async function readTiff(source: ByteSource): Promise<TiffImage> {
  const head = await source.read(0, 8);
  const little = head[0] === 0x49;
  const big = (little ? head[2] : head[3]) === 43;
  const tags = await readTags(source, little, big, await firstDirectory(source, head, little, big));
  const one = (tag: number, otherwise: number) => tags.get(tag)?.[0] ?? otherwise;
  const many = (tag: number) => tags.get(tag) ?? [];
  const width = one(256, 0);
  const height = one(257, 0);
  const photometric = one(262, -1);
  const samples = one(277, photometric === 2 || photometric === 6 || photometric === 8 ? 3 : 1);
  const bits = tags.get(258) ?? [1];
  const tiled = tags.has(322);
  if (!(width > 0 && height > 0 && samples > 0)) throw new OutsideFile();
  const offset = tags.get(513)?.[0];
  return {
    little,
    width,
    height,
    samples,
    bits: bits.every((one) => one === bits[0]) ? bits[0]! : null,
    format: (['uint', 'uint', 'int', 'float', 'uint'] as const)[one(339, 1)] ?? 'other',
    compression: one(259, 1),
    photometric,
    planar: one(284, 1) === 2 && samples > 1,
    predictor: one(317, 1),
    extra: many(338),
    tiled,
    pieceWidth: tiled ? one(322, 0) : width,
    pieceHeight: tiled ? one(323, 0) : Math.min(height, one(278, height) || height),
    offsets: many(tiled ? 324 : 273),
    counts: many(tiled ? 325 : 279),
    lowBitFirst: one(266, 1) === 2,
    palette: many(320),
    orientation: one(274, 1),
    subsampling: [one(530, 2), tags.get(530)?.[1] ?? 2],
    jpeg: offset === undefined ? null : { offset, length: one(514, source.size - offset) },
  };
}

async function firstDirectory(
  source: ByteSource,
  head: Buffer,
  little: boolean,
  big: boolean,
): Promise<number> {
  if (!big) return little ? head.readUInt32LE(4) : head.readUInt32BE(4);
  const bytes = await source.read(8, 8);
  return Number(little ? bytes.readBigUInt64LE() : bytes.readBigUInt64BE());
}

async function readTags(source: ByteSource, little: boolean, big: boolean, start: number): Promise<Tags> {
  const reader = numbers(little);
  const [countLength, entryLength, inline] = big ? [8, 20, 8] : [2, 12, 4];
  const count = reader(await source.read(start, countLength), 0, countLength);
  if (count > mostEntries) throw new OutsideFile();
  const entries = await source.read(start + countLength, count * entryLength);
  const tags = new Map<number, readonly number[]>();
  for (let at = 0; at < entries.length; at += entryLength) {
    const tag = reader(entries, at, 2);
    const type = reader(entries, at + 2, 2);
    const items = reader(entries, at + 4, inline);
    const size = sizes[type] ?? 0;
    // Only whole numbers matter here; the first of a tag counts.
    if (!unsigned.includes(type) || items === 0 || items > mostValues || tags.has(tag)) continue;
    const from = at + 4 + inline;
    const values =
      size * items <= inline
        ? entries.subarray(from)
        : await outside(source, reader(entries, from, inline), size * items);
    if (values)
      tags.set(
        tag,
        Array.from({ length: items }, (_, i) => reader(values, i * size, size)),
      );
  }
  return tags;
}

/** Values that are not in the file are left out; what needs them says so. */
async function outside(source: ByteSource, offset: number, length: number): Promise<Buffer | null> {
  return offset + length <= source.size ? source.read(offset, length) : null;
}

function numbers(little: boolean): (bytes: Buffer, at: number, length: number) => number {
  return (bytes, at, length) => {
    if (length === 1) return bytes[at]!;
    if (length === 8) return Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
    return little ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
  };
}
