// Places the samples of one audio track on the timeline: decides from the timestamps of its frames what is a
// gap, what is an overlap, and what is only rounding or jitter.

export interface Placing {
  /** Samples of silence to insert before the frame. */
  readonly silence: number;
  /** Samples to drop from the start of the frame. */
  readonly skip: number;
}

/** Seconds. */
const limits = {
  /** A timestamp error that changes by up to this between two frames is always taken for rounding. */
  step: 0.005,
  /** Where timestamps jitter, changes of up to this are taken for jitter. */
  jitter: 0.04,
  /** Largest deviation from the timestamps that is tolerated before samples are moved to where they say. */
  drift: 0.06,
  /** A larger step back is a clock reset, not an overlap. */
  reset: 10,
  /**
   * A step ahead is a clock reset, not a gap, when it leads this far beyond the end of the file or is longer
   * than `gap`.
   */
  beyond: 10,
  gap: 6 * 3600,
};
/** The jitter estimate decays by this factor each frame. */
const jitterDecay = 0.998;

export class SoundClock {
  readonly #rate: number;
  readonly #end: number;
  /** Position of the next sample, in samples of the track's rate. */
  #at: number;
  #started: boolean;
  /** Added to the timestamps after a clock reset. */
  #shift = 0;
  /** Timestamp minus position of the frame before. */
  #error = 0;
  #jitter = 0;

  /** `end`: position of the end of the file. `at`: position to continue from; null at the start. */
  constructor(rate: number, end: number, at: number | null) {
    this.#rate = rate;
    this.#end = end;
    this.#at = at ?? 0;
    this.#started = at !== null;
  }

  /** Position after the last sample. */
  get at(): number {
    return this.#at;
  }

  /**
   * Places a frame of `count` samples with the timestamp `position`; null when it has none. `precise`: the
   * first frame after a lost one, whose timestamp is taken exactly.
   */
  place(position: number | null, count: number, precise: boolean): Placing {
    if (position === null) return this.#append(count, 0);
    let error = position + this.#shift - this.#at;
    if (this.#isReset(error)) {
      this.#shift -= error;
      error = 0;
    }
    const step = Math.abs(error - this.#error);
    if (this.#started && !precise && this.#tolerates(step, error)) {
      this.#jitter = Math.max(this.#jitter * jitterDecay, step);
      return this.#append(count, error);
    }
    if (this.#started && step <= limits.jitter * this.#rate) this.#jitter = Math.max(this.#jitter, step);
    const silence = Math.max(0, error);
    const skip = Math.min(count, Math.max(0, -error));
    if (skip < count) this.#started = true;
    this.#at += silence + count - skip;
    this.#error = 0;
    return { silence, skip };
  }

  #append(count: number, error: number): Placing {
    this.#started = true;
    this.#error = error;
    this.#at += count;
    return { silence: 0, skip: 0 };
  }

  #isReset(error: number): boolean {
    if (error < 0) return this.#started && error < -limits.reset * this.#rate;
    return error > limits.gap * this.#rate || this.#at + error > this.#end + limits.beyond * this.#rate;
  }

  #tolerates(step: number, error: number): boolean {
    const most = Math.min(limits.jitter * this.#rate, Math.max(limits.step * this.#rate, 4 * this.#jitter));
    return step <= most && Math.abs(error) <= limits.drift * this.#rate;
  }
}
