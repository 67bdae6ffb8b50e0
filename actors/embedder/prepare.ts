// Preprocessing of pictures: RGB bytes in rows become three planes of normalised floats. One pass, one
// multiplication and one addition a value (faster than a table of 256 here); nothing is allocated.
import type { VisualSide } from '../models/contract.ts';
import { pictureBytes } from '../models/rewriting/picture-bytes.ts';
import type { TensorIn } from '../models/session.ts';

export interface Preparation {
  /** Bytes of one picture: width×height×3. */
  readonly bytes: number;
  /** Floats of one picture: 3×height×width. */
  readonly floats: number;
  /**
   * Writes picture `index` of a batch. `pixels`: at least `bytes` long, *borrowed*; `into`: n×3×height×width.
   * Throws RangeError when either is too short, because a short picture would silently leave old pixels
   * behind.
   */
  fill(pixels: Uint8Array, into: Float32Array, index: number): void;
}

export function preparation({ shape, mean, std }: Pick<VisualSide, 'shape' | 'mean' | 'std'>): Preparation {
  const plane = shape.width * shape.height;
  const bytes = plane * 3;
  // (byte / 255 − mean) / std = byte × factor + offset
  const factors = std.map((deviation) => 1 / (255 * deviation)) as [number, number, number];
  const offsets = mean.map((value, channel) => -value / std[channel]!) as [number, number, number];
  const [redFactor, greenFactor, blueFactor] = factors;
  const [redOffset, greenOffset, blueOffset] = offsets;
  return {
    bytes,
    floats: bytes,
    fill: (pixels, into, index) => {
      const start = index * bytes;
      if (pixels.length < bytes) {
        throw new RangeError(
          `a picture of ${pixels.length} bytes, ${shape.width}×${shape.height} needs ${bytes}`,
        );
      }
      if (into.length < start + bytes) throw new RangeError(`no room for picture ${index} in the batch`);
      const green = start + plane;
      const blue = green + plane;
      for (let pixel = 0, at = 0; pixel < plane; pixel += 1, at += 3) {
        into[start + pixel] = pixels[at]! * redFactor + redOffset;
        into[green + pixel] = pixels[at + 1]! * greenFactor + greenOffset;
        into[blue + pixel] = pixels[at + 2]! * blueFactor + blueOffset;
      }
    },
  };
}

/**
 * Pictures as a graph takes them, at most `batch`, in memory that is reused for every run and never handed
 * out. `asBytes`: it normalises them by itself.
 */
export function pictureFeed(
  visual: Pick<VisualSide, 'shape' | 'mean' | 'std'>,
  batch: number,
  asBytes: boolean,
): (slots: readonly Uint8Array[]) => Record<string, TensorIn> {
  const { height, width } = visual.shape;
  const { bytes, floats, fill } = preparation(visual);
  if (asBytes) {
    const data = new Uint8Array(batch * bytes);
    return (slots) => {
      for (const [at, slot] of slots.entries()) data.set(slot, at * bytes);
      const pixels = data.subarray(0, slots.length * bytes);
      return { [pictureBytes]: { data: pixels, dims: [slots.length, height, width, 3] } };
    };
  }
  const pixels = new Float32Array(batch * floats);
  return (slots) => {
    for (const [at, slot] of slots.entries()) fill(slot, pixels, at);
    const data = pixels.subarray(0, slots.length * floats);
    return { pixel_values: { data, dims: [slots.length, 3, height, width] } };
  };
}
