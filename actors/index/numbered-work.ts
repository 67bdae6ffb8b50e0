// Work that goes on over several messages, by a number: stages that are being written, and loads.
import { randomInt } from 'node:crypto';
import { storeErrors } from './store/contract.ts';
import type { OpenStage } from './store/open-work.ts';
import type { Store } from './store/store.ts';

// The stages of one kind that are being written, by the number their writer knows them by.

interface Numbered<S> {
  readonly store: Store;
  readonly stage: S;
}

export class OpenStages<S extends OpenStage> {
  readonly #open = new Map<number, Numbered<S>>();
  /** At random, so that a number of an earlier actor names no stage of this one. */
  #last = randomInt(2 ** 40);

  /** Forgets an earlier stage of the same file and model, which the store has dropped. */
  add(store: Store, stage: S): number {
    for (const [number, { store: openStore, stage: openStage }] of this.#open) {
      const same = openStage.hash === stage.hash && openStage.modelKey === stage.modelKey;
      if (openStore === store && same) this.#open.delete(number);
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

// Loads that go on over several turns, each known by a number. One that its caller left is forgotten, never
// gone on with: a load that begins makes its own list of what is stored.

/** More are not under way at a time: callers that gave up leave theirs behind. */
const mostOpen = 16;

export class OpenLoads<L> {
  readonly #open = new Map<number, L>();
  /** At random, so that a number of an earlier actor names no load of this one. */
  #last = randomInt(2 ** 40);

  /**
   * One step of the load of that number while `goesOn`, else of a new one. One that is done, or whose step
   * throws, has ended.
   */
  step(
    earlierNumber: number | null,
    goesOn: (load: L) => boolean,
    begin: () => L,
    step: (load: L) => boolean,
  ): { readonly number: number; readonly load: L; readonly done: boolean } {
    const [number, load] = this.#resume(earlierNumber, goesOn, begin);
    let done = true;
    try {
      done = step(load);
    } finally {
      if (done) this.#open.delete(number);
    }
    return { number, load, done };
  }

  #resume(number: number | null, goesOn: (load: L) => boolean, begin: () => L): [number, L] {
    const openLoad = number === null ? undefined : this.#open.get(number);
    if (number !== null && openLoad !== undefined) {
      this.#open.delete(number);
      if (goesOn(openLoad)) return this.#keep(number, openLoad);
    }
    return this.#keep(++this.#last, begin());
  }

  #keep(number: number, load: L): [number, L] {
    this.#open.set(number, load);
    for (const oldest of [...this.#open.keys()].slice(0, -mostOpen)) this.#open.delete(oldest);
    return [number, load];
  }

  get all(): Iterable<L> {
    return this.#open.values();
  }

  clear(): void {
    this.#open.clear();
  }
}
