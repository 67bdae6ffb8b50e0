// The rotation, scale and shift that bring five landmarks of a face closest to those of a template (Umeyama,
// 1991).

/** x' = a·x - b·y + x0, y' = b·x + a·y + y0. */
export interface Similarity {
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

/** As dlib wants it: the five points of its own chips of 150 px with a padding of .25. */
export const dlibChip: Chip = {
  side: 150,
  template: [47.549, 46.599, 100.476, 46.599, 74.013, 76.563, 50.415, 103.023, 97.61, 103.023],
};

/**
 * The similarity from `from` to `to` with the least squared error; points as x, y, x, y. Mirroring is not
 * among them. Null where `from` is one point only, or not finite: then no scale is the best one.
 */
export function fitted(from: ArrayLike<number>, to: ArrayLike<number>): Similarity | null {
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

export function inverted({ a, b, x0, y0 }: Similarity): Similarity {
  const square = a * a + b * b;
  const [c, d] = [a / square, -b / square];
  return { a: c, b: d, x0: -(c * x0 - d * y0), y0: -(d * x0 + c * y0) };
}

export function applied({ a, b, x0, y0 }: Similarity, x: number, y: number): [x: number, y: number] {
  return [a * x - b * y + x0, b * x + a * y + y0];
}
