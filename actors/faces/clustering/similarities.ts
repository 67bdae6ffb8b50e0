// How similar reference pictures are to groups of entries.
import { engineErrors } from '../../../runtime/errors.ts';
import { type Entries, faultOf } from './entries.ts';
import type { Product } from './product.ts';
import { Rows } from './rows.ts';

/** Entries of a group that count: a person looks different in most pictures, and the same in some. */
const mostSimilar = 3;
/** Of a group without entries: no group is less similar. */
const leastSimilarity = -1;

export interface Similarities {
  readonly groups: number;
  /** m×groups. */
  readonly similarities: Float32Array<ArrayBuffer>;
}

/**
 * For each reference and group the mean cosine of the three entries of the group that are most like it, of all of them where
 * there are fewer; -1 for a group without entries. `groups`: one an entry, -1 for none. Throws INVALID_MESSAGE.
 */
export async function similarities(
  entries: Entries,
  product: Product,
  groups: Int32Array,
  references: Float32Array,
): Promise<Similarities> {
  if (groups.length !== entries.count) {
    throw engineErrors.INVALID_MESSAGE(
      `groups: ${groups.length} are not one for each of ${entries.count} entries`,
    );
  }
  const left = checkedReferences(references, entries.dimensions);
  const count = groups.reduce((most, group) => Math.max(most, group), -1) + 1;
  const best = new Float32Array(left.count * count * mostSimilar).fill(Number.NEGATIVE_INFINITY);
  for (const [rows, positions] of [
    [entries.strong, entries.strongAt],
    [entries.weak, entries.weakAt],
  ] as const) {
    for (const block of left.blocks(0, left.count)) {
      for (const right of rows.blocks(0, rows.count)) {
        await product.multiply(block, right, entries.dimensions);
        const { cosines } = product;
        for (let i = 0; i < block.count; i++) {
          for (let j = 0; j < right.count; j++) {
            const group = groups[positions[right.at[j]!]!]!;
            if (group >= 0)
              insert(best, (block.at[i]! * count + group) * mostSimilar, cosines[i * right.count + j]!);
          }
        }
      }
    }
  }
  return { groups: count, similarities: means(best) };
}

function checkedReferences(references: Float32Array, dimensions: number): Rows {
  const count = references.length / dimensions;
  if (!Number.isInteger(count)) {
    throw engineErrors.INVALID_MESSAGE(
      `references: ${references.length} numbers are no vectors of ${dimensions}`,
    );
  }
  const rows = new Rows(dimensions, Math.max(1, Math.min(count, 256)));
  for (let i = 0; i < count; i++) {
    const fault = faultOf(references, i, dimensions);
    if (fault !== null) throw engineErrors.INVALID_MESSAGE(`references: vector ${i} ${fault}`);
    rows.add(references.subarray(i * dimensions, (i + 1) * dimensions));
  }
  return rows;
}

/** Keeps the greatest values of a list, descending. */
function insert(best: Float32Array, first: number, cosine: number): void {
  let at = first + mostSimilar - 1;
  if (cosine <= best[at]!) return;
  for (; at > first && best[at - 1]! < cosine; at--) best[at] = best[at - 1]!;
  best[at] = cosine;
}

function means(best: Float32Array): Float32Array<ArrayBuffer> {
  const result = new Float32Array(best.length / mostSimilar);
  for (let i = 0; i < result.length; i++) {
    const found = best
      .subarray(i * mostSimilar, (i + 1) * mostSimilar)
      .filter((cosine) => cosine > Number.NEGATIVE_INFINITY);
    const sum = found.reduce((total, cosine) => total + cosine, 0);
    result[i] = found.length === 0 ? leastSimilarity : sum / found.length;
  }
  return result;
}
