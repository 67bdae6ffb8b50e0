// The aligned face: a picture is turned, scaled and shifted until its landmarks lie on the template, bilinear, black beyond
// its edge. Large faces are taken from a halved picture, so that no more than two pixels become one.
import type { Picture, Pyramid } from '../picture.ts';
import { alignedSide, fitted, inverted, type Similarity, template } from './similarity.ts';

/** 112×112×3 RGB in rows, owned by the caller. Null where the landmarks are one point, or not finite. */
export function aligned(pyramid: Pyramid, landmarks: ArrayLike<number>): Uint8Array<ArrayBuffer> | null {
  const there = fitted(landmarks, template);
  if (!there) return null;
  const back = inverted(there);
  const level = Math.max(0, Math.floor(Math.log2(Math.hypot(back.a, back.b))));
  const scale = 2 ** -level;
  // Centres of pixels stay where they are: 0.5 is the middle of the first one at each level.
  const shift = (value: number) => value * scale + (scale - 1) / 2;
  const at = { a: back.a * scale, b: back.b * scale, x0: shift(back.x0), y0: shift(back.y0) };
  return warped(pyramid.level(level), at, alignedSide);
}

/** `back` leads from a pixel of the result to one of the picture. */
export function warped(picture: Picture, back: Similarity, side: number): Uint8Array<ArrayBuffer> {
  const { data, width, height } = picture;
  const result = new Uint8Array(side * side * 3);
  let to = 0;
  for (let v = 0; v < side; v++) {
    for (let u = 0; u < side; u++, to += 3) {
      const x = back.a * u - back.b * v + back.x0;
      const y = back.b * u + back.a * v + back.y0;
      const left = Math.floor(x);
      const top = Math.floor(y);
      if (left < -1 || top < -1 || left >= width || top >= height) continue;
      const right = x - left;
      const below = y - top;
      const weights = [(1 - right) * (1 - below), right * (1 - below), (1 - right) * below, right * below];
      for (let corner = 0; corner < 4; corner++) {
        const column = left + (corner & 1);
        const line = top + (corner >> 1);
        if (column < 0 || line < 0 || column >= width || line >= height) weights[corner] = 0;
      }
      const from = (top * width + left) * 3;
      const under = from + width * 3;
      const [one, two, three, four] = weights as [number, number, number, number];
      for (let c = 0; c < 3; c++) {
        const sum =
          (one && one * data[from + c]!) +
          (two && two * data[from + 3 + c]!) +
          (three && three * data[under + c]!) +
          (four && four * data[under + 3 + c]!);
        result[to + c] = sum + 0.5;
      }
    }
  }
  return result;
}
