// The wanted samples of a TIFF picture, 8 bits each: pieces read, expanded, put in their places and brought
// to one range.
import * as zlib from 'node:zlib';
import { Codec, CodecContext, Frame, Packet } from '../../../ffmpeg.ts';
import type { ByteSource } from '../../file.ts';
import { tiffFile } from '../still.ts';
import type { TiffImage } from './directory.ts';

// The bytes of one strip or tile without their compression.

const [lzw, deflate, oldDeflate, packBits, lzma, zstd] = [5, 8, 32946, 32773, 34925, 50000];
/** Missing in older versions of Node. */
const zstdDecompress = zlib.zstdDecompressSync as typeof zlib.zstdDecompressSync | undefined;

/** Compressions that are undone here. */
export const ownCompressions: readonly number[] = [
  1,
  lzw,
  deflate,
  oldDeflate,
  packBits,
  lzma,
  ...(zstdDecompress ? [zstd] : []),
];

const byFfmpeg: readonly number[] = [lzw, packBits, lzma];

/** A piece as it is stored and without its compression, and what FFmpeg has of both, in sizes of it. */
export const copiesOf = (compression: number): number => (byFfmpeg.includes(compression) ? 5 : 2);

/** The others have no predictor, whatever the tag says. */
export const hasPredictor = (compression: number): boolean =>
  [lzw, deflate, oldDeflate, lzma, zstd].includes(compression);

/** `rows` rows of `stride` bytes, or more; null when the piece has fewer or is damaged. */
export function expandPiece(bytes: Buffer, compression: number, stride: number, rows: number): Buffer | null {
  const length = stride * rows;
  const whole = byFfmpeg.includes(compression)
    ? expandByFfmpeg(bytes, compression, stride, rows)
    : expand(bytes, compression, length);
  return whole && whole.length >= length ? whole : null;
}

function expand(bytes: Buffer, compression: number, length: number): Buffer | null {
  if (compression === 1) return bytes;
  const options = { maxOutputLength: length + 65_536 };
  try {
    return compression === zstd ? zstdDecompress!(bytes, options) : zlib.inflateSync(bytes, options);
  } catch {
    return null;
  }
}

// FFmpeg's TIFF decoder is handed a piece as a grey picture of its bytes in a file of its own, since the
// decoder leaves black what it cannot read and, asked to be strict, refuses tags that it does not know. It
// takes pieces of up to 256 MB.

function wrapped(bytes: Buffer, compression: number, stride: number, rows: number): Buffer {
  return tiffFile(
    [bytes],
    [
      [256, 4, 1, stride],
      [257, 4, 1, rows],
      [258, 3, 1, 8],
      [259, 3, 1, compression],
      [262, 3, 1, 1],
      [273, 4, 1, 8],
      [277, 3, 1, 1],
      [278, 4, 1, rows],
      [279, 4, 1, bytes.length],
    ],
  );
}

/** `rows` rows of `stride` bytes; null when the data are damaged or too short. */
function expandByFfmpeg(bytes: Buffer, compression: number, stride: number, rows: number): Buffer | null {
  const codec = Codec.findDecoderByName('tiff' as Parameters<typeof Codec.findDecoderByName>[0]);
  if (!codec) return null;
  const context = new CodecContext();
  const packet = new Packet();
  const frame = new Frame();
  try {
    packet.alloc();
    frame.alloc();
    context.allocContext3(codec);
    context.threadCount = 1;
    context.setOption('err_detect', 'explode');
    if (context.open2Sync(codec, null) < 0) return null;
    packet.data = wrapped(bytes, compression, stride, rows);
    if (context.sendPacketSync(packet) < 0 || context.receiveFrameSync(frame) < 0) return null;
    if (frame.width !== stride || frame.height !== rows) return null;
    const out = Buffer.alloc(stride * rows);
    const step = frame.linesize[0]!;
    for (let y = 0; y < rows; y++) out.set(frame.data![0]!.subarray(y * step, y * step + stride), y * stride);
    return out;
  } finally {
    frame.free();
    packet.free();
    context.freeContext();
  }
}

/** A strip or tile that claims more has no true size. */
const mostPieceBytes = 2 ** 30;
const mostRowSamples = 2 ** 26;
/**
 * Above these bits, for signed numbers and for floating point, the numbers of the picture itself say what is
 * black and what is white.
 */
const nominalBits = 16;

/** Samples when all are read: 8 bits already, or numbers that need a range. */
type Store = Uint8Array | Float32Array;

/** The bits say what is black and what is white, so that each number is brought to 8 bits by itself. */
export function isNominal({ format, bits }: TiffImage): boolean {
  return bits !== null && ((format === 'uint' && bits <= nominalBits) || (format === 'int' && bits === 8));
}

