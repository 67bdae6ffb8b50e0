// The queue of tasks that wait: by priority, then first come first served.
import { engineErrors } from '../../../runtime/errors.ts';

interface Waiting {
  readonly priority: number;
  readonly order: number;
  readonly turn: PromiseWithResolvers<void>;
}

/** A place in the queue. */
export interface Ticket {
  /** Resolves when it may be its turn; if it is not, waiting again keeps the same place. */
  wait(signal?: AbortSignal): Promise<void>;
}

export class Turns {
  #waiting: Waiting[] = [];
  #order = 0;

  get size(): number {
    return this.#waiting.length;
  }

  ticket(priority: number): Ticket {
    const order = ++this.#order;
    return { wait: (signal) => this.#wait(priority, order, signal) };
  }

  /** Wakes the first one. */
  next(): void {
    this.#waiting.shift()?.turn.resolve();
  }

  /** Rejects all that wait. */
  end(reason: Error): void {
    for (const { turn } of this.#waiting.splice(0)) turn.reject(reason);
  }

  async #wait(priority: number, order: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw engineErrors.CANCELLED();
    const entry: Waiting = { priority, order, turn: Promise.withResolvers<void>() };
    this.#waiting.push(entry);
    this.#waiting.sort((a, b) => b.priority - a.priority || a.order - b.order);
    const leave = () => {
      this.#waiting = this.#waiting.filter((one) => one !== entry);
      entry.turn.reject(engineErrors.CANCELLED());
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await entry.turn.promise;
      if (signal?.aborted) {
        // Its turn had come already: the next one has it.
        this.next();
        throw engineErrors.CANCELLED();
      }
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }
}
