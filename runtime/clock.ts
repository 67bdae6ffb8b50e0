// Code that waits or measures is given a clock, so that a test can advance it by hand.

export interface Clock {
  /** Milliseconds that only go forward. */
  now(): number;
  /**
   * Calls `run` once after `ms`, unless the returned function is called first. Does not keep the process
   * alive.
   */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
