// The entries of a clustering: their vectors, those that may join two others apart from those that may not.
import { engineErrors } from '../../../runtime/errors.ts';
import { dot, Rows } from './rows.ts';

/** Rows of a tile: what one multiplication takes on each side. */
const usualTile = 1024;

export class Entries {
  readonly dimensions: number;
  readonly strong: Rows;
  readonly weak: Rows;
  /** The position of each strong row among all entries, ascending; and of each weak one. */
  readonly strongAt: number[] = [];
  readonly weakAt: number[] = [];

  constructor(dimensions: number, tileRows = usualTile) {
    this.dimensions = dimensions;
    this.strong = new Rows(dimensions, tileRows);
    this.weak = new Rows(dimensions, tileRows);
  }

  get count(): number {
    return this.strongAt.length + this.weakAt.length;
  }

  /** All or none. `vectors`: n×d, *copied*. Throws INVALID_MESSAGE, naming an entry without direction by its position. */
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
    const first = this.count;
    for (let i = 0; i < weak.length; i++) {
      const isWeak = weak[i] !== 0;
      (isWeak ? this.weak : this.strong).add(vectors.subarray(i * dimensions, (i + 1) * dimensions));
      (isWeak ? this.weakAt : this.strongAt).push(first + i);
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
export function countBelow(positions: readonly number[], limit: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
