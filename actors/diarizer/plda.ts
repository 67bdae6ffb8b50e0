// Probabilistic linear discriminant analysis of speaker embeddings: how likely it is that two groups of them
// are one speaker.
import { modelErrors } from '../models/contract.ts';

/**
 * In the space of a model the embeddings of one speaker vary by 1 in every direction, and speakers by
 * `between`.
 */
export interface PldaModel {
  /** The variance of speakers in each of k directions, above 0. */
  readonly between: Float64Array;
}

/** A model and the way into its space. */
export interface Plda extends PldaModel {
  /** Dimensions of an embedding. */
  readonly dimensions: number;
  /** Mean of all embeddings, d. */
  readonly mean: Float32Array;
  /** k×d: an embedding less the mean, times this, lies in the space. */
  readonly transform: Float32Array;
}

/** Directions in which speakers vary less, with 1 for the embeddings of one speaker, say nothing. */
const leastBetween = 1e-3;

/**
 * `bytes`: little-endian f32, the mean [d], the transform [d×d] row by row, the variances of speakers [d].
 * `file` names them in errors. Throws MODEL_LOAD_FAILED.
 */
export function readPlda(bytes: Uint8Array, dimensions: number, file: string): Plda {
  const expected = 4 * dimensions * (dimensions + 2);
  const wrong = (message: string) => modelErrors.MODEL_LOAD_FAILED(`${file}: ${message}`, { file });
  if (bytes.byteLength !== expected) {
    throw wrong(`has ${bytes.byteLength} bytes; a PLDA model of ${dimensions} dimensions has ${expected}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = Float32Array.from({ length: expected / 4 }, (_, at) => view.getFloat32(4 * at, true));
  if (!values.every(Number.isFinite)) throw wrong('holds a value that is no finite number');
  const variances = values.subarray(dimensions * (dimensions + 1));
  const directions = [...variances.keys()].filter((at) => variances[at]! >= leastBetween);
  if (directions.length === 0) throw wrong('says that speakers differ in no direction');
  const transform = new Float32Array(directions.length * dimensions);
  directions.forEach((row, at) => {
    const from = dimensions * (1 + row);
    transform.set(values.subarray(from, from + dimensions), at * dimensions);
  });
  return {
    dimensions,
    mean: values.slice(0, dimensions),
    transform,
    between: Float64Array.from(directions, (at) => variances[at]!),
  };
}

/**
 * n×d embeddings in the space of a model, n×k, each scaled to the length that the model expects: how far one
 * is from the mean says how clear the sound was, and not who spoke.
 */
export function inPldaSpace(
  vectors: Float32Array,
  { dimensions: d, mean, transform, between }: Plda,
): Float32Array {
  const k = between.length;
  const count = vectors.length / d;
  const expected = Math.sqrt(between.reduce((sum, variance) => sum + variance + 1, 0));
  const moved = new Float32Array(count * k);
  const around = new Float64Array(d);
  const point = new Float64Array(k);
  for (let at = 0; at < count; at++) {
    for (let i = 0; i < d; i++) around[i] = vectors[at * d + i]! - mean[i]!;
    let square = 0;
    for (let row = 0; row < k; row++) {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += transform[row * d + i]! * around[i]!;
      point[row] = sum;
      square += sum * sum;
    }
    // An embedding at the mean has no direction and stays there.
    const scale = square > 0 ? expected / Math.sqrt(square) : 0;
    for (let row = 0; row < k; row++) moved[at * k + row] = scale * point[row]!;
  }
  return moved;
}
