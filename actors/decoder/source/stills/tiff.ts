// TIFF: libvips reads the usual kinds. Others it fills with black, or shows in a wrong range without an
// error, so the tags are read here first and those kinds are refused by name.
import { ByteSource, OutsideFile } from '../file.ts';
import { damaged, expectSize, type Still, unsupported } from './still.ts';
import { openVips } from './vips.ts';

const format = 'TIFF';

/** The first image of a TIFF or BigTIFF file, as far as it says which kind it is. */
interface TiffImage {
  readonly width: number;
  readonly height: number;
  /** Samples of one pixel. */
  readonly samples: number;
  /** Bits of each sample. */
  readonly bits: readonly number[];
  readonly numbers: 'unsigned' | 'signed' | 'floating-point' | 'unknown';
  readonly compression: number;
  readonly photometric: number;
  /** Each sample is stored as a picture of its own. */
  readonly planar: boolean;
  /** The last samples of a pixel: 0 unspecified, 1 opacity multiplied into the colours, 2 opacity. */
  readonly extra: readonly number[];
  /** Null for strips. */
  readonly tile: { readonly width: number; readonly height: number } | null;
}

const compressionNames: Readonly<Record<number, string>> = {
  6: 'old-style JPEG compression',
  34712: 'JPEG 2000 compression',
  34887: 'LERC compression',
  34892: 'lossy JPEG compression of raw pictures',
  34925: 'LZMA compression',
  50000: 'ZSTD compression',
  50002: 'JPEG XL compression',
};
/** Huffman and fax codes, LZW, JPEG, deflate, NeXT, PackBits, ThunderScan, SGI LogLuv, WebP. */
const vipsCompressions = [1, 2, 3, 4, 5, 7, 8, 32766, 32771, 32773, 32809, 32946, 34676, 34677, 50001];
const jpeg = 7;
const [ycbcr, logLuv] = [6, 32845];
/** Samples that make the colour, by photometric interpretation: grey, RGB, palette, CMYK. */
const colourSamples: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 3, 3: 1, 5: 4 };

/** Errors: FILE_UNREADABLE, DECODE_FAILED, UNSUPPORTED_CODEC, TOO_LARGE. */
export async function openTiff(path: string): Promise<Still> {
  const image = await ByteSource.of(path, readTiff).catch((error: unknown) => {
    if (error instanceof OutsideFile) throw damaged(path, format, 'header cannot be read', error);
    throw error;
  });
  expectSize(path, format, image);
  const unread = unreadKind(image);
  if (unread !== null) throw unsupported(path, format, unread);
  const { tile, extra } = image;
  return openVips(path, { container: 'tiff', format, failOn: 'error', tile, opaque: extra.includes(0) });
}

/** The reason why libvips refuses the picture or shows it wrongly; null if it reads the picture right. */
function unreadKind(image: TiffImage): string | null {
  const { bits, samples, compression, numbers, planar, extra, tile, photometric } = image;
  if (!vipsCompressions.includes(compression))
    return compressionNames[compression] ?? `compression ${compression}`;
  if (photometric === logLuv) return null;
  if (photometric === ycbcr) return compression === jpeg ? null : 'YCbCr samples and no JPEG compression';
  const colours = colourSamples[photometric];
  if (colours === undefined) return `photometric interpretation ${photometric}`;
  if (numbers !== 'unsigned') return `${numbers} samples`;
  const depth = bits[0]!;
  if (![1, 2, 4, 8, 16].includes(depth) || bits.some((bitDepth) => bitDepth !== depth))
    return `samples of ${[...new Set(bits)].join(' and ')} bits`;
  if (depth < 8 && samples > 1) return `${samples} samples of ${depth} bits`;
  // Without a word about it, one further sample is opacity, as in files of old writers.
  if (samples > colours + 1 || extra.length > 1) return `${samples} samples a pixel`;
  return planar && tile ? 'tiles of single colours' : null;
}

const sizes: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 13: 4, 16: 8 };
/** A directory has no more entries; more mean that it is none. */
const mostEntries = 4096;
/** Values of a tag that are read; no tag that matters here has more. */
const mostValues = 64;

/** Throws OutsideFile for tags that lie outside of the file, or whose numbers make no picture. */
async function readTiff(source: ByteSource): Promise<TiffImage> {
  const tags = await readTags(source);
  const first = (tag: number, otherwise: number) => tags.get(tag)?.[0] ?? otherwise;
  const photometric = first(262, -1);
  const [width, height] = [first(256, 0), first(257, 0)];
  const samples = first(277, photometric === 2 || photometric === 6 ? 3 : 1);
  if (!(width > 0 && height > 0 && samples > 0)) throw new OutsideFile();
  return {
    width,
    height,
    samples,
    bits: tags.get(258) ?? [1],
    numbers:
      (['unsigned', 'unsigned', 'signed', 'floating-point', 'unsigned'] as const)[first(339, 1)] ?? 'unknown',
    compression: first(259, 1),
    photometric,
    planar: first(284, 1) === 2 && samples > 1,
    extra: tags.get(338) ?? [],
    tile: tags.has(322) ? { width: first(322, 0), height: first(323, 0) } : null,
  };
}

async function readTags(source: ByteSource): Promise<ReadonlyMap<number, readonly number[]>> {
  const head = await source.read(0, 8);
  const little = head[0] === 0x49;
  const number = (bytes: Buffer, at: number, length: number) => {
    if (length === 8) return Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
    return little ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
  };
  const big = number(head, 2, 2) === 43;
  const [countLength, entryLength, inline] = big ? [8, 20, 8] : [2, 12, 4];
  const start = big ? number(await source.read(8, 8), 0, 8) : number(head, 4, 4);
  const count = number(await source.read(start, countLength), 0, countLength);
  if (count > mostEntries) throw new OutsideFile();
  const entries = await source.read(start + countLength, count * entryLength);
  const tags = new Map<number, readonly number[]>();
  for (let at = 0; at < entries.length; at += entryLength) {
    const [tag, type] = [number(entries, at, 2), number(entries, at + 2, 2)];
    const size = sizes[type];
    const items = Math.min(mostValues, number(entries, at + 4, inline));
    // Only whole numbers matter here; the first of a tag counts.
    if (!size || items === 0 || tags.has(tag)) continue;
    const from = at + 4 + inline;
    const isInside = size * number(entries, at + 4, inline) <= inline;
    const place = number(entries, from, inline);
    // Values that are not in the file are left out; what needs them says so.
    if (!isInside && place + size * items > source.size) continue;
    const values = isInside ? entries.subarray(from) : await source.read(place, size * items);
    tags.set(
      tag,
      Array.from({ length: items }, (_, i) => number(values, i * size, size)),
    );
  }
  return tags;
}
