// Reading the vectors of faces from a roll: those that lie side by side are read together.
import { crc32 } from 'node:zlib';
import { stride16 } from '../../visual/quantize.ts';
import type { BundleFile } from '../bundle-file.ts';
import { damaged } from '../faults.ts';
import { placeBytes, readPlace } from './face-rolls.ts';

/** Of one read at most. */
const mostBytes = 1 << 20;

/**
 * Calls `each` with the bytes of some rows and the position among `places` of the first of them. *Borrowed*.
 */
function eachRun(
  roll: BundleFile,
  stride: number,
  places: Uint8Array,
  each: (bytes: Uint8Array, from: number, count: number) => void,
): void {
  const total = places.length / placeBytes;
  const most = Math.max(1, Math.floor(mostBytes / stride));
  const buffer = new Uint8Array(Math.min(most, total) * stride);
  for (let from = 0; from < total; ) {
    const { row } = readPlace(places, from);
    let count = 1;
    while (count < most && from + count < total) {
      if (readPlace(places, from + count).row !== row + count * stride) break;
      count++;
    }
    const bytes = buffer.subarray(0, count * stride);
    roll.read(row, bytes);
    each(bytes, from, count);
    from += count;
  }
}

function check(
  roll: BundleFile,
  bytes: Uint8Array,
  view: DataView,
  stride: number,
  i: number,
  frame: number,
) {
  const end = (i + 1) * stride - 4;
  const isWhole =
    view.getUint32(end, true) === crc32(bytes.subarray(i * stride, end)) &&
    view.getUint32(end - 8, true) === frame;
  if (!isWhole) throw damaged(roll.file, `the vector of a face in frame ${frame} is broken`);
}

/** Throws STORE_DAMAGED naming the file when one of the rows is broken. */
export function checkRows(
  roll: BundleFile,
  dimensions: number,
  places: Uint8Array,
  frames: Uint32Array,
): void {
  const stride = stride16(dimensions);
  eachRun(roll, stride, places, (bytes, from, count) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) check(roll, bytes, view, stride, i, frames[from + i]!);
  });
}

/** Writes the vectors, L2-normalised, into `into` from position `at` on. Throws STORE_DAMAGED. */
export function readVectors(
  roll: BundleFile,
  dimensions: number,
  places: Uint8Array,
  frames: Uint32Array,
  into: Float32Array,
  at: number,
): void {
  const stride = stride16(dimensions);
  eachRun(roll, stride, places, (bytes, from, count) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) {
      check(roll, bytes, view, stride, i, frames[from + i]!);
      const values = new Int16Array(bytes.buffer, bytes.byteOffset + i * stride, dimensions);
      let square = 0;
      for (let k = 0; k < dimensions; k++) square += values[k]! * values[k]!;
      const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
      const start = at + (from + i) * dimensions;
      for (let k = 0; k < dimensions; k++) into[start + k] = values[k]! * scale;
    }
  });
}

/** The picture for people of one face, *copied*. Throws STORE_DAMAGED. */
export function readDisplay(roll: BundleFile, places: Uint8Array, at: number): Uint8Array<ArrayBuffer> {
  const { crops, aligned, display, displayCrc } = readPlace(places, at);
  const bytes = new Uint8Array(display);
  roll.read(crops + aligned, bytes);
  if (crc32(bytes) !== displayCrc) throw damaged(roll.file, `the picture at ${crops} is broken`);
  return bytes;
}
