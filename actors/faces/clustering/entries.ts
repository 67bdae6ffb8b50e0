// The entries of a clustering: their vectors, those that may join two others apart from those that may not.
// Entries that join nobody are only counted.
import { engineErrors } from '../../../runtime/errors.ts';
import type { ClusterLabels } from '../contract.ts';

/** Rows of a tile: what one multiplication takes on each side. */
const usualTile = 1024;

/** In the column of weak entries: an entry that joins nobody. */
const joinsNobody = 2;

export class Entries {
  readonly dimensions: number;
  readonly strong: TiledRows;
  readonly weak: TiledRows;
  /** The position of each strong row among all entries, ascending; and of each weak one. */
  readonly strongAt: number[] = [];
  readonly weakAt: number[] = [];
  #count = 0;

  constructor(dimensions: number, tileRows = usualTile) {
    this.dimensions = dimensions;
    this.strong = new TiledRows(dimensions, tileRows);
    this.weak = new TiledRows(dimensions, tileRows);
  }

  get count(): number {
    return this.#count;
  }

  /**
   * All or none. `vectors`: n×d, *copied*. Throws INVALID_MESSAGE, naming an entry without direction by its
   * position.
   */
  add(vectors: Float32Array, weak: Uint8Array): void {
    const { dimensions } = this;
    if (vectors.length !== weak.length * dimensions) {
      throw engineErrors.INVALID_MESSAGE(
        `vectors: ${vectors.length} numbers are not ${weak.length} vectors of ${dimensions}`,
      );
    }
    for (let i = 0; i < weak.length; i++) {
      const fault = faultOf(vectors, i, dimensions);
      if (fault !== null) throw engineErrors.INVALID_MESSAGE(`vectors: entry ${this.count + i} ${fault}`);
    }
    for (let i = 0; i < weak.length; i++) {
      const at = this.#count++;
      if (weak[i] === joinsNobody) continue;
      const isWeak = weak[i] !== 0;
      (isWeak ? this.weak : this.strong).add(vectors.subarray(i * dimensions, (i + 1) * dimensions));
      (isWeak ? this.weakAt : this.strongAt).push(at);
    }
  }
}

/** Squared lengths beside which a vector has lost its direction, or will. */
const [leastSquare, mostSquare] = [1e-12, 1e12];

/** Null for a vector that can be compared. */
export function faultOf(vectors: Float32Array, i: number, dimensions: number): string | null {
  const square = dot(vectors, i, vectors, i, dimensions);
  if (Number.isNaN(square)) return 'is not a number somewhere';
  if (square < leastSquare) return 'has no length';
  return square > mostSquare ? 'is not of length 1' : null;
}

