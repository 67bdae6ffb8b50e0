// The visual stages that are stored in an analysis folder, and the way to their vectors.

import type { EngineError } from '../../../runtime/errors.ts';
import { positionOf, unpackFrames } from '../visual/frames.ts';
import { readRow16 } from '../visual/quantize.ts';
import { storeErrors } from './contract.ts';
import type { Environment } from './environment.ts';
import { damaged, readAgain } from './faults.ts';
import { readModel } from './model.ts';
import { decodeModelKey, modelPrefix, stageKey, stagePrefix } from './names.ts';
import { Packs } from './packs.ts';
import { readRecord } from './read-record.ts';
import { Model, Visual } from './records.ts';
import { unseal } from './table.ts';

export class VisualStages {
  readonly #folder: string;
  readonly #reading: () => Environment | null;

  /** `reading`: the folder as it is now, or null when it holds no analysis yet. */
  constructor(folder: string, reading: () => Environment | null) {
    this.#folder = folder;
    this.#reading = reading;
  }

  model(modelKey: string): Model | null {
    return readModel(this.#reading(), modelKey);
  }

  stage(modelKey: string, hash: string): Visual | null {
    return readRecord(this.#reading(), Visual, stageKey(modelKey, hash));
  }

  /** True when there is a record of it, whole or damaged. */
  has(modelKey: string, hash: string): boolean {
    return this.#reading()?.has(stageKey(modelKey, hash)) ?? false;
  }

  /** Every media that has a stage by this model, ascending; also where its record is damaged. */
  hashes(modelKey: string): string[] {
    const prefix = stagePrefix(modelKey);
    return (
      this.#reading()
        ?.keys(prefix)
        .map((key) => key.slice(prefix.length)) ?? []
    );
  }

  /**
   * For each hash: true when its stage, by any model for null, is there and its packs hold all of its rows.
   */
  stored(modelKey: string | null, hashes: readonly string[]): boolean[] {
    if (modelKey !== null) return this.#storedBy(modelKey, hashes);
    const byModel = this.#models().map((key) => this.#storedBy(key, hashes));
    return hashes.map((_, i) => byModel.some((stored) => stored[i]));
  }

  /** For each hash the models by which it is stored so, in the order in which they came to the folder. */
  storedBy(hashes: readonly string[]): string[][] {
    const byModel = this.#models().map((key) => ({ key, stored: this.#storedBy(key, hashes) }));
    return hashes.map((_, i) => byModel.filter(({ stored }) => stored[i]).map(({ key }) => key));
  }

  /**
   * Keys, in the order in which the models came to the folder. Throws STORE_DAMAGED for one whose key is
   * lost.
   */
  #models(): string[] {
    const environment = this.#reading();
    if (environment === null) return [];
    const models = Array.from(environment.entries(modelPrefix), ({ key, value }) => {
      const encoded = decodeModelKey(key.slice(modelPrefix.length));
      if (encoded === null) return unseal(Model, key, value, environment.file);
      return readModel(environment, encoded) ?? { model_key: encoded, made_ms: 0 };
    });
    const ordered = models.sort((a, b) => a.made_ms - b.made_ms || (a.model_key < b.model_key ? -1 : 1));
    return ordered.map(({ model_key }) => model_key);
  }

  #storedBy(modelKey: string, hashes: readonly string[]): boolean[] {
    const model = this.model(modelKey);
    const rows = new Map<number, number>();
    return hashes.map((hash) => {
      let visual: Visual | null;
      try {
        visual = this.stage(modelKey, hash);
      } catch (error) {
        if (storeErrors.STORE_DAMAGED.is(error)) return false;
        throw error;
      }
      if (visual === null || model === null || visual.dimensions !== model.dimensions) return false;
      if (!rows.has(visual.generation)) rows.set(visual.generation, this.#rowsOf(modelKey, visual));
      const end = Math.max(0, ...visual.extents.map((extent) => extent.row + extent.count));
      return end <= (rows.get(visual.generation) as number);
    });
  }

  #rowsOf(modelKey: string, visual: Visual): number {
    try {
      const packs = this.packs(modelKey, visual);
      const rows = packs.rows();
      packs.close();
      return rows;
    } catch (error) {
      if (storeErrors.STORE_DAMAGED.is(error)) return -1;
      throw error;
    }
  }

  /**
   * The packs of a stage, opened for reading; the caller closes them. Throws STORE_DAMAGED naming the file.
   */
  packs(modelKey: string, of: Pick<Visual, 'dimensions' | 'generation'>): Packs {
    return Packs.open(this.#folder, { modelKey, dimensions: of.dimensions, generation: of.generation });
  }

  /** The stored vector of one frame, from its 16-bit row; null when it is not stored. */
  vector(modelKey: string, hash: string, frame: number): Float32Array<ArrayBuffer> | null {
    return readAgain(() => {
      const visual = this.stage(modelKey, hash);
      if (visual === null) return null;
      const position = positionOf(unpackFrames(visual.frame_runs), frame);
      if (position < 0) return null;
      const packs = this.packs(modelKey, visual);
      try {
        return new StageRows(visual, packs).read(position, 1);
      } finally {
        packs.close();
      }
    });
  }
}

// The 16-bit rows of a stored visual stage, read by the positions of its frames: rows that lie together in
// one read.

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

  /**
   * L2-normalised vectors of `count` positions from `position` on. Throws STORE_DAMAGED naming content and
   * file.
   */
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
