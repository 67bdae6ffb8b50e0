// A condition variable: a waiter checks its predicate, waits for a notification, and checks again.
export class Condition {
  #waiting: (() => void)[] = [];

  notifyAll(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** Resolves at the next notification, or when the signal aborts; at once when it is aborted already. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (!signal) return void this.#waiting.push(resolve);
      if (signal.aborted) return resolve();
      const go = () => {
        signal.removeEventListener('abort', go);
        resolve();
      };
      // If nobody notifies, the listener goes with the signal.
      signal.addEventListener('abort', go, { once: true });
      this.#waiting.push(go);
    });
  }
}
