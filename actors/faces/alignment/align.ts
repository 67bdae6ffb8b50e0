// The aligned face: a picture is turned, scaled and shifted until its landmarks lie on the template,
// bilinear, black beyond its edge. Large faces are taken from a halved picture, so that no more than two
// pixels become one.
import type { Picture } from '../../../runtime/picture.ts';
import type { Pyramid } from '../picture.ts';
import { arcfaceChip, type Chip, fitted, inverted, type Similarity } from './similarity.ts';

/** RGB in rows, owned by the caller. Null where the landmarks are one point, or not finite. */
export function aligned(
  pyramid: Pyramid,
  landmarks: ArrayLike<number>,
  { side, template }: Chip = arcfaceChip,
): Uint8Array<ArrayBuffer> | null {
  const there = fitted(landmarks, template);
  return there && sampled(pyramid, inverted(there), side);
}

/**
 * A square of `side` px, RGB in rows, owned by the caller. `back` leads from one of its pixels to one of the
 * picture.
 */
export function sampled(pyramid: Pyramid, back: Similarity, side: number): Uint8Array<ArrayBuffer> {
  const level = Math.max(0, Math.floor(Math.log2(Math.hypot(back.a, back.b))));
  const scale = 2 ** -level;
  // Centres of pixels stay where they are: 0.5 is the middle of the first one at each level.
  const shift = (value: number) => value * scale + (scale - 1) / 2;
  const at = { a: back.a * scale, b: back.b * scale, x0: shift(back.x0), y0: shift(back.y0) };
  return warped(pyramid.level(level), at, side);
}

/** `back` leads from a pixel of the result to one of the picture. */
export function warped(picture: Picture, back: Similarity, side: number): Uint8Array<ArrayBuffer> {
  const { data, width, height } = picture;
  const result = new Uint8Array(side * side * 3);
  const line = width * 3;
  let to = 0;
  for (let v = 0; v < side; v++) {
    for (let u = 0; u < side; u++, to += 3) {
      const x = back.a * u - back.b * v + back.x0;
      const y = back.b * u + back.a * v + back.y0;
      const left = Math.floor(x);
      const top = Math.floor(y);
      const right = x - left;
      const below = y - top;
      if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) {
        if (left >= -1 && top >= -1 && left < width && top < height) atEdge(picture, x, y, result, to);
        continue;
      }
      // Most pixels; written out, because it is the longest loop between the two graphs.
      const one = (1 - right) * (1 - below);
      const two = right * (1 - below);
      const three = (1 - right) * below;
      const four = right * below;
      const at = top * line + left * 3;
      for (let c = at; c < at + 3; c++) {
        result[to + c - at] =
          one * data[c]! + two * data[c + 3]! + three * data[c + line]! + four * data[c + line + 3]! + 0.5;
      }
    }
  }
  return result;
}

/** A pixel of which some neighbours lie beyond the picture: those are black. */
function atEdge(
  { data, width, height }: Picture,
  x: number,
  y: number,
  result: Uint8Array,
  to: number,
): void {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const sums = [0.5, 0.5, 0.5];
  for (let corner = 0; corner < 4; corner++) {
    const column = left + (corner & 1);
    const row = top + (corner >> 1);
    if (column < 0 || row < 0 || column >= width || row >= height) continue;
    const weight = (corner & 1 ? x - left : 1 - (x - left)) * (corner >> 1 ? y - top : 1 - (y - top));
    for (let c = 0; c < 3; c++) sums[c]! += weight * data[(row * width + column) * 3 + c]!;
  }
  result.set(sums, to);
}
