// Runs a bounded number of pieces of work at the same time, urgent ones first.
import { engineErrors } from '../errors.ts';

export interface SemaphoreOptions {
  readonly urgent?: boolean;
  /** Ends the wait for a permit; work that has begun goes on. */
  readonly signal?: AbortSignal;
}

export class Semaphore {
  #free: number;
  readonly #urgent: (() => void)[] = [];
  readonly #later: (() => void)[] = [];

  /** `permits`: pieces of work at the same time, at least 1. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Pieces of work without a permit yet. */
  get waiting(): number {
    return this.#urgent.length + this.#later.length;
  }

  /**
   * Runs `work` as soon as there is a permit. Within a lane, first come first served. Rejects as `work` does, and with
   * CANCELLED when the signal aborts before there is a permit.
   */
  async run<T>(work: () => Promise<T>, { urgent = false, signal }: SemaphoreOptions = {}): Promise<T> {
    if (signal?.aborted) throw cancelled(signal);
    if (this.#free > 0) this.#free--;
    else await this.#turn(urgent ? this.#urgent : this.#later, signal);
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#later.shift();
      // The permit passes to the next in line: a new caller cannot take it in between.
      if (next) next();
      else this.#free++;
    }
  }

  async #turn(line: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      const at = line.indexOf(resolve);
      if (at < 0) return;
      line.splice(at, 1);
      reject(cancelled(signal));
    };
    line.push(resolve);
    signal?.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }
}

function cancelled(signal: AbortSignal | undefined): Error {
  return engineErrors.CANCELLED('while it waited for its turn', {}, signal?.reason);
}
