// The 1-per-second grid: the PTS up to which a picture counts for a grid second, and where a video ends.
//
// Grid second i is i seconds after the first presented picture. It shows what a player shows then: the
// picture with the latest PTS not after it. A video of d seconds has ceil(d) grid seconds. The last picture
// is shown until the end of the video, but at most for the time that `Ending` allows; after that the rest of
// the file counts as lost, and its grid seconds have no picture.

/** Seconds per tick. */
export interface TimeBase {
  readonly num: number;
  readonly den: number;
}

/** Largest error of a rounded timestamp, in seconds. */
const rounding = 0.0005;
/** A duration that exceeds a whole second by no more than this is rounded down to it. */
const sliver = 0.002;

/** Number of grid seconds of a video of `seconds`; a video that has a picture has at least one. */
export function gridLength(seconds: number): number {
  return Math.max(1, Math.ceil(seconds - sliver));
}

/**
 * How many of the moments (seconds, ascending) lie within a video of `duration` seconds. Moment 0 always
 * does.
 */
export function momentsWithin(moments: readonly number[], duration: number): number {
  const length = gridLength(duration);
  const outside = moments.findIndex((at) => at > 0 && (at >= duration || Math.floor(at) >= length));
  return outside < 0 ? moments.length : outside;
}

export class Grid {
  readonly #base: TimeBase;
  /** PTS of the first presented picture, in ticks. */
  readonly #start: number;
  readonly #offset: number;

  /** `offset`: seconds by which the grid is shifted, for a moment between grid seconds. */
  constructor(base: TimeBase, start: number, offset = 0) {
    this.#base = base;
    this.#start = start;
    this.#offset = offset;
  }

  /** Latest PTS, in ticks, of a picture that is shown at a grid second. */
  limit(second: number): number {
    const { num, den } = this.#base;
    const tolerance = Math.min(0.5, (rounding * den) / num);
    return this.#start + ((this.#offset + second) * den) / num + tolerance;
  }

  /** First second that can show a picture of this PTS. */
  firstSecond(pts: number): number {
    let second = Math.max(0, Math.floor(this.seconds(pts) - this.#offset));
    while (this.limit(second) < pts) second++;
    return second;
  }

  ticks(seconds: number): number {
    return (seconds * this.#base.den) / this.#base.num;
  }

  /** Seconds since the first presented picture. */
  seconds(ticks: number): number {
    return ((ticks - this.#start) * this.#base.num) / this.#base.den;
  }
}

/** A grid of arbitrary moments, ascending: index i stands for `moments[i]` seconds. */
export class MomentGrid extends Grid {
  readonly #moments: readonly number[];

  constructor(base: TimeBase, start: number, moments: readonly number[]) {
    super(base, start);
    this.#moments = moments;
  }

  override limit(index: number): number {
    return super.limit(this.#moments[index] ?? Number.POSITIVE_INFINITY);
  }
}

/** Tracks the times of all pictures, to know where the video really ends, whatever the container says. */
export class Ending {
  readonly #length: (duration: number) => number;
  #end = Number.NEGATIVE_INFINITY;
  #longest = 0;
  #pictures = 0;

  /** `length`: how many grid seconds, or moments, a video of a duration (seconds) has. */
  constructor(length: (duration: number) => number = gridLength) {
    this.#length = length;
  }

  /** Adds a shown picture: PTS and duration in seconds; duration 0 when unknown. */
  add(seconds: number, duration: number) {
    this.#end = Math.max(this.#end, seconds + duration);
    this.#longest = Math.max(this.#longest, duration);
    this.#pictures++;
  }

  /**
   * First grid second without a picture. `strict`: the file is truncated, or does not say how long it is.
   * Otherwise the last picture is held for as long as the longest of the file, at least 2 seconds; a single
   * picture for as long as the file says.
   */
  lastSecond(strict: boolean): number {
    if (this.#pictures === 0) return 0;
    if (!strict && this.#pictures === 1) return Number.POSITIVE_INFINITY;
    const hold = strict ? 0 : Math.max(2, this.#longest);
    return this.#length(this.#end + hold);
  }
}