/** How many of the ascending `positions` lie below `limit`. */
function countBelow(positions: readonly number[], limit: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Vectors of unit length in tiles of so many rows, and what is exact about two of them.

/** Rows that lie together. */
export interface Block {
  /** count×d. */
  readonly vectors: Float32Array;
  readonly count: number;
  /** The number of each row among all rows. */
  readonly at: Int32Array;
}

export class TiledRows {
  readonly dimensions: number;
  readonly #tileRows: number;
  readonly #tiles: Float32Array[] = [];
  count = 0;

  constructor(dimensions: number, tileRows: number) {
    this.dimensions = dimensions;
    this.#tileRows = tileRows;
  }

  /** `vector` is *copied*, and brought to a length of 1. */
  add(vector: Float32Array): void {
    const at = this.count % this.#tileRows;
    if (at === 0) this.#tiles.push(new Float32Array(this.#tileRows * this.dimensions));
    const row = this.#tiles.at(-1)!.subarray(at * this.dimensions, (at + 1) * this.dimensions);
    const length = Math.sqrt(dot(vector, 0, vector, 0, this.dimensions));
    for (let k = 0; k < row.length; k++) row[k] = vector[k]! / length;
    this.count += 1;
  }

  row(number: number): Float32Array {
    const at = (number % this.#tileRows) * this.dimensions;
    return this.#tiles[Math.floor(number / this.#tileRows)]!.subarray(at, at + this.dimensions);
  }

  /** The rows from `from` up to `to`, a tile after the other. *Borrowed.* */
  blocks(from: number, to: number): Block[] {
    const blocks: Block[] = [];
    for (let first = from; first < to; ) {
      const tile = Math.floor(first / this.#tileRows);
      const last = Math.min(to, (tile + 1) * this.#tileRows);
      const start = first - tile * this.#tileRows;
      const vectors = this.#tiles[tile]!.subarray(
        start * this.dimensions,
        (start + last - first) * this.dimensions,
      );
      const begin = first;
      blocks.push({
        vectors,
        count: last - first,
        at: Int32Array.from({ length: last - first }, (_, i) => begin + i),
      });
      first = last;
    }
    return blocks;
  }

  /** Some rows, in blocks of at most a tile. *Copied.* */
  *picked(numbers: readonly number[]): Generator<Block> {
    for (let first = 0; first < numbers.length; first += this.#tileRows) {
      const at = Int32Array.from(numbers.slice(first, first + this.#tileRows));
      const vectors = new Float32Array(at.length * this.dimensions);
      at.forEach((number, i) => {
        vectors.set(this.row(number), i * this.dimensions);
      });
      yield { vectors, count: at.length, at };
    }
  }
}

/**
 * The dot product in 64 bits, always summed in the same order: what decides wherever the 32 bits of a
 * multiplication, whose order of sums depends on the shape of the blocks, do not.
 */
export function dot(a: Float32Array, i: number, b: Float32Array, j: number, dimensions: number): number {
  let [p, q, r, s] = [0, 0, 0, 0];
  let [at, to] = [i * dimensions, j * dimensions];
  const end = at + (dimensions & -4);
  for (; at < end; at += 4, to += 4) {
    p += a[at]! * b[to]!;
    q += a[at + 1]! * b[to + 1]!;
    r += a[at + 2]! * b[to + 2]!;
    s += a[at + 3]! * b[to + 3]!;
  }
  for (; at < (i + 1) * dimensions; at++, to++) p += a[at]! * b[to]!;
  return p + q + (r + s);
}

/**
 * Largest difference between the 32-bit product and the dot product of two rows, in any order of summation.
 */
export const roundingError = (dimensions: number): number => (dimensions + 8) * 2 ** -24;

// Result of an earlier clustering of the first entries: its core entries, and the connections between them.

export type EarlierLabels = Pick<ClusterLabels, 'labels' | 'neighbours'>;

const nothing: EarlierLabels = { labels: new Int32Array(0), neighbours: new Int32Array(0) };

export class EarlierEntries {
  readonly #before: EarlierLabels;
  readonly #entries: Entries;
  readonly #minSamples: number;
  /** How many strong entries, and how many weak ones, were there before. */
  readonly strong: number;
  readonly weak: number;
  /** The lowest core of each cluster, by its label. */
  readonly #firstCore = new Map<number, number>();

  /** Throws INVALID_MESSAGE when it cannot be of these entries and `minSamples`. */
  constructor(before: EarlierLabels | null, entries: Entries, minSamples: number) {
    this.#before = before ?? nothing;
    this.#entries = entries;
    this.#minSamples = minSamples;
    const { labels } = this.#before;
    if (labels.length > entries.count) {
      throw engineErrors.INVALID_MESSAGE(
        `before: ${labels.length} labels, and ${entries.count} entries were added`,
      );
    }
    this.strong = countBelow(entries.strongAt, labels.length);
    this.weak = countBelow(entries.weakAt, labels.length);
    for (let i = 0; i < this.strong; i++) this.#note(i);
    for (let at = 0; at < labels.length; at++) {
      if (labels[at]! >= 0 && !this.#firstCore.has(labels[at]!)) {
        throw engineErrors.INVALID_MESSAGE(
          `before: the cluster of entry ${at} has no entry with ${minSamples} neighbours`,
        );
      }
    }
  }

  #note(i: number): void {
    const at = this.#entries.strongAt[i]!;
    const label = this.#before.labels[at]!;
    if (!this.wasCore(i)) return;
    if (label < 0) {
      throw engineErrors.INVALID_MESSAGE(
        `before: entry ${at} has ${this.#before.neighbours[at]} neighbours and is in no cluster`,
      );
    }
    if (!this.#firstCore.has(label)) this.#firstCore.set(label, i);
  }

  wasCore(strong: number): boolean {
    return strong < this.strong && this.neighbours(this.#entries.strongAt[strong]!) >= this.#minSamples;
  }

  /** Number of neighbours of the entry at a position; 1, itself, for a new one. */
  neighbours(at: number): number {
    return this.#before.neighbours[at] ?? 1;
  }

  /** The lowest core of the cluster an entry was in, as a strong entry; -1 for a new entry and for noise. */
  coreOf(at: number): number {
    return this.#firstCore.get(this.#before.labels[at] ?? -1) ?? -1;
  }
}
