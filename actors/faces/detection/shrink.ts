// A picture brought to a size that a graph with one size takes: its longest side at most that size, every pixel the mean of
// those that fall into it. Smaller ones stay as they are.
import type { Picture } from '../../../runtime/picture.ts';
import type { Pyramid } from '../picture.ts';

/** `scale`: by what coordinates are multiplied to be those of the whole picture. */
export function shrunk(pyramid: Pyramid, side: number): { picture: Picture; scale: number } {
  const whole = pyramid.level(0);
  const longest = Math.max(whole.width, whole.height);
  if (longest <= side) return { picture: whole, scale: 1 };
  const level = Math.floor(Math.log2(longest / side));
  const from = pyramid.level(level);
  const step = Math.max(from.width, from.height) / side;
  const width = Math.max(1, Math.min(side, Math.round(from.width / step)));
  const height = Math.max(1, Math.min(side, Math.round(from.height / step)));
  const data = averaged(from, width, height, step);
  return { picture: { data, width, height }, scale: step * 2 ** level };
}

/** Which pixels of a line fall into each of the result, and by how much; `step` is at least 1 and below 2. */
function shares(length: number, count: number, step: number): { first: Int32Array; weights: Float32Array } {
  const first = new Int32Array(count);
  const weights = new Float32Array(count * 3);
  for (let at = 0; at < count; at++) {
    const [start, end] = [at * step, Math.min(length, (at + 1) * step)];
    first[at] = Math.min(length - 1, Math.floor(start));
    let sum = 0;
    for (let k = 0; k < 3; k++) {
      const pixel = first[at]! + k;
      const part = pixel < length ? Math.max(0, Math.min(end, pixel + 1) - Math.max(start, pixel)) : 0;
      weights[at * 3 + k] = part;
      sum += part;
    }
    if (sum === 0) weights[at * 3] = sum = 1;
    for (let k = 0; k < 3; k++) weights[at * 3 + k]! /= sum;
  }
  return { first, weights };
}

function averaged({ data, width, height }: Picture, across: number, down: number, step: number): Uint8Array {
  const columns = shares(width, across, step);
  const lines = shares(height, down, step);
  const result = new Uint8Array(across * down * 3);
  let to = 0;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++, to += 3) {
      let [red, green, blue] = [0.5, 0.5, 0.5];
      for (let k = 0; k < 3; k++) {
        const below = lines.weights[y * 3 + k]!;
        if (below === 0) continue;
        for (let j = 0; j < 3; j++) {
          const weight = below * columns.weights[x * 3 + j]!;
          if (weight === 0) continue;
          const from = ((lines.first[y]! + k) * width + columns.first[x]! + j) * 3;
          red += weight * data[from]!;
          green += weight * data[from + 1]!;
          blue += weight * data[from + 2]!;
        }
      }
      result[to] = red;
      result[to + 1] = green;
      result[to + 2] = blue;
    }
  }
  return result;
}
