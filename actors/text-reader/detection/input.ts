// The input of the graph that finds text: the picture, or a part of it, scaled and normalised.
import type { Picture } from '../../../runtime/picture.ts';
import { shrink, type Taps } from '../shrink.ts';

/** Sides of the picture that the graph is given are multiples of it. */
export const step = 32;

/** Statistics of the training, in the order of the planes: blue, green, red. */
const means = [0.485, 0.456, 0.406] as const;
const deviations = [0.229, 0.224, 0.225] as const;

/**
 * The size in which text is looked for: the longest side at most `side`, never larger than the picture but
 * for rounding.
 */
export function detectionSize({ width, height }: Pick<Picture, 'width' | 'height'>, side: number) {
  const scale = Math.min(1, side / Math.max(width, height));
  const rounded = (length: number) => Math.max(step, Math.round((length * scale) / step) * step);
  return { width: rounded(width), height: rounded(height) };
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
    const rowWeights = weights.subarray((at - from) * count, (at - from + 1) * count);
    for (let tap = 0; tap < count; tap++) {
      const value = start + tap;
      rowWeights[tap] =
        ratio > 1
          ? Math.max(0, Math.min(value + 1, begin + ratio) - Math.max(value, begin)) / ratio
          : Math.max(0, 1 - Math.abs(value - Math.max(0, Math.min(length - 1, begin))));
    }
  }
  return { first, count, weights };
}

/** Factors and offsets for red, green and blue. */
const form = Float32Array.of(
  ...deviations.toReversed().map((deviation) => 1 / (255 * deviation)),
  0,
  ...means.map((mean, plane) => -mean / deviations[plane]!).reverse(),
  0,
);

/**
 * The part `area` of the picture scaled to `size`, as three planes of floats: blue, green, red. *Owned by the
 * caller.* `area` is in pixels of the scaled picture.
 */
export function detectionInput(
  picture: Picture,
  size: Pick<Picture, 'width' | 'height'>,
  { left, top, width, height }: Area,
): Float32Array {
  const columns = tapsOf(picture.width, size.width, left, left + width);
  return shrink(picture, columns, tapsOf(picture.height, size.height, top, top + height), form);
}

// Parts of pictures in which text is looked for.

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
