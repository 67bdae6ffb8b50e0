// How alike two voice vectors are: by cosine, or by a PLDA model (two-covariance form).
import { readFileSync } from 'node:fs';
import { type Plda, readPlda } from '../../actors/diarizer/plda.ts';

/** More is more alike. Both of the same length. */
export type Scorer = (first: Float32Array, second: Float32Array) => number;

export const cosine: Scorer = (first, second) => first.reduce((sum, x, at) => sum + x * second[at]!, 0);

/** Dimensions of the vectors of starter-speaker. */
const dimensions = 128;

/** Scores by the PLDA in a file. Throws what `readPlda` throws. */
export function pldaScorerOf(file: string): Scorer {
  return pldaScorer(readPlda(readFileSync(file), dimensions, file));
}

/**
 * Log-likelihood ratio of one voice against two. Vectors keep their length, which clustering does not let
 * them.
 */
export function pldaScorer({
  dimensions: d,
  mean,
  transform,
  between,
}: Pick<Plda, 'dimensions' | 'mean' | 'transform' | 'between'>): Scorer {
  const k = between.length;
  const projections = new WeakMap<Float32Array, Float64Array>();
  const projected = (vector: Float32Array) => {
    const done = projections.get(vector);
    if (done) return done;
    const projection = new Float64Array(k);
    for (let row = 0; row < k; row++) {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += transform[row * d + i]! * (vector[i]! - mean[i]!);
      projection[row] = sum;
    }
    projections.set(vector, projection);
    return projection;
  };
  return (first, second) => {
    const [a, b] = [projected(first), projected(second)];
    let ratio = 0;
    for (let i = 0; i < k; i++) ratio += pairRatio(a[i]!, b[i]!, between[i]!);
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
