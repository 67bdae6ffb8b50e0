// How much the picture changes along the grid: from frame to frame, and from the seconds before a moment to
// those after it.
import type { Steps } from '../../../runtime/sync/steps.ts';
import type { Pictures } from './material.ts';
import { addTo, dot } from './vector.ts';

/** 1 - cosine of two rows. */
export function distance({ vectors, dimensions: d }: Pictures, a: number, b: number): number {
  return 1 - dot(vectors, a * d, vectors, b * d, d);
}

/** Numbers of vectors that are read in one step: some 10 ms. */
export const stepNumbers = 1 << 21;

/** Rows of one step. */
export const stepRows = (dimensions: number): number => Math.max(1, Math.floor(stepNumbers / dimensions));

/** For each row but the last: its distance to the next one. O(n · d). */
export function* nextDistances(pictures: Pictures): Steps<Float32Array> {
  const distances = new Float32Array(Math.max(0, pictures.frames.length - 1));
  const together = stepRows(pictures.dimensions);
  for (let first = 0; first < distances.length; first += together) {
    const end = Math.min(distances.length, first + together);
    for (let i = first; i < end; i++) distances[i] = distance(pictures, i, i + 1);
    yield;
  }
  return distances;
}

/**
 * For each row: 1 - cosine of the mean of up to `window` rows before it and of up to `window` rows from it
 * on; 0 of the first row. A mean has little of the noise of its rows, so a slow transition stands out. O(n ·
 * d).
 */
export function* windowDistances(pictures: Pictures, window: number): Steps<Float32Array> {
  const rows = pictures.frames.length;
  const distances = new Float32Array(rows);
  const next = windowsOf(pictures, window);
  const together = stepRows(pictures.dimensions);
  for (let first = 1; first < rows; first += together) {
    const end = Math.min(rows, first + together);
    for (let i = first; i < end; i++) distances[i] = next(i);
    yield;
  }
  return distances;
}

/** Answers the distance at row 1, 2, and so on, each once. */
function windowsOf({ vectors, dimensions: d, frames }: Pictures, window: number): (row: number) => number {
  const rows = frames.length;
  const [left, right, nothing] = [new Float64Array(d), new Float64Array(d), new Float32Array(d)];
  for (let row = 0; row < Math.min(window, rows); row++) addTo(right, 0, vectors, row * d, d);
  const rowAt = (row: number) =>
    row >= 0 && row < rows ? vectors.subarray(row * d, (row + 1) * d) : nothing;
  return (i) => {
    const [leaving, passing, coming] = [rowAt(i - 1 - window), rowAt(i - 1), rowAt(i - 1 + window)];
    let [across, before, after] = [0, 0, 0];
    for (let k = 0; k < d; k++) {
      const l = left[k]! + passing[k]! - leaving[k]!;
      const r = right[k]! - passing[k]! + coming[k]!;
      left[k] = l;
      right[k] = r;
      across += l * r;
      before += l * l;
      after += r * r;
    }
    const lengths = Math.sqrt(before * after);
    return lengths > 1e-9 ? Math.max(0, 1 - across / lengths) : 0;
  };
}

/**
 * How different pictures of this film are that lie far apart: the median of 1 - cosine of some 500 pairs,
 * half the film apart. 0 of fewer than four rows.
 */
export function usualDistance(pictures: Pictures): number {
  const half = pictures.frames.length >> 1;
  if (half < 2) return 0;
  const count = Math.min(half, 500);
  const distances = Float32Array.from({ length: count }, (_, at) => {
    const row = Math.floor((at * half) / count);
    return distance(pictures, row, row + half);
  });
  return distances.sort()[count >> 1]!;
}
