// Lets one piece of work in at a time, what is urgent first: the query of a search does not wait for an ingest.

export class Mutex {
  #busy = false;
  readonly #urgent: (() => void)[] = [];
  readonly #later: (() => void)[] = [];

  /** Runs `work` alone, after what was begun before it. Within a lane, first come first served. */
  async run<T>(work: () => Promise<T>, urgent = false): Promise<T> {
    if (this.#busy) await new Promise<void>((go) => (urgent ? this.#urgent : this.#later).push(go));
    this.#busy = true;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#later.shift();
      // Stays busy until the next one is in, so that nobody slips in between.
      if (next) next();
      else this.#busy = false;
    }
  }
}
