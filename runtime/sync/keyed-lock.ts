// One lock for each key: work on the same key waits, work on other keys goes on.
export class KeyedLock {
  readonly #held = new Map<string, Promise<void>>();

  /** Waits, by `wait`, while another holder has the key. Answers the function that releases it. */
  async acquire(
    key: string,
    wait: (earlier: Promise<void>) => Promise<void> = (earlier) => earlier,
  ): Promise<() => void> {
    for (let earlier = this.#held.get(key); earlier; earlier = this.#held.get(key)) {
      await wait(earlier);
    }
    // No await between the check and the set: of several that wait, one goes on.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(key, promise);
    return () => {
      this.#held.delete(key);
      resolve();
    };
  }
}
