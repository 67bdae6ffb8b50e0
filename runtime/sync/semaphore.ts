// Runs a bounded number of pieces of work at the same time, urgent ones first.
import { Line } from './line.ts';

export interface SemaphoreOptions {
  readonly urgent?: boolean;
  /** Ends the wait for a permit; work that has begun goes on. */
  readonly signal?: AbortSignal | undefined;
}

export class Semaphore {
  #free: number;
  readonly #line = new Line(() => this.#free);

  /** `permits`: pieces of work at the same time, at least 1. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Pieces of work without a permit yet. */
  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Runs `work` as soon as there is a permit. Within a lane, first come first served. Rejects as `work` does,
   * and with CANCELLED when the signal aborts before there is a permit.
   */
  async run<T>(work: () => Promise<T>, { urgent = false, signal }: SemaphoreOptions = {}): Promise<T> {
    await this.#line.wait(1, () => this.#free--, signal, urgent ? 'now' : 'later');
    try {
      return await work();
    } finally {
      this.#free++;
      this.#line.serve();
    }
  }
}
