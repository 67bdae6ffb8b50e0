// The two forms of a stored vector, as rows of fixed stride; values are little-endian, as every platform here
// is.
//   8 bits   d values padded to 32, then float32 scale and 12 bytes of zero: scanned from memory
//   16 bits  d values padded to 8, then float32 scale, uint32 frame, float32 share of the picture that
//            changed since the frame before, uint32 CRC32 of all before: re-scores
import { crc32 } from 'node:zlib';

const tail = 16;

export const paddedLength = (dimensions: number): number => Math.ceil(dimensions / 32) * 32;
/** Bytes from one row to the next; a multiple of 16. */
export const stride8 = (dimensions: number): number => paddedLength(dimensions) + tail;
export const stride16 = (dimensions: number): number => Math.ceil(dimensions / 8) * 16 + tail;

function largest(vector: Float32Array): number {
  let [low, high] = [0, 0];
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i]!;
    if (value > high) high = value;
    if (value < low) low = value;
  }
  return Math.max(high, -low);
}

/**
 * Writes `vector` as whole numbers of at most `most` into `values` and answers the scale: value × scale is
 * what was.
 */
export function quantize(vector: Float32Array, values: Int8Array | Int16Array, most = 127): number {
  const scale = largest(vector) / most;
  const inverse = scale === 0 ? 0 : 1 / scale;
  for (let i = 0; i < vector.length; i++) values[i] = Math.round(vector[i]! * inverse);
  values.fill(0, vector.length);
  return scale;
}

/** Writes the 8-bit row of `vector` at byte `at` of `bytes`. */
export function writeRow8(vector: Float32Array, bytes: Uint8Array, at: number): void {
  const padded = paddedLength(vector.length);
  const scale = quantize(vector, new Int8Array(bytes.buffer, bytes.byteOffset + at, padded));
  bytes.fill(0, at + padded, at + padded + tail);
  new DataView(bytes.buffer, bytes.byteOffset).setFloat32(at + padded, scale, true);
}

/** Rounding to float32 on the way adds less than a thousandth to any of the errors below. */
const roundingFactor = 1.001;

/**
 * The most by which the 8-bit row lies beside the 16-bit row in the direction of `query`, as a multiple of
 * the scale of the row: each value of the 8-bit row is off by half its scale at most, and one of the 16-bit
 * row by half of its own.
 */
function rowError8(query: Float32Array): number {
  const sum = query.reduce((total, value) => total + Math.abs(value), 0);
  return (0.5 + (0.5 * 127) / 32767) * sum;
}

/**
 * The most by which the score of an 8-bit row can be off, as a multiple of the scale of the row: the exact
 * score is the dot product of `query` and the 16-bit row. The query itself was rounded to multiples of
 * `queryScale`.
 */
export function scoreError8(query: Float32Array, queryScale: number): number {
  const ofQuery = 0.5 * queryScale * 127 * query.length;
  return roundingFactor * (rowError8(query) + ofQuery);
}

/** A query at 7 bits, for the first look at each row. */
export interface CoarseQuery {
  /** From -63 to 63, plus 64. */
  readonly values: Uint8Array;
  readonly scale: number;
  /** The most by which 8-bit rows are off, as a multiple of the scale of the row. */
  readonly error: number;
  /** Length of what rounding took from the query: times that of a row, the most by which a score is off. */
  readonly lost: number;
}

export function coarseQuery(query: Float32Array): CoarseQuery {
  const values = new Int8Array(query.length);
  const scale = quantize(query, values, 63);
  const lost = Math.hypot(...query.map((value, i) => value - values[i]! * scale));
  return {
    values: Uint8Array.from(values, (value) => value + 64),
    scale,
    error: roundingFactor * rowError8(query),
    lost: roundingFactor * lost,
  };
}

/** `changed`: the share of the picture that differs from the frame before. */
export function writeRow16(
  vector: Float32Array,
  frame: number,
  bytes: Uint8Array,
  at: number,
  changed = 1,
): void {
  const stride = stride16(vector.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, stride);
  bytes.fill(0, at, at + stride);
  const values = new Int16Array(bytes.buffer, bytes.byteOffset + at, vector.length);
  const scale = quantize(vector, values, 32767);
  view.setFloat32(stride - 16, scale, true);
  view.setUint32(stride - 12, frame, true);
  view.setFloat32(stride - 8, changed, true);
  view.setUint32(stride - 4, crc32(bytes.subarray(at, at + stride - 4)), true);
}

/** Facts of a 16-bit row beside its vector, or null when its checksum is wrong. `bytes`: exactly one row. */
export function factsOfRow16(bytes: Uint8Array): { frame: number; changed: number } | null {
  const end = bytes.byteLength;
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  if (view.getUint32(end - 4, true) !== crc32(bytes.subarray(0, end - 4))) return null;
  return { frame: view.getUint32(end - 12, true), changed: view.getFloat32(end - 8, true) };
}

/** The vector of a 16-bit row that is whole, written into `vector`. */
export function vectorOfRow16(
  bytes: Uint8Array,
  dimensions: number,
  vector = new Float32Array(dimensions),
): Float32Array<ArrayBuffer> {
  const stride = stride16(dimensions);
  const scale = new DataView(bytes.buffer, bytes.byteOffset, stride).getFloat32(stride - 16, true);
  const values = new Int16Array(bytes.buffer, bytes.byteOffset, dimensions);
  for (let i = 0; i < dimensions; i++) vector[i] = values[i]! * scale;
  return vector;
}

/** The vector of a 16-bit row, or null when its checksum or frame is wrong. `bytes`: exactly one row. */
export function readRow16(
  bytes: Uint8Array,
  dimensions: number,
  frame: number,
  vector?: Float32Array<ArrayBuffer>,
): Float32Array<ArrayBuffer> | null {
  return factsOfRow16(bytes)?.frame === frame ? vectorOfRow16(bytes, dimensions, vector) : null;
}
