// A pause that a notice cuts short, and work with such pauses.
import type { Clock } from '../../runtime/clock.ts';
import { toFields } from '../../runtime/errors.ts';
import { clusterErrors } from './contract.ts';

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

  /**
   * Works again and again until the signal is aborted, after a pause where `work` does not answer that there
   * is more; null where it was not time to do anything. `complain` hears why it failed, once while the reason
   * stays, and not that the database is away.
   */
  async repeat(
    ms: number,
    signal: AbortSignal,
    work: () => Promise<boolean | null>,
    complain: (reason: string) => void,
  ): Promise<void> {
    let complained = '';
    while (!signal.aborted) {
      try {
        const isMore = await work();
        if (isMore !== null) complained = '';
        if (isMore) continue;
      } catch (error) {
        if (signal.aborted) return;
        const { message } = toFields(error);
        if (!clusterErrors.DATABASE_AWAY.is(error) && message !== complained) complain(message);
        complained = message;
      }
      await this.wait(ms, signal);
    }
  }
}
