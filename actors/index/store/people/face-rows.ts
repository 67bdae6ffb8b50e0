// Reading the vectors of faces from a pack: rows that lie side by side are read together.
import { crc32 } from 'node:zlib';
import { stride16 } from '../../visual/quantize.ts';
import { damaged } from '../faults.ts';
import type { Pack } from '../pack.ts';

/** Of one read at most. */
const mostBytes = 1 << 20;

/**
 * Calls `each` with the bytes of some rows and the position among `rows` of the first of them. *Borrowed*.
 */
function eachRun(
  pack: Pack,
  stride: number,
  rows: Uint32Array,
  each: (bytes: Uint8Array, from: number, count: number) => void,
): void {
  const most = Math.max(1, Math.floor(mostBytes / stride));
  const buffer = new Uint8Array(Math.min(most, rows.length) * stride);
  for (let from = 0; from < rows.length; ) {
    let count = 1;
    while (count < most && from + count < rows.length && rows[from + count] === rows[from]! + count) count++;
    const bytes = buffer.subarray(0, count * stride);
    pack.read(rows[from]!, bytes);
    each(bytes, from, count);
    from += count;
  }
}

function check(pack: Pack, bytes: Uint8Array, view: DataView, stride: number, i: number, frame: number) {
  const end = (i + 1) * stride - 4;
  const isWhole =
    view.getUint32(end, true) === crc32(bytes.subarray(i * stride, end)) &&
    view.getUint32(end - 8, true) === frame;
  if (!isWhole) throw damaged(pack.file, `the vector of a face in frame ${frame} is broken`);
}

/** Throws STORE_DAMAGED naming the file when one of the rows is broken. */
export function checkRows(pack: Pack, dimensions: number, rows: Uint32Array, frames: Uint32Array): void {
  const stride = stride16(dimensions);
  eachRun(pack, stride, rows, (bytes, from, count) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) check(pack, bytes, view, stride, i, frames[from + i]!);
  });
}

/** Writes the vectors, L2-normalised, into `into` from position `at` on. Throws STORE_DAMAGED. */
export function readVectors(
  pack: Pack,
  dimensions: number,
  rows: Uint32Array,
  frames: Uint32Array,
  into: Float32Array,
  at: number,
): void {
  const stride = stride16(dimensions);
  eachRun(pack, stride, rows, (bytes, from, count) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) {
      check(pack, bytes, view, stride, i, frames[from + i]!);
      const values = new Int16Array(bytes.buffer, bytes.byteOffset + i * stride, dimensions);
      let square = 0;
      for (let k = 0; k < dimensions; k++) square += values[k]! * values[k]!;
      const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
      const start = at + (from + i) * dimensions;
      for (let k = 0; k < dimensions; k++) into[start + k] = values[k]! * scale;
    }
  });
}
