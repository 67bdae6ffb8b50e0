// Multiplies blocks of vectors with each other: onnxruntime writes the cosines into memory that the kernel
// looks through, so that they are copied nowhere.

import { readFileSync } from 'node:fs';
import type { Log } from '../../../runtime/log.ts';
import { type ModelSession, openSession } from '../../models/session.ts';
import { onnxBytes } from '../../models/starter/graph/onnx.ts';

// The kernel that finds similar pairs, written in similar.wat and committed assembled as similar.wasm; a test
// assembles it again and compares.

/**
 * Writes the indices of the `count` float32s from byte `values` on that are at least `least` to byte `out`:
 * how many.
 */
type Reaching = (values: number, count: number, least: number, out: number) => number;

export interface ProductKernel {
  readonly reaching: Reaching;
}

const compiled = new WebAssembly.Module(readFileSync(new URL('./similar.wasm', import.meta.url)));

export function kernelOver(memory: WebAssembly.Memory): ProductKernel {
  const instance = new WebAssembly.Instance(compiled, { memory: { cosines: memory } });
  return instance.exports as unknown as ProductKernel;
}

const pageBytes = 65_536;

export interface ProductOptions {
  /** Threads of the multiplication; 0 leaves it to the runtime. */
  readonly threads: number;
  readonly log: Log;
}

/** Rows that follow each other, count×d. */
export interface FaceFactor {
  readonly vectors: Float32Array;
  readonly count: number;
}

export class Product {
  readonly #session: ModelSession;
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 });
  readonly #kernel: ProductKernel = kernelOver(this.#memory);
  /** Left rows × right rows. *Borrowed until the next multiplication.* */
  cosines: Float32Array = new Float32Array(0);
  /** Result of `reaching`. *Borrowed until the next call.* */
  matches: Int32Array = new Int32Array(0);
  #columns = 0;

  private constructor(session: ModelSession) {
    this.#session = session;
  }

  /** Throws MODEL_LOAD_FAILED. */
  static async open({ threads, log }: ProductOptions): Promise<Product> {
    return new Product(await openSession(graph(), { device: 'cpu', threads, log }));
  }

  /** Afterwards `cosines` and `reaching` speak of these. Throws MODEL_RUN_FAILED. */
  async multiply(left: FaceFactor, right: FaceFactor, dimensions: number): Promise<void> {
    const [rows, columns] = [left.count, right.count];
    this.#makeRoom(rows, columns);
    await this.#session.run(
      {
        left: { data: left.vectors, dims: [rows, dimensions] },
        right: { data: right.vectors, dims: [columns, dimensions] },
      },
      ['cosines'],
      { cosines: { data: this.cosines, dims: [rows, columns] } },
    );
  }

  /**
   * Writes the first `columns` of a row whose cosine is at least `least` to `matches`, ascending: how many
   * there are.
   */
  reaching(row: number, columns: number, least: number): number {
    return this.#kernel.reaching(row * this.#columns * 4, columns, least, this.matches.byteOffset);
  }

  #makeRoom(rows: number, columns: number): void {
    this.#columns = columns;
    const cosineBytes = rows * columns * 4;
    const bytes = cosineBytes + columns * 4;
    const missing = bytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes));
    this.cosines = new Float32Array(this.#memory.buffer, 0, rows * columns);
    this.matches = new Int32Array(this.#memory.buffer, cosineBytes, columns);
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

/** cosines = left · rightᵀ, for any number of rows and dimensions. */
function graph(): Uint8Array {
  return onnxBytes({
    name: 'cosines',
    inputs: [
      { name: 'left', type: 'float', dims: ['rows', 'dimensions'] },
      { name: 'right', type: 'float', dims: ['columns', 'dimensions'] },
    ],
    outputs: [{ name: 'cosines', type: 'float', dims: ['rows', 'columns'] }],
    nodes: [{ op: 'Gemm', inputs: ['left', 'right'], outputs: ['cosines'], attributes: { transB: 1 } }],
    initializers: new Map(),
  });
}
