// Multiplies rows of vectors with other rows, ten times as fast as a loop. The kernel is written in
// products.wat and committed assembled as products.wasm; a test assembles it again and compares. Pure but for
// the memory that it keeps.
import { readFileSync } from 'node:fs';

/**
 * `stride` bytes a row, a multiple of 16; out[i * 4 * groups + j] of row i of the left and row j of the
 * right.
 */
type Kernel = (
  left: number,
  count: number,
  right: number,
  groups: number,
  stride: number,
  out: number,
) => void;

/** Rows that lie one after the other, count×dimensions. *Borrowed.* */
export interface Factor {
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

const pageBytes = 65_536;
const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 });
const compiled = new WebAssembly.Module(readFileSync(new URL('./products.wasm', import.meta.url)));
const kernel = new WebAssembly.Instance(compiled, { memory: { rows: memory } }).exports['products'] as Kernel;

/**
 * Rows of the right side, to be multiplied with several of the left. Another one takes its place: *one at a
 * time*.
 */
export class RightSide {
  readonly count: number;
  readonly #dimensions: number;
  readonly #groups: number;
  readonly #stride: number;

  constructor({ vectors, dimensions }: Factor) {
    this.count = vectors.length / dimensions;
    this.#dimensions = dimensions;
    this.#groups = Math.ceil(this.count / 4);
    this.#stride = Math.ceil(dimensions / 4) * 16;
    this.#makeRoom(0);
    place(vectors, this.count, dimensions, 0, this.#stride);
  }

  /**
   * Dot products in float32 of `count` rows from row `first` of the left with all of the right: count ×
   * `width`, of which the first `this.count` of each row are said. *Borrowed until the next call.*
   */
  times({ vectors }: Factor, first: number, count: number): Float32Array {
    const d = this.#dimensions;
    const left = 4 * this.#groups * this.#stride;
    const out = left + count * this.#stride;
    this.#makeRoom(count);
    place(vectors.subarray(first * d, (first + count) * d), count, d, left, this.#stride);
    kernel(left, count, 0, this.#groups, this.#stride, out);
    return new Float32Array(memory.buffer, out, count * this.width);
  }

  /** Numbers from one row of products to the next. */
  get width(): number {
    return 4 * this.#groups;
  }

  #makeRoom(count: number): void {
    const bytes = (4 * this.#groups + count) * this.#stride + count * this.width * 4;
    const missing = bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  }
}

/** Rows from byte `at` on, each filled up with zeros. What lies behind them may be anything. */
function place(vectors: Float32Array, count: number, d: number, at: number, stride: number): void {
  const whole = new Float32Array(memory.buffer, at, (count * stride) / 4);
  if (d * 4 === stride) {
    whole.set(vectors);
    return;
  }
  whole.fill(0);
  for (let row = 0; row < count; row++)
    whole.set(vectors.subarray(row * d, (row + 1) * d), (row * stride) / 4);
}
