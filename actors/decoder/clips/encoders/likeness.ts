// How much alike two planes of pictures are.
import type { Plane } from './drawn-pictures.ts';

/** Samples compared of a plane, at most; more tell no more. */
const mostSamples = 400_000;

export interface Likeness {
  /** Peak signal-to-noise ratio, dB; infinite for the same samples. */
  readonly psnr: number;
  /** By how much the mean of `other` is brighter, in steps of 255. */
  readonly shift: number;
}

/** `other`: rows of `stride` bytes. */
export function likeness(
  plane: Plane,
  other: { readonly bytes: Uint8Array; readonly stride: number },
): Likeness {
  const { width, height, samples } = plane;
  const rows = Math.max(1, Math.floor(mostSamples / width));
  const every = Math.max(1, Math.ceil(height / rows));
  let [count, squares, sum] = [0, 0, 0];
  for (let y = 0; y < height; y += every) {
    for (let x = 0; x < width; x++) {
      const difference = other.bytes[y * other.stride + x]! - samples[y * width + x]!;
      squares += difference * difference;
      sum += difference;
    }
    count += width;
  }
  const psnr = squares === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 * 255 * count) / squares);
  return { psnr, shift: sum / count };
}
