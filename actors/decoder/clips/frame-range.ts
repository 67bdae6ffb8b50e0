// Which pictures are in a clip, and for how long each is shown. Pure.
//
// The first picture is the one shown at the start, the last one is shown just before the end. A cut lies on the border of
// a picture: a picture of usual length that a cut falls into belongs to the clip as a whole. One that is shown much longer,
// as in films of variable rate, is itself cut.

/** Seconds by which a picture may begin after a cut and still count as beginning there; times are written to 1 ms. */
const rounding = 0.001;
/** Pictures up to this many times the usual length are never cut. */
const usual = 1.01;

export interface FrameRangeOptions {
  /** Ticks of the stream, as all times here; not always whole. */
  readonly start: number;
  readonly end: number;
  /** Usual ticks from one picture to the next. */
  readonly step: number;
  readonly ticksPerSecond: number;
}

/** Of a clip from second `start` to second `end` of a film whose first picture is shown at tick `zero`. */
export function frameRangeOf(
  { num, den }: { num: number; den: number },
  { zero, start, end, step }: { zero: number; start: number; end: number; step: number },
): FrameRangeOptions {
  const ticksPerSecond = den / num;
  return { start: zero + start * ticksPerSecond, end: zero + end * ticksPerSecond, step, ticksPerSecond };
}

/** A picture of the clip: `picture` is shown during [at, until). Whole ticks of the source. */
export interface ClipFrame<T> {
  readonly picture: T;
  readonly at: number;
  readonly until: number;
}

interface Held<T> {
  readonly picture: T;
  readonly at: number;
}

export class FrameRange<T> {
  readonly #options: FrameRangeOptions;
  readonly #rounding: number;
  readonly #drop: (picture: T) => void;
  /** The latest picture that was pushed and not passed on. */
  #held: Held<T> | null = null;
  #latest = Number.NEGATIVE_INFINITY;
  /** Ticks at which the clip starts; null before its first picture is known. */
  origin: number | null = null;
  /** Ticks at which it ends; null before its last picture is known. */
  ending: number | null = null;

  /** `drop`: called once for each picture that is not in the clip. */
  constructor(options: FrameRangeOptions, drop: (picture: T) => void) {
    this.#options = options;
    this.#drop = drop;
    this.#rounding = Math.min(rounding * options.ticksPerSecond, options.step / 4);
  }

  /** Takes the next picture in order of presentation, *moved*; answers one of the clip once its length is known. */
  push(picture: T, at: number): ClipFrame<T> | null {
    if (this.ending !== null || at <= this.#latest) {
      this.#drop(picture);
      return null;
    }
    this.#latest = at;
    const { start, end } = this.#options;
    const before = this.#held;
    if (at <= start + this.#rounding) {
      if (before) this.#drop(before.picture);
      this.#held = { picture, at };
      return null;
    }
    if (!before) {
      this.#begin(at, at);
      this.#held = { picture, at };
      return null;
    }
    this.#begin(before.at, start);
    if (at < end - this.#rounding) {
      this.#held = { picture, at };
      return this.#frame(before, at);
    }
    this.#drop(picture);
    return this.#last(before, at);
  }

  /** At the end of the file; `length`: ticks that its last picture is shown. Null when no picture is in the clip. */
  finish(length: number): ClipFrame<T> | null {
    const before = this.#held;
    if (this.ending !== null || !before) return null;
    const until = before.at + Math.max(1, length);
    const { start } = this.#options;
    if (this.origin === null && until <= start + this.#rounding) return null;
    this.#begin(before.at, start);
    return this.#last(before, until);
  }

  /** Lets go of what was not passed on. */
  close() {
    if (this.#held) this.#drop(this.#held.picture);
    this.#held = null;
  }

  #begin(at: number, start: number) {
    this.origin ??= start - at <= this.#options.step * usual ? at : Math.round(start);
  }

  #last(before: Held<T>, until: number): ClipFrame<T> {
    const { end, step } = this.#options;
    const isUsual = until - end <= step * usual;
    this.ending = Math.max(isUsual ? until : Math.round(end), before.at + 1);
    this.#held = null;
    return this.#frame(before, this.ending);
  }

  #frame({ picture, at }: Held<T>, until: number): ClipFrame<T> {
    return { picture, at: Math.max(at, this.origin!), until };
  }
}
