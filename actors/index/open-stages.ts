// The stages of one kind that are being written, by the number their writer knows them by.
import { randomInt } from 'node:crypto';
import { storeErrors } from './store/contract.ts';
import type { OpenStage } from './store/open-work.ts';
import type { Store } from './store/store.ts';

interface Numbered<S> {
  readonly store: Store;
  readonly stage: S;
}

export class OpenStages<S extends OpenStage> {
  readonly #open = new Map<number, Numbered<S>>();
  #last: number;

  /**
   * `first`: the number before the first stage; at random, so that a number of an earlier actor names no
   * stage of this one.
   */
  constructor(first: number = randomInt(2 ** 40)) {
    this.#last = first;
  }

  /** Forgets an earlier stage of the same file and model, which the store has dropped. */
  add(store: Store, stage: S): number {
    for (const [number, { store: other, stage: left }] of this.#open) {
      const same = left.hash === stage.hash && left.modelKey === stage.modelKey;
      if (other === store && same) this.#open.delete(number);
    }
    this.#open.set(++this.#last, { store, stage });
    return this.#last;
  }

  /** Throws STAGE_LOST. */
  get(number: number): Numbered<S> {
    const open = this.#open.get(number);
    if (open === undefined) throw this.lost(number);
    return open;
  }

  /** STAGE_LOST. */
  lost(number: number): Error {
    return storeErrors.STAGE_LOST(`stage: ${number} is not open`);
  }

  /** The stage, for its last message; undefined when it is not open. */
  remove(number: number): Numbered<S> | undefined {
    const open = this.#open.get(number);
    this.#open.delete(number);
    return open;
  }

  clear(): void {
    this.#open.clear();
  }
}
