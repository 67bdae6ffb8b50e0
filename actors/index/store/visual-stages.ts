// The visual stages that are stored in an analysis folder, and the way to their vectors.
import { positionOf, unpackFrames } from '../visual/frames.ts';
import { readRow16 } from '../visual/quantize.ts';
import { storeErrors } from './contract.ts';
import type { Environment } from './environment.ts';
import { damaged, readAgain } from './faults.ts';
import { readModel } from './model.ts';
import { modelPrefix, stageKey, stagePrefix } from './names.ts';
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

  /** For each hash: true when its stage, by any model for null, is there and its packs hold all of its rows. */
  stored(modelKey: string | null, hashes: readonly string[]): boolean[] {
    if (modelKey !== null) return this.#storedBy(modelKey, hashes);
    const byModel = this.#models().map((key) => this.#storedBy(key, hashes));
    return hashes.map((_, i) => byModel.some((stored) => stored[i]));
  }

  #models(): string[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(
      environment.entries(modelPrefix),
      ({ key, value }) => unseal(Model, key, value, environment.file).model_key,
    );
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

  /** The packs of a stage, opened for reading; the caller closes them. Throws STORE_DAMAGED naming the file. */
  packs(modelKey: string, of: Pick<Visual, 'dimensions' | 'generation'>): Packs {
    return Packs.open(this.#folder, { modelKey, dimensions: of.dimensions, generation: of.generation });
  }

  /** The stored vector of one frame, from its 16-bit row; null when it is not stored. */
  vector(modelKey: string, hash: string, frame: number): Float32Array<ArrayBuffer> | null {
    return readAgain(() => {
      const visual = this.stage(modelKey, hash);
      if (visual === null) return null;
      let position = positionOf(unpackFrames(visual.frame_runs), frame);
      if (position < 0) return null;
      const packs = this.packs(modelKey, visual);
      try {
        for (const extent of visual.extents) {
          if (position >= extent.count) {
            position -= extent.count;
            continue;
          }
          const bytes = new Uint8Array(packs.fine.stride);
          packs.fine.read(extent.row + position, bytes);
          const vector = readRow16(bytes, visual.dimensions, frame);
          if (vector === null) throw damaged(packs.fine.file, `the row of ${hash} frame ${frame} is broken`);
          return vector;
        }
        throw damaged(packs.fine.file, `${hash} frame ${frame} has no row`);
      } finally {
        packs.close();
      }
    });
  }
}
