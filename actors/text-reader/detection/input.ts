// The input of the graph that finds text: the picture, or a part of it, scaled and normalised.
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
  const covered = Number.isInteger(ratio) ? ratio : Math.ceil(ratio) + 1;
  const count = Math.min(length, ratio > 1 ? covered : 2);
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
  const begin = columns.first[0]! * 3;
  const length = (columns.first[across - 1]! + columns.count) * 3 - begin;
  // Rows first: that goes through the picture as it lies in memory.
  const row = new Float64Array(length);
  const planes = new Float32Array(3 * across * down);
  for (let y = 0; y < down; y++) {
    row.fill(0);
    // Two rows at once: to write a sum takes longer than to make it.
    for (let tap = 0; tap < rows.count; tap += 2) {
      const upper = (rows.first[y]! + tap) * width * 3 + begin;
      const isLast = tap + 1 === rows.count;
      const weights = [
        rows.weights[y * rows.count + tap]!,
        isLast ? 0 : rows.weights[y * rows.count + tap + 1]!,
      ];
      addWeighted(row, data, upper, isLast ? upper : upper + width * 3, weights as [number, number]);
    }
    writeRow(row, begin, columns, planes, y * across, across, across * down);
  }
  return planes;
}

function addWeighted(
  row: Float64Array,
  data: Uint8Array,
  upper: number,
  lower: number,
  [weight, other]: readonly [number, number],
): void {
  if (weight === 0 && other === 0) return;
  const { length } = row;
  for (let at = 0; at < length; at++) {
    row[at] = row[at]! + data[upper + at]! * weight + data[lower + at]! * other;
  }
}

const factors = deviations.map((deviation) => 1 / (255 * deviation));
const offsets = means.map((mean, plane) => -mean / deviations[plane]!);

/** `row`: red, green, blue of the columns from `begin` on; `to`: in each of the planes of `size` values. */
function writeRow(
  row: Float64Array,
  begin: number,
  { first, count, weights }: Taps,
  planes: Float32Array,
  to: number,
  across: number,
  size: number,
): void {
  const [blues, greens, reds] = factors as [number, number, number];
  const [blueOffset, greenOffset, redOffset] = offsets as [number, number, number];
  for (let x = 0; x < across; x++) {
    let red = 0;
    let green = 0;
    let blue = 0;
    let from = first[x]! * 3 - begin;
    for (let tap = x * count; tap < (x + 1) * count; tap++) {
      const weight = weights[tap]!;
      red += row[from]! * weight;
      green += row[from + 1]! * weight;
      blue += row[from + 2]! * weight;
      from += 3;
    }
    planes[to + x] = blue * blues + blueOffset;
    planes[size + to + x] = green * greens + greenOffset;
    planes[2 * size + to + x] = red * reds + redOffset;
  }
}
