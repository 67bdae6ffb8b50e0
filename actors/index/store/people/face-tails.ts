// The packs that open face stages write to: one pair for each pair of models, which its stages share.
import { storeErrors } from '../contract.ts';
import type { Disk } from '../disk.ts';
import type { Environment } from '../environment.ts';
import { readable } from '../faults.ts';
import type { FaceModel } from '../records.ts';
import { newFaceModel, readFaceModel } from './face-model.ts';
import { FacePacks } from './face-packs.ts';

export interface FaceTail {
  readonly packs: FacePacks;
  /** Throws when this writer may not write any more: called right before anything is written. */
  readonly confirm: () => void;
  /** The first row, and the first byte of pictures, that no stage has taken. */
  nextRow: number;
  nextCrop: number;
  model: FaceModel;
}

export class FaceTails {
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #on: Disk;
  readonly #confirm: () => void;
  readonly #tails = new Map<string, FaceTail>();

  constructor(folder: string, environment: Environment, on: Disk, confirm: () => void) {
    this.#folder = folder;
    this.#environment = environment;
    this.#on = on;
    this.#confirm = confirm;
  }

  get(modelKey: string): FaceTail | undefined {
    return this.#tails.get(modelKey);
  }

  /** The current packs, or new ones when these are missing, cut or of another size. */
  of(modelKey: string, dimensions: number): FaceTail {
    const open = this.#tails.get(modelKey);
    if (open !== undefined) {
      if (open.packs.shape.dimensions === dimensions) return open;
      throw storeErrors.WRONG_DIMENSIONS(
        `dimensions: ${modelKey} is being written with ${open.packs.shape.dimensions}, not ${dimensions}`,
      );
    }
    const model = readFaceModel(this.#environment, modelKey);
    const tail =
      (model !== null && model.dimensions === dimensions ? readable(() => this.#reopen(model)) : null) ??
      this.#start(modelKey, dimensions, model);
    this.#tails.set(modelKey, tail);
    return tail;
  }

  /** Null when they are shorter than what is stored in them. */
  #reopen(model: FaceModel): FaceTail | null {
    const packs = FacePacks.open(this.#folder, shapeOf(model), 'r+', this.#on);
    try {
      if (packs.vectors.rows() < model.rows || packs.crops.end() < model.crops_end) {
        packs.close();
        return null;
      }
      packs.vectors.cutAfter(model.rows);
      packs.crops.cutAfter(model.crops_end);
      return { packs, confirm: this.#confirm, nextRow: model.rows, nextCrop: model.crops_end, model };
    } catch (error) {
      packs.close();
      throw error;
    }
  }

  #start(modelKey: string, dimensions: number, before: FaceModel | null): FaceTail {
    const model = newFaceModel(modelKey, dimensions, before?.next_generation ?? 1);
    const packs = FacePacks.create(this.#folder, shapeOf(model), this.#on);
    return { packs, confirm: this.#confirm, nextRow: 0, nextCrop: 0, model };
  }

  close(modelKey: string): void {
    this.#tails.get(modelKey)?.packs.close();
    this.#tails.delete(modelKey);
  }

  closeAll(): void {
    for (const tail of this.#tails.values()) tail.packs.close();
    this.#tails.clear();
  }
}

export function shapeOf(model: FaceModel) {
  return { modelKey: model.model_key, dimensions: model.dimensions, generation: model.generation };
}
