// The packs that open stages write to: one pair a model, which its stages share.
import { storeErrors } from './contract.ts';
import type { Disk } from './disk.ts';
import type { Environment } from './environment.ts';
import { storeFault } from './faults.ts';
import { readModel } from './model.ts';
import { Packs } from './packs.ts';
import type { Model } from './records.ts';
import type { Tail } from './stage.ts';

/** What a model's packs were like when the first stage began; `model` changes with every commit. */
export interface ModelTail extends Tail {
  model: Model;
}

export class Tails {
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #on: Disk;
  readonly #confirm: () => void;
  readonly #now: () => number;
  readonly #tails = new Map<string, ModelTail>();

  /** `confirm` throws when this writer may not write any more. */
  constructor(
    folder: string,
    environment: Environment,
    on: Disk,
    confirm: () => void,
    now: () => number = Date.now,
  ) {
    this.#folder = folder;
    this.#environment = environment;
    this.#on = on;
    this.#confirm = confirm;
    this.#now = now;
  }

  /** The tail of a model that has an open stage. */
  get(modelKey: string): ModelTail | undefined {
    return this.#tails.get(modelKey);
  }

  /**
   * The packs a model's stages write to: the current ones, or new ones when these are missing, cut or of
   * another size.
   */
  of(modelKey: string, dimensions: number): ModelTail {
    const open = this.#tails.get(modelKey);
    if (open !== undefined) {
      if (open.packs.shape.dimensions === dimensions) return open;
      throw storeErrors.WRONG_DIMENSIONS(
        `dimensions: ${modelKey} is being written with ${open.packs.shape.dimensions}, not ${dimensions}`,
      );
    }
    const model = readModel(this.#environment, modelKey);
    const tail =
      (model !== null && model.dimensions === dimensions ? this.#reopen(model) : null) ??
      this.#startPacks(modelKey, dimensions, model);
    this.#tails.set(modelKey, tail);
    return tail;
  }

  #reopen(model: Model): ModelTail | null {
    let packs: Packs;
    try {
      packs = Packs.open(this.#folder, shapeOf(model), 'r+', this.#on);
    } catch (error) {
      if (storeErrors.STORE_DAMAGED.is(error)) return null;
      throw error;
    }
    try {
      if (packs.rows() < model.rows) {
        packs.close();
        return null;
      }
      packs.coarse.cutAfter(model.rows);
      packs.fine.cutAfter(model.rows);
      return { packs, confirm: this.#confirm, next: model.rows, model };
    } catch (error) {
      packs.close();
      throw storeFault(error, packs.coarse.file, 'write');
    }
  }

  #startPacks(modelKey: string, dimensions: number, before: Model | null): ModelTail {
    const generation = before?.next_generation ?? 1;
    const model: Model = {
      model_key: modelKey,
      dimensions,
      generation,
      next_generation: generation + 1,
      rows: 0,
      live: 0,
      made_ms: before?.made_ms ?? this.#now(),
    };
    const packs = Packs.create(this.#folder, shapeOf(model), this.#on);
    return { packs, confirm: this.#confirm, next: 0, model };
  }

  /** Closes the packs of one model. */
  close(modelKey: string): void {
    this.#tails.get(modelKey)?.packs.close();
    this.#tails.delete(modelKey);
  }

  closeAll(): void {
    for (const tail of this.#tails.values()) tail.packs.close();
    this.#tails.clear();
  }
}

function shapeOf(model: Model) {
  return { modelKey: model.model_key, dimensions: model.dimensions, generation: model.generation };
}
