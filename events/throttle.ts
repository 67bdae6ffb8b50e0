// Pace: what a room hears comes at most once every `everyMs`. States replace each other, so only the newest waits; a
// single is told whatever comes after it; the last ends the run. Pure but for the clock it is given.
import type { Clock } from '../runtime/clock.ts';

export interface Pace<V extends object> {
  /** Replaces the state that waits. */
  state(value: V): void;
  /** Waits its turn behind earlier singles and is never replaced. */
  single(value: V): void;
  /** Ends the run: told after all singles that wait, instead of the state that waits. Flushed before the next run. */
  last(value: V): void;
  /** Tells everything that waits now. */
  flush(): void;
}

/** When the run has ended, what waits is told within this many turns, several a turn where there is no other way. */
const LAST_TURNS = 20;

export function createPace<V extends object>(
  clock: Clock,
  everyMs: number,
  tell: (value: V) => void,
): Pace<V> {
  let singles: V[] = [];
  let state: V | undefined;
  let last: V | undefined;
  let portion = 1;
  let told = Number.NEGATIVE_INFINITY;
  let timer: (() => void) | undefined;

  const take = (): readonly V[] => {
    if (singles.length > 0) return singles.splice(0, portion);
    const value = state ?? last;
    state = undefined;
    last = undefined;
    return value ? [value] : [];
  };
  const turn = () => {
    timer = undefined;
    told = clock.now();
    for (const value of take()) tell(value);
    wait();
  };
  const wait = () => {
    if (timer || (singles.length === 0 && !state && !last)) return;
    const due = told + everyMs - clock.now();
    if (due <= 0) turn();
    else timer = clock.after(due, turn);
  };
  return {
    state: (value) => {
      state = value;
      wait();
    },
    single: (value) => {
      singles.push(value);
      wait();
    },
    last: (value) => {
      state = undefined;
      last = value;
      portion = Math.max(1, Math.ceil(singles.length / LAST_TURNS));
      wait();
    },
    flush: () => {
      timer?.();
      timer = undefined;
      const left = [...singles, ...(state ? [state] : []), ...(last ? [last] : [])];
      singles = [];
      state = undefined;
      last = undefined;
      portion = 1;
      if (left.length > 0) told = clock.now();
      for (const value of left) tell(value);
    },
  };
}
