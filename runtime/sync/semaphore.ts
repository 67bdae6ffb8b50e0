// Runs a bounded number of pieces of work at the same time, urgent ones first.

export class Semaphore {
  #free: number;
  readonly #urgent: (() => void)[] = [];
  readonly #later: (() => void)[] = [];

  /** `permits`: pieces of work at the same time, at least 1. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Runs `work` as soon as there is a permit. Within a lane, first come first served. Rejects as `work` does. */
  async run<T>(work: () => Promise<T>, urgent = false): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((go) => (urgent ? this.#urgent : this.#later).push(go));
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#later.shift();
      // The permit passes to the next in line: a new caller cannot take it in between.
      if (next) next();
      else this.#free++;
    }
  }
}
