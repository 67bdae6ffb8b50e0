// A throttle: at most one value every `everyMs`. Of states only the newest is kept; queued values are all emitted, in
// order; the final value of a run comes after them. Pure but for the clock it is given.
import type { Clock } from '../runtime/clock.ts';

export interface Throttle<V extends object> {
  /** Takes the place of the state that waits. */
  replace(value: V): void;
  /** Waits behind what is queued already, and is never replaced. */
  enqueue(value: V): void;
  /** Ends the run: emitted after the queue, and drops the state that waits. Flushed before the next run. */
  finish(value: V): void;
  /** Emits everything that waits now. */
  flush(): void;
}

/** After `finish` the queue is emitted within this many turns, several values a turn where it is longer. */
const LAST_TURNS = 20;

export function createThrottle<V extends object>(
  clock: Clock,
  everyMs: number,
  emit: (value: V) => void,
): Throttle<V> {
  let queue: V[] = [];
  let state: V | undefined;
  let final: V | undefined;
  let portion = 1;
  let emitted = Number.NEGATIVE_INFINITY;
  let timer: (() => void) | undefined;

  const take = (): readonly V[] => {
    if (queue.length > 0) return queue.splice(0, portion);
    const value = state ?? final;
    state = undefined;
    final = undefined;
    return value ? [value] : [];
  };
  const turn = () => {
    timer = undefined;
    emitted = clock.now();
    for (const value of take()) emit(value);
    schedule();
  };
  const schedule = () => {
    if (timer || (queue.length === 0 && !state && !final)) return;
    const due = emitted + everyMs - clock.now();
    if (due <= 0) turn();
    else timer = clock.after(due, turn);
  };
  return {
    replace: (value) => {
      state = value;
      schedule();
    },
    enqueue: (value) => {
      queue.push(value);
      schedule();
    },
    finish: (value) => {
      state = undefined;
      final = value;
      portion = Math.max(1, Math.ceil(queue.length / LAST_TURNS));
      schedule();
    },
    flush: () => {
      timer?.();
      timer = undefined;
      const left = [...queue, ...(state ? [state] : []), ...(final ? [final] : [])];
      queue = [];
      state = undefined;
      final = undefined;
      portion = 1;
      if (left.length > 0) emitted = clock.now();
      for (const value of left) emit(value);
    },
  };
}
