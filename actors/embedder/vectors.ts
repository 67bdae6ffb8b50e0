// Vectors in rows, n×d: scaled to length 1 in place, so that a dot product is a cosine.
import { modelErrors } from '../models/contract.ts';

/**
 * Scales every row to length 1. Throws MODEL_RUN_FAILED for a row without a direction (all zero, NaN,
 * infinite), because such a row would silently rank nowhere or everywhere. `what` names the graph in the
 * message.
 */
export function normalizeRows(vectors: Float32Array, dimensions: number, what: string): Float32Array {
  for (let start = 0; start < vectors.length; start += dimensions) {
    const end = start + dimensions;
    let sum = 0;
    for (let at = start; at < end; at += 1) sum += vectors[at]! * vectors[at]!;
    const scale = 1 / Math.sqrt(sum);
    if (!(sum > 0) || !(scale > 0)) {
      throw modelErrors.MODEL_RUN_FAILED(`${what}: the vector of row ${start / dimensions} has no direction`);
    }
    for (let at = start; at < end; at += 1) vectors[at] = vectors[at]! * scale;
  }
  return vectors;
}
