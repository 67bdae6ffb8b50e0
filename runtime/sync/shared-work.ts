// Work that several ask for is done once for all of them, and is given up when nobody waits for it any more.
import { engineErrors } from '../errors.ts';

interface Running<T> {
  readonly result: Promise<T>;
  readonly leaving: AbortController;
  waiting: number;
}

export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  /**
   * Rejects as `work` does, and with CANCELLED when `signal` aborts first: then the others still get its
   * result. Work that was given up ends before the same is begun again.
   */
  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (;;) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      const running = this.#running.get(key);
      if (!running?.leaving.signal.aborted) return this.#wait(running ?? this.#begin(key, work), signal);
      await orAborted(
        running.result.then(
          () => {},
          () => {},
        ),
        signal,
      );
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const leaving = new AbortController();
    const result = work(leaving.signal).finally(() => this.#running.delete(key));
    // Waiting callers get the error; abandoned work has none.
    result.catch(() => {});
    const running = { result, leaving, waiting: 0 };
    this.#running.set(key, running);
    return running;
  }

  async #wait(running: Running<T>, signal: AbortSignal): Promise<T> {
    running.waiting++;
    try {
      return await orAborted(running.result, signal);
    } finally {
      running.waiting--;
      if (running.waiting === 0) running.leaving.abort();
    }
  }
}

/** Result of the promise, or CANCELLED as soon as the signal aborts. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Nobody waits for it any more, so its failure is nobody's: unhandled, it would end the process.
    promise.catch(() => {});
    throw engineErrors.CANCELLED();
  }
  const { promise: leaving, reject } = Promise.withResolvers<never>();
  const abort = () => reject(engineErrors.CANCELLED());
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, leaving]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

// Several pieces of work at the same time.

/**
 * Works on `together` of the items at a time; the first failure ends the others. Throws that failure, or
 * CANCELLED when `signal` aborts first. `until`: the signal of one piece of work.
 */
export async function sideBySide<T>(
  items: IterableIterator<T>,
  together: number,
  signal: AbortSignal | undefined,
  work: (item: T, until: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const until = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const runner = async () => {
    for (const item of items) {
      if (until.aborted) throw engineErrors.CANCELLED();
      await work(item, until).catch((error) => {
        failed.abort(error);
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: together }, runner));
}
