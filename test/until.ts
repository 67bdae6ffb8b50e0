// Waits for a fact: never for a while, and never without an end.
import { AssertionError } from 'node:assert';

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

export interface Waiting {
  /** ms. Well below the time limit of a test, so that the failure says what was waited for. */
  readonly within?: number;
  /** Resolves when it is worth asking again, and when the signal aborts; `pause` below when left out. */
  readonly next?: (signal: AbortSignal) => Promise<unknown>;
}

/** Facts of this process come true within a few turns of its event loop. */
const turns = 100;
/** ms. Others need the processor that asking takes. */
const [shortest, longest] = [1, 10];
/** ms. What takes longer is asked of another process: that one works on it for as long. */
const elsewhere = 2;
/** Of the time, how much passes between two such questions; and ms at most. */
const [rest, longestRest] = [5, 250];

const pause = (asked: number, took: number) =>
  new Promise((resolve) => {
    if (took > elsewhere) setTimeout(resolve, Math.min(longestRest, rest * took));
    else if (asked < turns) setImmediate(resolve);
    else setTimeout(resolve, Math.min(longest, shortest + (asked - turns) / 10));
  });

/** For a fact that asking itself brings nearer, as by a clock that it moves. */
export const eachTurn: Waiting = { next: () => new Promise(setImmediate) };

/**
 * Resolves with what `fact` answers as soon as that is truthy; fails with the source of `fact` when it never
 * is.
 */
export async function until<T>(
  fact: () => T | Promise<T>,
  { within = 30_000, next }: Waiting = {},
): Promise<Truthy<T>> {
  const limit = new AbortController();
  // Keeps the process alive, so that a fact that nothing works on any more is named too.
  const timer = setTimeout(() => limit.abort(), within);
  try {
    for (let asked = 1; ; asked++) {
      const began = performance.now();
      const found = await fact();
      if (found) return found as Truthy<T>;
      const took = performance.now() - began;
      if (limit.signal.aborted) throw notTrue(fact, within);
      await (next?.(limit.signal) ?? pause(asked, took));
    }
  } finally {
    clearTimeout(timer);
  }
}

function notTrue(fact: () => unknown, within: number): AssertionError {
  const message = `not true within ${within} ms: ${fact.toString().replace(/\s+/g, ' ')}`;
  return new AssertionError({ message, operator: 'until', stackStartFn: until });
}
