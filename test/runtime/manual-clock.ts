// A clock that tests advance by hand.
import type { Clock } from '../../runtime/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time forward and runs what falls due, in order. */
  advance(ms: number): void;
  /** How many calls are waiting. */
  readonly waiting: number;
}

export function manualClock(start = 0): ManualClock {
  let now = start;
  let due: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after: (ms, run) => {
      const entry = { at: now + ms, run };
      due.push(entry);
      return () => {
        due = due.filter((other) => other !== entry);
      };
    },
    advance: (ms) => {
      const end = now + ms;
      for (;;) {
        const next = due.filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        due = due.filter((entry) => entry !== next);
        now = next.at;
        next.run();
      }
      now = end;
    },
    get waiting() {
      return due.length;
    },
  };
}
