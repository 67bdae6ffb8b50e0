// Waits between two looks at something that tells of no change.
import type { Context } from './context.ts';

/** Resolves after `ms`, at once when the command is interrupted. */
export function pause({ clock, signal }: Pick<Context, 'clock' | 'signal'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // The clock alone does not keep the process running.
    const alive = setInterval(() => {}, 2 ** 30);
    const done = () => {
      clearInterval(alive);
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
