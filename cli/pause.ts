// Waits between two looks at something that tells of no change.
import type { Context } from './context.ts';

/** Resolves after `ms`, at once when the command is interrupted. */
export function pause({ clock, signal }: Pick<Context, 'clock' | 'signal'>, ms: number): Promise<void> {
  const over = new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
  return keptAlive(over);
}

/** What waits by the clock alone does not keep the process running. */
export async function keptAlive<T>(work: Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    return await work;
  } finally {
    clearInterval(alive);
  }
}
