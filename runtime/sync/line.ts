// Those who wait for a share of something of which there is a fixed amount. Who waits first is served first,
// however large its share: else it might wait forever.
import { engineErrors } from '../errors.ts';
import { createMailbox, type Lane } from '../mailbox.ts';

interface Waiting {
  readonly amount: number;
  grant(): void;
}

export class Line {
  readonly #free: () => number;
  readonly #waiting = createMailbox<Waiting>(Infinity);

  /** `free`: how much there is now. */
  constructor(free: () => number) {
    this.#free = free;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Calls `take` as soon as `amount` is free, at once where nobody waits. Throws CANCELLED when the signal
   * aborts first.
   */
  wait<T>(amount: number, take: () => T, signal?: AbortSignal, lane: Lane = 'later'): Promise<T> {
    if (signal?.aborted) return Promise.reject(engineErrors.CANCELLED());
    if (this.size === 0 && amount <= this.#free()) return Promise.resolve(take());
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        amount,
        grant: () => {
          signal?.removeEventListener('abort', abort);
          resolve(take());
        },
      };
      const abort = () => {
        this.#waiting.remove(entry);
        reject(engineErrors.CANCELLED());
        this.serve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.offer(lane, entry);
    });
  }

  /** To be called when more has become free. */
  serve(): void {
    for (let next = this.#waiting.peek(); next && next.amount <= this.#free(); next = this.#waiting.peek()) {
      this.#waiting.take();
      next.grant();
    }
  }
}
