// How alike two voice vectors are: by cosine, or by a PLDA model (two-covariance form).
import { readFileSync } from 'node:fs';

/** More is more alike. Both of the same length. */
export type Scorer = (one: Float32Array, other: Float32Array) => number;

export const cosine: Scorer = (one, other) => one.reduce((sum, x, at) => sum + x * other[at]!, 0);

/**
 * After `transform` (d×d, row after row) of what differs from `mean`, variation within a voice is 1 in every direction and
 * variation between voices is `between`.
 */
export interface PldaFile {
  readonly mean: ArrayLike<number>;
  readonly transform: ArrayLike<number>;
  readonly between: ArrayLike<number>;
}

/** 32-bit floats, the lowest byte first: mean, transform, between. Throws Error when the size does not fit. */
export function readPlda(path: string, d: number): PldaFile {
  const bytes = readFileSync(path);
  const wanted = 4 * (d * d + 2 * d);
  if (bytes.length !== wanted) throw new Error(`${path}: ${bytes.length} bytes, not ${wanted}`);
  const values = Float32Array.from({ length: wanted / 4 }, (_, at) => bytes.readFloatLE(4 * at));
  if (!values.every(Number.isFinite)) throw new Error(`${path}: holds what is no number`);
  const between = values.subarray(d * d + d);
  if (!between.every((x) => x >= 0)) throw new Error(`${path}: between has values below 0`);
  return { mean: values.subarray(0, d), transform: values.subarray(d, d * d + d), between };
}

/** Log-likelihood ratio of one voice against two. */
export function pldaScorer({ mean, transform, between }: PldaFile): Scorer {
  const d = mean.length;
  const known = new WeakMap<Float32Array, Float64Array>();
  const projected = (vector: Float32Array) => {
    const done = known.get(vector);
    if (done) return done;
    const made = new Float64Array(d);
    for (let row = 0; row < d; row++) {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += transform[row * d + i]! * (vector[i]! - mean[i]!);
      made[row] = sum;
    }
    known.set(vector, made);
    return made;
  };
  return (one, other) => {
    const [a, b] = [projected(one), projected(other)];
    let ratio = 0;
    for (let i = 0; i < d; i++) ratio += pairRatio(a[i]!, b[i]!, between[i]!);
    return ratio;
  };
}

/** One direction: N([a b]; 0, [[1+s, s], [s, 1+s]]) over N(a; 0, 1+s) N(b; 0, 1+s), logarithm. */
function pairRatio(a: number, b: number, s: number): number {
  const alone = 1 + s;
  const determinant = 1 + 2 * s;
  const together = (alone * (a * a + b * b) - 2 * s * a * b) / determinant;
  return 0.5 * ((a * a + b * b) / alone - together + 2 * Math.log(alone) - Math.log(determinant));
}