/** Bytes of one strip or tile without its compression; many files have a single strip. */
export function pieceBytes({ bits, samples, planar, pieceWidth, pieceHeight }: TiffImage): number {
  const row = Math.ceil(((bits ?? 8) * (planar ? 1 : samples) * pieceWidth) / 8);
  return Math.min(mostPieceBytes, row * pieceHeight);
}

/**
 * width×height×wanted.length samples, those of a pixel together, 0 to 255. `raw`: numbers as they are stored,
 * up to 8 bits. Null when a piece is missing, damaged or too short; with `isLenient`, when all are.
 */
export async function readSamples(
  source: ByteSource,
  image: TiffImage & { readonly bits: number },
  wanted: readonly number[],
  { raw, isLenient }: { readonly raw: boolean; readonly isLenient: boolean },
): Promise<Uint8Array | null> {
  const { width, height, bits, format, planar, pieceWidth, pieceHeight } = image;
  const predictor = hasPredictor(image.compression) ? image.predictor : 1;
  const layout: RowLayout = {
    ...image,
    predictor,
    // Writers of 8 bits that call them signed mean 0 to 255, and other programs read them so.
    format: format === 'int' && bits === 8 ? 'uint' : format,
    bits,
    width: pieceWidth,
    samples: planar ? 1 : image.samples,
  };
  const stride = rowBytes(layout);
  if (!(pieceWidth > 0 && pieceHeight > 0) || stride * pieceHeight > mostPieceBytes) return null;
  if (pieceWidth * layout.samples > mostRowSamples) return null;
  const across = Math.ceil(width / pieceWidth);
  const down = Math.ceil(height / pieceHeight);
  const nominal = isNominal(image);
  const size = width * height * wanted.length;
  const store: Store = nominal ? new Uint8Array(size) : new Float32Array(size);
  const scale = raw ? (value: number) => value : nominal ? nominalScale(bits) : (value: number) => value;
  const row = new Float64Array(pieceWidth * layout.samples);
  let isEmpty = true;
  for (let plane = 0; plane < (planar ? image.samples : 1); plane++) {
    // Positions of this plane's samples in a pixel of the picture, and in a pixel of the row.
    const places = wanted.flatMap((sample, to) =>
      !planar ? [[sample, to]] : sample === plane ? [[0, to]] : [],
    );
    if (places.length === 0) continue;
    for (let piece = 0; piece < across * down; piece++) {
      const left = (piece % across) * pieceWidth;
      const top = Math.floor(piece / across) * pieceHeight;
      // Strips end with the picture; tiles are whole.
      const rows = Math.min(pieceHeight, height - top);
      const stored = image.tiled ? pieceHeight : rows;
      const bytes = await readPiece(source, image, plane * across * down + piece, stride, stored);
      if (!bytes && isLenient) continue;
      if (!bytes) return null;
      isEmpty = false;
      for (let y = 0; y < rows; y++) {
        readRow(bytes.subarray(y * stride, (y + 1) * stride), layout, row);
        const columns = Math.min(pieceWidth, width - left);
        for (const [from, to] of places as [number, number][]) {
          let at = ((top + y) * width + left) * wanted.length + to;
          for (let x = 0; x < columns; x++, at += wanted.length)
            store[at] = scale(row[x * layout.samples + from]!);
        }
      }
    }
  }
  if (isEmpty) return null;
  return store instanceof Uint8Array ? store : stretched(store);
}

async function readPiece(
  source: ByteSource,
  { offsets, counts, compression, lowBitFirst }: TiffImage,
  piece: number,
  stride: number,
  rows: number,
): Promise<Buffer | null> {
  const length = stride * rows;
  const offset = offsets[piece];
  // Some writers leave the lengths out where there is no compression.
  const count = counts[piece] ?? (compression === 1 ? length : undefined);
  if (offset === undefined || count === undefined || offset + Math.min(count, length) > source.size)
    return null;
  const bytes = await source.readUpTo(offset, compression === 1 ? length : count);
  if (lowBitFirst) for (let at = 0; at < bytes.length; at++) bytes[at] = reversed(bytes[at]!);
  return expandPiece(bytes, compression, stride, rows);
}

function reversed(byte: number): number {
  let out = 0;
  for (let bit = 0; bit < 8; bit++) out |= ((byte >> bit) & 1) << (7 - bit);
  return out;
}

function nominalScale(bits: number): (value: number) => number {
  const most = 2 ** bits - 1;
  return (value) => Math.round((value * 255) / most);
}

/**
 * From 0 to 1 where all lie there, as in rendered pictures; from the smallest to the largest where they do
 * not.
 */
