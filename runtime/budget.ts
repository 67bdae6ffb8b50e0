// Memory that a piece of work needs for a while, shared out so that all of it together stays below a limit.
// The account lies in the thread where every message passes, so what a crashed thread held is given back by
// whoever sees it end.
import { engineErrors } from './errors.ts';
import type { MailboxLane } from './mailbox.ts';
import { Line } from './sync/locks.ts';

export class Budget {
  /** Bytes, at most, of all holders together. */
  readonly limit: number;
  readonly #bytes = new Map<object, number>();
  readonly #line = new Line(() => this.free);
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get free(): number {
    return this.limit - this.#used;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Waits until so many bytes are free and keeps them for `holder`, first come first served. Errors:
   * OVER_BUDGET for more than there will ever be, CANCELLED when the signal aborts first.
   */
  async reserve(bytes: number, holder: object, signal?: AbortSignal, lane?: MailboxLane): Promise<void> {
    if (!(bytes <= this.limit)) throw overBudget(bytes, this.limit);
    const take = () => {
      this.#used += bytes;
      this.#bytes.set(holder, (this.#bytes.get(holder) ?? 0) + bytes);
    };
    await this.#line.wait(bytes, take, signal, lane);
  }

  /**
   * Gives back all of a holder; one that holds nothing is left alone, because a crash may have come first.
   */
  release(holder: object): void {
    this.#used -= this.#bytes.get(holder) ?? 0;
    if (this.#bytes.delete(holder)) this.#line.serve();
  }
}

export function overBudget(bytes: number, limit: number) {
  return engineErrors.OVER_BUDGET(`${bytes} bytes are needed, but only ${limit} may be used`, {
    bytes,
    limit,
  });
}
