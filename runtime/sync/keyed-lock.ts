// Content that is being worked on: the same content under another path waits for it.
export class KeyedLock {
  readonly #held = new Map<string, Promise<void>>();

  /** Waits by `wait` while others have the content, then claims it; the answer ends the claim. */
  async acquire(
    hash: string,
    wait: (earlier: Promise<void>) => Promise<void> = (earlier) => earlier,
  ): Promise<() => void> {
    for (let earlier = this.#held.get(hash); earlier; earlier = this.#held.get(hash)) {
      await wait(earlier);
    }
    // No await between the look and the claim: of several that wait only one may go on.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(hash, promise);
    return () => {
      this.#held.delete(hash);
      resolve();
    };
  }
}
