// How sharp an aligned face is: what blur, enlargement and motion take away first.
import { alignedSide } from '../alignment/similarity.ts';

/** The face without hair, background and what lies beyond the edge of the picture, px of the aligned face. */
const inner = { left: 26, right: 86, top: 36, bottom: 102 } as const;

/** Variance of the Laplacian that counts as 0.5: a face of 60 px in a clip of a webcam. */
const middle = 20;

/** `face`: 112×112×3 RGB. 0 flat to 1 sharp. */
export function sharpness(face: Uint8Array): number {
  const variance = laplacianVariance(face);
  return variance / (variance + middle);
}

/** Of the brightness, 0 to 255, with the four neighbours of each pixel. */
export function laplacianVariance(face: Uint8Array): number {
  const light = brightness(face);
  let [sum, squares, count] = [0, 0, 0];
  for (let y = inner.top; y < inner.bottom; y++) {
    for (let x = inner.left; x < inner.right; x++) {
      const at = y * alignedSide + x;
      const around = light[at - 1]! + light[at + 1]! + light[at - alignedSide]! + light[at + alignedSide]!;
      const value = around - 4 * light[at]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  const mean = sum / count;
  return squares / count - mean * mean;
}

/** ITU-R BT.601. */
function brightness(face: Uint8Array): Float32Array {
  const light = new Float32Array(alignedSide * alignedSide);
  for (let at = 0, from = 0; at < light.length; at++, from += 3) {
    light[at] = 0.299 * face[from]! + 0.587 * face[from + 1]! + 0.114 * face[from + 2]!;
  }
  return light;
}
