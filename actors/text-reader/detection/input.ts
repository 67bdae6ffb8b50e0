// The input of the graph that finds text: the picture, or a part of it, scaled and normalised. Pure.
import type { Picture } from '../../../runtime/picture.ts';
import type { Area } from '../picture.ts';

/** Sides of the picture that the graph is given are multiples of it. */
export const step = 32;

/** As the graph was trained: in the order of the planes, which are blue, green and red. */
const means = [0.485, 0.456, 0.406] as const;
const deviations = [0.229, 0.224, 0.225] as const;

/** The size in which text is looked for: the longest side at most `side`, never larger than the picture but for rounding. */
export function detectionSize({ width, height }: Pick<Picture, 'width' | 'height'>, side: number) {
  const scale = Math.min(1, side / Math.max(width, height));
  const rounded = (length: number) => Math.max(step, Math.round((length * scale) / step) * step);
  return { width: rounded(width), height: rounded(height) };
}

/** For each place of a scaled row or column: where its first value lies, and the weights of that and those behind it. */
interface Taps {
  readonly first: Int32Array;
  readonly count: number;
  readonly weights: Float32Array;
}

/** Shares of the covered values where it shrinks, linear interpolation where it grows. */
function tapsOf(length: number, scaled: number, from: number, to: number): Taps {
  const ratio = length / scaled;
  const count = Math.min(length, ratio > 1 ? Math.ceil(ratio) + 1 : 2);
  const first = new Int32Array(to - from);
  const weights = new Float32Array((to - from) * count);
  for (let at = from; at < to; at++) {
    const begin = ratio > 1 ? at * ratio : (at + 0.5) * ratio - 0.5;
    const start = Math.max(0, Math.min(length - count, Math.floor(begin)));
    first[at - from] = start;
    const own = weights.subarray((at - from) * count, (at - from + 1) * count);
    for (let tap = 0; tap < count; tap++) {
      const value = start + tap;
      own[tap] =
        ratio > 1
          ? Math.max(0, Math.min(value + 1, begin + ratio) - Math.max(value, begin)) / ratio
          : Math.max(0, 1 - Math.abs(value - Math.max(0, Math.min(length - 1, begin))));
    }
  }
  return { first, count, weights };
}

/**
 * The part `area` of the picture scaled to `size`, as three planes of floats: blue, green, red. *Owned by the caller.*
 * `area` is in pixels of the scaled picture.
 */
export function detectionInput(
  { data, width, height }: Picture,
  size: Pick<Picture, 'width' | 'height'>,
  area: Area,
): Float32Array {
  const { left, top, width: across, height: down } = area;
  const columns = tapsOf(width, size.width, left, left + across);
  const rows = tapsOf(height, size.height, top, top + down);
  const firstRow = rows.first[0]!;
  const lastRow = rows.first[down - 1]! + rows.count;
  const narrow = new Float32Array((lastRow - firstRow) * across * 3);
  for (let y = firstRow, to = 0; y < lastRow; y++) {
    const row = y * width * 3;
    for (let x = 0; x < across; x++, to += 3) {
      let [red, green, blue] = [0, 0, 0];
      for (let tap = 0, from = row + columns.first[x]! * 3; tap < columns.count; tap++, from += 3) {
        const weight = columns.weights[x * columns.count + tap]!;
        red += data[from]! * weight;
        green += data[from + 1]! * weight;
        blue += data[from + 2]! * weight;
      }
      narrow[to] = blue;
      narrow[to + 1] = green;
      narrow[to + 2] = red;
    }
  }
  const planes = new Float32Array(3 * across * down);
  for (let plane = 0; plane < 3; plane++) {
    const factor = 1 / (255 * deviations[plane]!);
    const offset = -means[plane]! / deviations[plane]!;
    for (let y = 0, to = plane * across * down; y < down; y++) {
      const begin = (rows.first[y]! - firstRow) * across * 3 + plane;
      for (let x = 0; x < across; x++, to++) {
        let sum = 0;
        for (let tap = 0, from = begin + x * 3; tap < rows.count; tap++, from += across * 3) {
          sum += narrow[from]! * rows.weights[y * rows.count + tap]!;
        }
        planes[to] = sum * factor + offset;
      }
    }
  }
  return planes;
}
