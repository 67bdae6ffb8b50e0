// The 16-bit rows of a stored visual stage, read by the positions of its frames: rows that lie together in one read.
import type { EngineError } from '../../../runtime/errors.ts';
import { unpackFrames } from '../visual/frames.ts';
import { readRow16 } from '../visual/quantize.ts';
import { storeErrors } from './contract.ts';
import { damaged } from './faults.ts';
import type { Packs } from './packs.ts';
import type { Visual } from './records.ts';

export class StageRows {
  /** Grid frames of the stage, ascending; a position is a place in it. */
  readonly frames: Int32Array;
  readonly #visual: Visual;
  readonly #packs: Packs;

  /** `packs` stay the caller's. */
  constructor(visual: Visual, packs: Packs) {
    this.#visual = visual;
    this.#packs = packs;
    this.frames = unpackFrames(visual.frame_runs);
  }

  /** L2-normalised vectors of `count` positions from `position` on. Throws STORE_DAMAGED naming content and file. */
  read(position: number, count: number): Float32Array<ArrayBuffer> {
    const { dimensions } = this.#visual;
    const vectors = new Float32Array(count * dimensions);
    let first = 0;
    for (const extent of this.#visual.extents) {
      const from = Math.max(position, first);
      const to = Math.min(position + count, first + extent.count);
      if (from < to) this.#readRows(extent.row + from - first, from, to, vectors, from - position);
      first += extent.count;
    }
    if (position + count > Math.min(first, this.frames.length)) throw this.#damaged('rows are missing');
    return vectors;
  }

  #readRows(row: number, from: number, to: number, vectors: Float32Array, at: number): void {
    const { dimensions } = this.#visual;
    const { fine } = this.#packs;
    const bytes = new Uint8Array((to - from) * fine.stride);
    try {
      fine.read(row, bytes);
    } catch (error) {
      throw this.#named(error);
    }
    for (let i = 0; i < to - from; i++) {
      const one = bytes.subarray(i * fine.stride, (i + 1) * fine.stride);
      const vector = readRow16(one, dimensions, this.frames[from + i]!);
      if (vector === null) throw this.#damaged(`the row of frame ${this.frames[from + i]} is broken`);
      vectors.set(vector, (at + i) * dimensions);
    }
  }

  /** Says of which content it was read; the error itself stays the cause. */
  #named(error: unknown): unknown {
    return storeErrors.STORE_DAMAGED.is(error) ? ofContent(this.#visual.hash_str, error) : error;
  }

  #damaged(what: string): EngineError {
    return damaged(this.#packs.fine.file, `${this.#visual.hash_str}: ${what}`);
  }
}

export function ofContent(hash: string, error: EngineError): EngineError {
  return storeErrors.STORE_DAMAGED(`${hash}: ${error.message}`, error.details, error);
}
