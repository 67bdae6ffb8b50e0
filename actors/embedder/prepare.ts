// From the bytes of a slot to the numbers a graph wants: RGB bytes in rows become three planes of normalised floats.
// One pass and one table look-up a value; nothing is allocated per picture.
import type { VisualSide } from '../models/contract.ts';

export interface Preparation {
  /** Bytes of one picture: width×height×3. */
  readonly bytes: number;
  /** Floats of one picture: 3×height×width. */
  readonly floats: number;
  /**
   * Writes picture `index` of a batch. `pixels`: at least `bytes` long, *borrowed*; `into`: n×3×height×width.
   * Throws RangeError when either is too short, because a short picture would silently leave old pixels behind.
   */
  fill(pixels: Uint8Array, into: Float32Array, index: number): void;
}

export function preparation({ shape, mean, std }: Pick<VisualSide, 'shape' | 'mean' | 'std'>): Preparation {
  const plane = shape.width * shape.height;
  const tables = mean.map((middle, channel) => table(middle, std[channel]!));
  const [red, green, blue] = tables as [Float32Array, Float32Array, Float32Array];
  const bytes = plane * 3;
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
      let at = 0;
      for (let r = start, g = r + plane, b = g + plane; at < bytes; r += 1, g += 1, b += 1, at += 3) {
        into[r] = red[pixels[at]!]!;
        into[g] = green[pixels[at + 1]!]!;
        into[b] = blue[pixels[at + 2]!]!;
      }
    },
  };
}

/** The float for every byte: (byte / 255 − mean) / std. */
function table(mean: number, std: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => (byte / 255 - mean) / std);
}
