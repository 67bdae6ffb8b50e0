// Finds eps from the distances of a bounded sample to all strong entries. The sample is chosen by what the vectors are, so that
// their order changes nothing.
import { bins, binWidth, epsFrom } from './eps.ts';
import type { Product } from './product.ts';
import { type Block, dot, type Rows, roundingError } from './rows.ts';

/** Entries whose distances are looked at. */
const sampled = 512;

/**
 * Yields the part that is done, 0 to 1, after each multiplication; ends with eps. `own`: the one that suits the model, which is
 * the answer where the distances have no structure.
 */
export async function* findEps(rows: Rows, product: Product, own: number): AsyncGenerator<number, number> {
  const sample = yield* sampleOf(rows);
  const histograms = sample.map(() => new Float64Array(bins));
  const numbers = new Map(sample.map((number, i) => [number, i]));
  let done = 0;
  for (const left of rows.picked(sample)) {
    for (const right of rows.blocks(0, rows.count)) {
      await product.multiply(left, right, rows.dimensions);
      for (let row = 0; row < left.count; row++) {
        fill(histograms[numbers.get(left.at[row]!)!]!, left, row, right, product, rows.dimensions);
      }
      done += left.count * right.count;
      yield done / (sample.length * rows.count);
    }
  }
  return epsFrom({ ...pooled(histograms), faces: rows.count, own }) ?? own;
}

/** Rows with the lowest hashes of their bits. */
function* sampleOf(rows: Rows): Generator<number, number[]> {
  const hashes = new Uint32Array(rows.count);
  for (const { vectors, at } of rows.blocks(0, rows.count)) {
    const bits = new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
    for (const [i, number] of at.entries()) hashes[number] = hashOf(bits, i, rows.dimensions);
    yield 0;
  }
  return [...hashes.keys()].sort((a, b) => hashes[a]! - hashes[b]! || a - b).slice(0, sampled);
}

/** FNV-1a over the words of a row. */
function hashOf(bits: Uint32Array, row: number, dimensions: number): number {
  let hash = 0x811c9dc5;
  for (let at = row * dimensions; at < (row + 1) * dimensions; at++) {
    hash = Math.imul(hash ^ bits[at]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/** Counts the distances of a row to a block, but for the one to itself. Near an edge of a bin the exact distance counts. */
function fill(
  histogram: Float64Array,
  left: Block,
  row: number,
  right: Block,
  { cosines }: Product,
  dimensions: number,
): void {
  const unsure = roundingError(dimensions) / binWidth;
  const self = left.at[row]!;
  const first = row * right.count;
  for (let column = 0; column < right.count; column++) {
    if (right.at[column] === self) continue;
    let place = (1 - cosines[first + column]!) / binWidth;
    const edge = Math.round(place);
    if (Math.abs(place - edge) <= unsure) {
      place = (1 - dot(left.vectors, row, right.vectors, column, dimensions)) / binWidth;
    }
    histogram[place <= 0 ? 0 : place >= bins ? bins - 1 : Math.floor(place)]! += 1;
  }
}

/** The histograms of all rows together, and those of the distances to their 1st, 2nd, 4th, … neighbour. */
function pooled(histograms: readonly Float64Array[]): { all: Float64Array; neighbours: Float64Array } {
  const [all, neighbours] = [new Float64Array(bins), new Float64Array(bins)];
  for (const histogram of histograms) {
    let [seen, rank] = [0, 1];
    for (const [bin, count] of histogram.entries()) {
      all[bin]! += count;
      for (seen += count; rank <= seen; rank *= 2) neighbours[bin]! += 1;
    }
  }
  return { all, neighbours };
}
