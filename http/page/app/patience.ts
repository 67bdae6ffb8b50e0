// Asking again what the service cannot answer yet.
import { ApiError } from './api.ts';

/** A model that still loads answers 503, work that is under way 409; both say when to ask again. Ends with `signal`. */
export async function askPatiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const asksAgain = error instanceof ApiError && (error.status === 503 || error.status === 409);
      if (!asksAgain || error.retryAfter === null) throw error;
      const { retryAfter } = error;
      await new Promise((resolve) => setTimeout(resolve, retryAfter * 1000));
      signal.throwIfAborted();
    }
  }
}