function stretched(values: Float32Array): Uint8Array {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least && value !== Number.NEGATIVE_INFINITY) least = value;
    if (value > most && value !== Number.POSITIVE_INFINITY) most = value;
  }
  if (least >= 0 && most <= 1) [least, most] = [0, 1];
  const range = most - least;
  const levels = new Uint8Array(values.length);
  // `Uint8Array.from` would first make a list of all numbers, of many times the size.
  for (const [i, value] of values.entries()) {
    levels[i] =
      range > 0
        ? Math.max(0, Math.min(255, Math.round(((value - least) * 255) / range)))
        : value > 0
          ? 255
          : 0;
  }
  return levels;
}

// The samples of one row of a strip or tile as numbers, with the predictor undone.

type RowLayout = Pick<TiffImage, 'little' | 'predictor' | 'format'> & {
  readonly bits: number;
  /** Samples of one pixel in this piece, and pixels of one row. */
  readonly samples: number;
  readonly width: number;
};

function rowBytes({ bits, samples, width }: RowLayout): number {
  return Math.ceil((bits * samples * width) / 8);
}

/** Kinds of samples that `readRow` knows. */
export function knowsSamples({ bits, format, predictor }: Omit<RowLayout, 'samples' | 'width'>): boolean {
  if (format === 'float') return [16, 32, 64].includes(bits) && (predictor !== 2 || bits < 64);
  if (format === 'other' || bits < 1 || !(bits <= 32 || bits === 64)) return false;
  return predictor === 1 || (predictor === 2 && bits <= 32);
}

/** Writes samples×width numbers. `bytes` may be changed. */
function readRow(bytes: Buffer, layout: RowLayout, into: Float64Array) {
  const { bits, format, predictor, samples, width, little } = layout;
  const count = samples * width;
  if (format === 'float') {
    const apart = predictor === 3;
    const source = apart ? joinFloats(bytes, layout) : predictor === 2 ? addWords(bytes, layout) : bytes;
    for (let i = 0; i < count; i++) into[i] = float(source, (i * bits) / 8, bits, little && !apart);
    return;
  }
  for (let i = 0; i < count; i++) into[i] = whole(bytes, i, bits, little);
  const modulus = 2 ** bits;
  if (predictor === 2) {
    for (let i = samples; i < count; i++) into[i] = (into[i]! + into[i - samples]!) % modulus;
  }
  if (format !== 'int') return;
  for (let i = 0; i < count; i++) if (into[i]! >= modulus / 2) into[i]! -= modulus;
}

function whole(bytes: Buffer, i: number, bits: number, little: boolean): number {
  if (bits === 8) return bytes[i]!;
  if (bits === 16) return little ? bytes.readUInt16LE(i * 2) : bytes.readUInt16BE(i * 2);
  if (bits === 24) return little ? bytes.readUIntLE(i * 3, 3) : bytes.readUIntBE(i * 3, 3);
  if (bits === 32) return little ? bytes.readUInt32LE(i * 4) : bytes.readUInt32BE(i * 4);
  if (bits === 64) return Number(little ? bytes.readBigUInt64LE(i * 8) : bytes.readBigUInt64BE(i * 8));
  let value = 0;
  for (let at = i * bits; at < (i + 1) * bits; at++) {
    value = value * 2 + ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
  }
  return value;
}

function float(bytes: Buffer, at: number, bits: number, little: boolean): number {
  if (bits === 64) return little ? bytes.readDoubleLE(at) : bytes.readDoubleBE(at);
  if (bits === 32) return little ? bytes.readFloatLE(at) : bytes.readFloatBE(at);
  return half(little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
}

/** IEEE 754 binary16. */
function half(value: number): number {
  const sign = value & 0x8000 ? -1 : 1;
  const exponent = (value >> 10) & 31;
  const fraction = value & 0x3ff;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** Predictor 2 takes the bits of a number for a whole number. */
function addWords(bytes: Buffer, { bits, samples, width, little }: RowLayout): Buffer {
  const size = bits / 8;
  for (let i = samples; i < samples * width; i++) {
    const sum = (whole(bytes, i, bits, little) + whole(bytes, i - samples, bits, little)) % 2 ** bits;
    if (little) bytes.writeUIntLE(sum, i * size, size);
    else bytes.writeUIntBE(sum, i * size, size);
  }
  return bytes;
}

/**
 * Predictor 3: differences of bytes, all first bytes of a row before all second ones (Adobe, TIFF technical
 * note 3).
 */
function joinFloats(bytes: Buffer, { bits, samples, width }: RowLayout): Buffer {
  const count = samples * width;
  const size = bits / 8;
  for (let at = samples; at < count * size; at++) bytes[at] = (bytes[at]! + bytes[at - samples]!) & 255;
  const joined = Buffer.alloc(count * size);
  for (let i = 0; i < count; i++) {
    for (let byte = 0; byte < size; byte++) joined[i * size + byte] = bytes[byte * count + i]!;
  }
  return joined;
}
