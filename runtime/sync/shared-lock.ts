// A lock that many hold together or one holds alone. Whoever waits to be alone goes before those that come
// later.
import { Condition } from './condition.ts';

export class SharedLock {
  #together = 0;
  #isAlone = false;
  #waiting = 0;
  readonly #changed = new Condition();

  /** Waits, by `wait`, while somebody is alone or waits to be. Answers the function that releases it. */
  async share(wait: (earlier: Promise<void>) => Promise<void> = (earlier) => earlier): Promise<() => void> {
    while (this.#isAlone || this.#waiting > 0) await wait(this.#changed.wait());
    this.#together++;
    return () => {
      this.#together--;
      this.#changed.notifyAll();
    };
  }

  /** Runs `work` while nobody else has the lock. Rejects as `work` does. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    while (this.#isAlone || this.#together > 0) await this.#changed.wait();
    this.#waiting--;
    this.#isAlone = true;
    try {
      return await work();
    } finally {
      this.#isAlone = false;
      this.#changed.notifyAll();
    }
  }
}
