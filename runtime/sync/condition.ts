// Wakes who waits for a change that only the waiting one can judge: wait, look, wait again.
export class Condition {
  #waiting: (() => void)[] = [];

  notifyAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** Resolves at the next notification, or when the signal aborts; at once when it is aborted already. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const go = () => {
        signal.removeEventListener('abort', go);
        resolve();
      };
      // A condition that nobody notifies any more is not kept alive by a signal: both end with the turn.
      signal.addEventListener('abort', go, { once: true });
      this.#waiting.push(go);
    });
  }
}
