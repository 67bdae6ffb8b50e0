// How old something is by two clocks: one stands still while the machine sleeps, the other can be set.

/** ms: by a clock that only goes forward, and Unix time. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * True while both clocks say that less than `ms` have passed, and the wall clock was not set back by
 * `setBackMs` or more.
 */
export function isWithin(since: Moment, ms: number, now: Moment, setBackMs: number): boolean {
  const wall = now.wall - since.wall;
  return now.monotonic - since.monotonic < ms && wall < ms && wall > -setBackMs;
}
