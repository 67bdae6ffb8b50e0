// Where the samples of one track belong on the clock of the picture grid: decides from the times of the frames what is
// a gap, what is an overlap and what is only the rounding of timestamps. Pure.

export interface Placing {
  /** Zeros before the frame. */
  readonly silence: number;
  /** Samples of the frame, from its first on, that are left out. */
  readonly skip: number;
}

/** Seconds. */
const limits = {
  /** A step between two frames up to this much is rounding at any rate. */
  step: 0.005,
  /** Where timestamps tremble, steps of up to this are trembling, too. */
  tremble: 0.04,
  /** How far samples may be from where their times say before they are moved there. */
  drift: 0.06,
  /** A step back by more than this is a clock that began anew, not an overlap. */
  reset: 10,
  /** Nor is a step ahead believed that leads beyond the end of the file by more than this, or is longer than six hours. */
  beyond: 10,
  gap: 6 * 3600,
};
/** Trembling is forgotten by this share each frame. */
const calming = 0.998;

export class SoundClock {
  readonly #rate: number;
  readonly #end: number;
  /** Where the next sample comes to be, in samples of the track. */
  #at: number;
  #begun: boolean;
  /** Added to the times of frames after the clock began anew. */
  #shift = 0;
  #error = 0;
  #tremble = 0;

  /** `end`: position where the file says it ends. `at`: where to go on, in samples; null to begin. */
  constructor(rate: number, end: number, at: number | null) {
    this.#rate = rate;
    this.#end = end;
    this.#at = at ?? 0;
    this.#begun = at !== null;
  }

  /** Position after the last sample. */
  get at(): number {
    return this.#at;
  }

  /**
   * Places a frame of `count` samples whose time says `position`; null when it has none. `precise`: the first frame after
   * one was lost, whose time counts to the sample.
   */
  place(position: number | null, count: number, precise: boolean): Placing {
    if (position === null) return this.#goOn(count, 0);
    let error = position + this.#shift - this.#at;
    if (this.#unbelievable(error)) {
      this.#shift -= error;
      error = 0;
    }
    const step = Math.abs(error - this.#error);
    if (this.#begun && !precise && this.#tolerates(step, error)) {
      this.#tremble = Math.max(this.#tremble * calming, step);
      return this.#goOn(count, error);
    }
    if (this.#begun && step <= limits.tremble * this.#rate) this.#tremble = Math.max(this.#tremble, step);
    const silence = Math.max(0, error);
    const skip = Math.min(count, Math.max(0, -error));
    if (skip < count) this.#begun = true;
    this.#at += silence + count - skip;
    this.#error = 0;
    return { silence, skip };
  }

  #goOn(count: number, error: number): Placing {
    this.#begun = true;
    this.#error = error;
    this.#at += count;
    return { silence: 0, skip: 0 };
  }

  #unbelievable(error: number): boolean {
    if (error < 0) return this.#begun && error < -limits.reset * this.#rate;
    return error > limits.gap * this.#rate || this.#at + error > this.#end + limits.beyond * this.#rate;
  }

  #tolerates(step: number, error: number): boolean {
    const most = Math.min(limits.tremble * this.#rate, Math.max(limits.step * this.#rate, 4 * this.#tremble));
    return step <= most && Math.abs(error) <= limits.drift * this.#rate;
  }
}
