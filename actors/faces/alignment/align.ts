// The aligned face: a picture is turned, scaled and shifted until its landmarks lie on the template,
// bilinear, black beyond its edge. Large faces are taken from a halved picture, so that no more than two
// pixels become one.
import type { Picture } from '../../../runtime/picture.ts';
import type { Pyramid } from '../picture.ts';

// The rotation, scale and shift that bring five landmarks of a face closest to those of a template (Umeyama,
// 1991).

/** x' = a·x - b·y + x0, y' = b·x + a·y + y0. */
export interface SimilarityTransform {
  readonly a: number;
  readonly b: number;
  readonly x0: number;
  readonly y0: number;
}

/** Side of an aligned face, px. */
export const alignedSide = 112;

/** A square picture of a face as a model wants it. */
export interface Chip {
  /** px. */
  readonly side: number;
  /** Where right eye, left eye, nose, right and left corner of the mouth lie in it; x, y. */
  readonly template: readonly number[];
}

/** Where ArcFace and its kin want them. */
export const template: readonly number[] = [
  38.2946, 51.6963, 73.5318, 51.5014, 56.0252, 71.7366, 41.5493, 92.3655, 70.7299, 92.2041,
];
export const arcfaceChip: Chip = { side: alignedSide, template };

/** Alignment of dlib: the five points of its own chips of 150 px with a padding of .25. */
export const dlibChip: Chip = {
  side: 150,
  template: [47.549, 46.599, 100.476, 46.599, 74.013, 76.563, 50.415, 103.023, 97.61, 103.023],
};

/**
 * The similarity from `from` to `to` with the least squared error; points as x, y, x, y. Mirroring is not
 * among them. Null where `from` is one point only, or not finite: then no scale is the best one.
 */
export function fitted(from: ArrayLike<number>, to: ArrayLike<number>): SimilarityTransform | null {
  const count = from.length / 2;
  let [fromX, fromY, toX, toY] = [0, 0, 0, 0];
  for (let at = 0; at < from.length; at += 2) {
    fromX += from[at]! / count;
    fromY += from[at + 1]! / count;
    toX += to[at]! / count;
    toY += to[at + 1]! / count;
  }
  // In the plane the best rotation without mirroring has a closed form: no singular value decomposition is
  // needed.
  let [along, across, spread] = [0, 0, 0];
  for (let at = 0; at < from.length; at += 2) {
    const x = from[at]! - fromX;
    const y = from[at + 1]! - fromY;
    const u = to[at]! - toX;
    const v = to[at + 1]! - toY;
    along += x * u + y * v;
    across += x * v - y * u;
    spread += x * x + y * y;
  }
  const a = along / spread;
  const b = across / spread;
  if (!Number.isFinite(a) || !Number.isFinite(b) || (a === 0 && b === 0)) return null;
  return { a, b, x0: toX - a * fromX + b * fromY, y0: toY - b * fromX - a * fromY };
}

export function inverted({ a, b, x0, y0 }: SimilarityTransform): SimilarityTransform {
  const square = a * a + b * b;
  const [c, d] = [a / square, -b / square];
  return { a: c, b: d, x0: -(c * x0 - d * y0), y0: -(d * x0 + c * y0) };
}

export function applied({ a, b, x0, y0 }: SimilarityTransform, x: number, y: number): [x: number, y: number] {
  return [a * x - b * y + x0, b * x + a * y + y0];
}

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
export function sampled(pyramid: Pyramid, back: SimilarityTransform, side: number): Uint8Array<ArrayBuffer> {
  const level = Math.max(0, Math.floor(Math.log2(Math.hypot(back.a, back.b))));
  const scale = 2 ** -level;
  // Centres of pixels stay where they are: 0.5 is the middle of the first one at each level.
  const shift = (value: number) => value * scale + (scale - 1) / 2;
  const at = { a: back.a * scale, b: back.b * scale, x0: shift(back.x0), y0: shift(back.y0) };
  return warped(pyramid.level(level), at, side);
}

/** `back` leads from a pixel of the result to one of the picture. */
export function warped(picture: Picture, back: SimilarityTransform, side: number): Uint8Array<ArrayBuffer> {
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
