// The pairs of two blocks that lie within eps. Where the rounding of a multiplication leaves open whether a pair does, its
// exact dot product decides: so blocks of any shape, and any thread, find the same pairs.
import type { Product } from './product.ts';
import { type Block, dot, roundingError } from './rows.ts';

/** Numbers of the rows of a pair, and their cosine but for the rounding. */
export type Visit = (left: number, right: number, cosine: number) => void;

/** Vectors come as 32-bit numbers, so that the distance of a vector to itself is this far from 0 at most. */
const slack = 1e-6;

export class Pairs {
  /** Pairs that were decided by their exact dot product. */
  decided = 0;
  readonly #product: Product;
  readonly #dimensions: number;
  readonly #least: number;

  constructor(product: Product, dimensions: number, eps: number) {
    this.#product = product;
    this.#dimensions = dimensions;
    this.#least = 1 - eps - slack;
  }

  /** `isBelow`: only pairs whose right number is lower than the left one; numbers of `right` follow each other then. */
  async visit(left: Block, right: Block, isBelow: boolean, visit: Visit): Promise<void> {
    await this.#product.multiply(left, right, this.#dimensions);
    const { cosines, found } = this.#product;
    const error = roundingError(this.#dimensions);
    const [candidate, certain] = [this.#least - error, this.#least + error];
    // The bar is rounded to 32 bits, which moves it by less than the slack in `error`.
    for (let row = 0; row < left.count; row++) {
      const number = left.at[row]!;
      const to = isBelow ? Math.min(right.count, number - right.at[0]!) : right.count;
      if (to <= 0) continue;
      const count = this.#product.reaching(row, to, candidate);
      const first = row * right.count;
      for (let i = 0; i < count; i++) {
        const column = found[i]!;
        const cosine = cosines[first + column]!;
        if (cosine >= certain || this.#decide(left, row, right, column)) {
          visit(number, right.at[column]!, cosine);
        }
      }
    }
  }

  #decide(left: Block, row: number, right: Block, column: number): boolean {
    this.decided += 1;
    return dot(left.vectors, row, right.vectors, column, this.#dimensions) >= this.#least;
  }
}
