// Several pieces of work at the same time.
import { engineErrors } from '../errors.ts';

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
  const one = async () => {
    for (const item of items) {
      if (until.aborted) throw engineErrors.CANCELLED();
      await work(item, until).catch((error) => {
        failed.abort(error);
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: together }, one));
}
