// A pause that a notice cuts short.
import type { Clock } from '../../runtime/clock.ts';

export class Alarm {
  readonly #clock: Clock;
  #isRung = false;
  #wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the pause of now, or the next one. */
  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** For `ms` at most; at once when it was rung since the last pause, or when the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      const over = Promise.withResolvers<void>();
      const wake = () => over.resolve();
      const disarm = this.#clock.after(ms, wake);
      signal.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
      await over.promise;
      this.#wake = null;
      signal.removeEventListener('abort', wake);
      disarm();
    }
    this.#isRung = false;
  }
}
