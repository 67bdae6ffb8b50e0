// The wanted samples of a TIFF picture, 8 bits each: pieces read, expanded, put in their places and brought to one range.
import type { ByteSource } from '../byte-source.ts';
import type { TiffImage } from './directory.ts';
import { expandPiece, hasPredictor } from './pieces.ts';
import { type RowLayout, readRow, rowBytes } from './rows.ts';

/** A strip or tile that claims more has no true size. */
const mostPieceBytes = 2 ** 30;
const mostRowSamples = 2 ** 26;
/** Above these bits, for signed numbers and for floating point, the numbers of the picture itself say what is black and what is white. */
const nominalBits = 16;

/** What is known of the samples when all are read: 8 bits already, or numbers that need a range. */
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
 * width×height×wanted.length samples, those of a pixel together, 0 to 255. `raw`: numbers as they are stored, up to 8 bits.
 * Null when a piece is missing, damaged or too short.
 */
export async function readSamples(
  source: ByteSource,
  image: TiffImage & { readonly bits: number },
  wanted: readonly number[],
  raw: boolean,
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
      if (!bytes) return null;
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

/** From 0 to 1 where all lie there, as in rendered pictures; from the smallest to the largest where they do not. */
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
