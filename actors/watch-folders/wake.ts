// The pause of a loop: it ends after a while, or at once when somebody has news.
import type { Clock } from '../../runtime/clock.ts';

export class Wake {
  readonly #clock: Clock;
  #go: (() => void) | null = null;
  #hasNews = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the pause, or the next one when there is none now. */
  news(): void {
    this.#hasNews = true;
    this.#go?.();
  }

  /** Resolves after `ms`, null being never; true when there was news first. */
  async wait(ms: number | null): Promise<boolean> {
    if (!this.#hasNews) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#go = resolve;
      const disarm = ms === null ? () => {} : this.#clock.after(Math.max(0, ms), resolve);
      await promise;
      disarm();
      this.#go = null;
    }
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }
}
