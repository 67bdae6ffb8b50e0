// Which pictures are in a clip, and for how long each is shown.
//
// A cut lies on the border of pictures that is nearest to it, half up, as on timelines: clips that meet share
// no picture. One that is shown much longer than others, as in films of variable rate, is itself cut. A clip
// has a picture at least.

/**
 * Seconds by which a picture may begin after a cut and still count as beginning there; times are written to 1
 * ms.
 */
const rounding = 0.001;
/**
 * Pictures up to this many times the usual length are never cut, and a rounding more: some files keep whole
 * ms.
 */
const usual = 1.01;

export interface FrameRangeOptions {
  /** Ticks of the stream, as all times here; not always whole. */
  readonly start: number;
  readonly end: number;
  /** Usual ticks from one picture to the next. */
  readonly step: number;
  readonly ticksPerSecond: number;
}

/**
 * Frames of a clip from second `start` to second `end` of a film whose first picture is shown at tick `zero`.
 */
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

export class ClipFrameRange<T> {
  readonly #options: FrameRangeOptions;
  readonly #rounding: number;
  readonly #drop: (picture: T) => void;
  /** The latest picture that was pushed: how long it is shown is told by the next. */
  #pending: Held<T> | null = null;
  #latest = Number.NEGATIVE_INFINITY;
  #count = 0;
  /** Ticks at which the clip starts; null before its first picture is known. */
  origin: number | null = null;
  /** Ticks at which it ends; null before its last picture is known. */
  ending: number | null = null;
  /** True when its last picture is shown for a shorter time than in the source. */
  isCut = false;

  /** `drop`: called once for each picture that is not in the clip. */
  constructor(options: FrameRangeOptions, drop: (picture: T) => void) {
    this.#options = options;
    this.#drop = drop;
    this.#rounding = Math.min(rounding * options.ticksPerSecond, options.step / 4);
  }

  /**
   * Takes the next picture in order of presentation, *moved*; answers one of the clip once its length is
   * known.
   */
  push(picture: T, at: number): ClipFrame<T> | null {
    if (this.ending !== null || at <= this.#latest) {
      this.#drop(picture);
      return null;
    }
    this.#latest = at;
    const before = this.#pending;
    this.#pending = { picture, at };
    if (before) return this.#shown(before, at, this.#options.end <= at + this.#rounding);
    if (at > this.#options.start + this.#rounding) this.origin = at;
    return null;
  }

  /**
   * At the end of the file; `length`: ticks that its last picture is shown. Null when no more pictures are in
   * the clip.
   */
  finish(length: number): ClipFrame<T> | null {
    const before = this.#pending;
    if (this.ending !== null || !before) return null;
    const until = before.at + Math.max(1, length);
    if (this.origin === null && until <= this.#options.start + this.#rounding) return null;
    this.#pending = null;
    return this.#shown(before, until, true);
  }

  /** Lets go of what was not passed on. */
  close() {
    if (this.#pending) this.#drop(this.#pending.picture);
    this.#pending = null;
  }

  /** A picture whose length is known. `isLast`: no later one can be in the clip. */
  #shown(before: Held<T>, until: number, isLast: boolean): ClipFrame<T> | null {
    const { start, end } = this.#options;
    if (this.origin === null) {
      const from = this.#border(start, before.at, until);
      if (from >= until && !isLast) {
        this.#drop(before.picture);
        if (start < until - this.#rounding) this.origin = until;
        return null;
      }
      this.origin = from < until ? from : before.at;
    }
    if (!isLast) return this.#frame(before, until);
    const to = this.#border(end, before.at, until);
    if (to <= before.at && this.#count > 0) {
      this.#drop(before.picture);
      return this.#end(before.at, null);
    }
    const ending = to <= before.at ? until : Math.max(to, this.origin + 1);
    this.isCut = ending < until;
    return this.#end(ending, this.#frame(before, ending));
  }

  /**
   * Where the cut nearest to a moment lies, in a picture or at one end of it; at the end also for a later
   * moment.
   */
  #border(moment: number, at: number, until: number): number {
    if (moment <= at + this.#rounding) return at;
    if (moment >= until - this.#rounding) return until;
    if (until - at > this.#options.step * usual + this.#rounding) return Math.round(moment);
    return 2 * (moment + this.#rounding - at) < until - at ? at : until;
  }

  #end(ending: number, last: ClipFrame<T> | null): ClipFrame<T> | null {
    this.ending = ending;
    this.close();
    return last;
  }

  #frame({ picture, at }: Held<T>, until: number): ClipFrame<T> {
    this.#count++;
    return { picture, at: Math.max(at, this.origin!), until };
  }
}
