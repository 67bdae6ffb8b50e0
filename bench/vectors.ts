// Seeded vectors like those of footage at one frame a second, for the benches: shots of eight frames nearly
// the same.
import { paddedLength } from '../actors/index/visual/quantize.ts';
import type { SearchedVectors } from '../actors/index/visual/search.ts';
import type { RowBank } from '../actors/index/visual/segment.ts';

export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296 - 0.5;
  };
}

export function unit(vector: Float32Array): Float32Array<ArrayBuffer> {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Float32Array.from(vector, (value) => value / Math.sqrt(sum));
}

/** A function that fills `into` with the vector of the next frame. */
export function footageMaker(dimensions: number): (into: Float32Array) => void {
  const random = seeded(7);
  const middle = new Float32Array(dimensions);
  let frame = 0;
  return (into) => {
    if (frame++ % 8 === 0) for (let k = 0; k < dimensions; k++) middle[k] = random();
    let sum = 0;
    for (let k = 0; k < dimensions; k++) {
      into[k] = middle[k]! + 0.2 * random();
      sum += into[k]! ** 2;
    }
    const scale = 1 / Math.sqrt(sum);
    for (let k = 0; k < dimensions; k++) into[k]! *= scale;
  };
}

/**
 * In place of vectors at 16 bits, which would not fit into memory, those of 8 bits: as many values are read.
 */
export function fineOf(bank: RowBank): SearchedVectors['fine'] {
  const padded = paddedLength(bank.dimensions);
  return (_run, first, count) =>
    Array.from({ length: count }, (_, i) => {
      const bytes = bank.bytes(first + i, 1);
      const scale = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(padded, true);
      const values = new Int8Array(bytes.buffer, bytes.byteOffset, bank.dimensions);
      const vector = new Float32Array(bank.dimensions);
      for (let k = 0; k < vector.length; k++) vector[k] = values[k]! * scale;
      return vector;
    });
}
