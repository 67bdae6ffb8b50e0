// The 1-per-second grid: which moments are asked for, and when pictures end. Pure.
//
// Grid second i lies i seconds after the first presented picture. It shows what a player shows then: the picture with
// the latest presentation time not after it. A video of d seconds has ceil(d) grid seconds. Where no next picture
// comes, the last one goes on being shown to the end of the video, as long as that is not longer than `patience`
// allows; beyond that the file is taken to have lost its end, and those seconds have no picture.

export interface TimeBase {
  readonly num: number;
  readonly den: number;
}

/** Most by which a rounded timestamp may miss its moment, in seconds. */
const rounding = 0.0005;
/** A duration this little over a whole second is that whole second. */
const sliver = 0.002;

/** Number of grid seconds of a video of `seconds`; a video that has a picture has at least one. */
export function gridLength(seconds: number): number {
  return Math.max(1, Math.ceil(seconds - sliver));
}

/** How many of the moments, ascending seconds, lie within a video of `duration` seconds. Its first picture always does. */
export function momentsWithin(moments: readonly number[], duration: number): number {
  const length = gridLength(duration);
  const outside = moments.findIndex((at) => at > 0 && (at >= duration || Math.floor(at) >= length));
  return outside < 0 ? moments.length : outside;
}

export class Grid {
  readonly #base: TimeBase;
  /** Ticks of the first presented picture. */
  readonly #start: number;
  readonly #offset: number;

  /** `offset`: seconds by which the grid is moved, to ask for a moment between grid seconds. */
  constructor(base: TimeBase, start: number, offset = 0) {
    this.#base = base;
    this.#start = start;
    this.#offset = offset;
  }

  /** Latest presentation time, in ticks, of a picture that is shown at a grid second. */
  limit(second: number): number {
    const { num, den } = this.#base;
    const tolerance = Math.min(0.5, (rounding * den) / num);
    return this.#start + ((this.#offset + second) * den) / num + tolerance;
  }

  /** Length of a time in ticks. */
  ticks(seconds: number): number {
    return (seconds * this.#base.den) / this.#base.num;
  }

  /** Seconds from the first presented picture. */
  seconds(ticks: number): number {
    return ((ticks - this.#start) * this.#base.num) / this.#base.den;
  }
}

/** The same for moments of one's own choice, ascending: place i is shown at `moments[i]` seconds. */
export class MomentGrid extends Grid {
  readonly #moments: readonly number[];

  constructor(base: TimeBase, start: number, moments: readonly number[]) {
    super(base, start);
    this.#moments = moments;
  }

  override limit(place: number): number {
    return super.limit(this.#moments[place] ?? Number.POSITIVE_INFINITY);
  }
}

/** Follows how long pictures are shown, to know where a video really ends. */
export class Ending {
  readonly #length: (duration: number) => number;
  #end = Number.NEGATIVE_INFINITY;
  #longest = 0;
  #pictures = 0;

  /** `length`: how many grid seconds, or moments, a video of a duration has. */
  constructor(length: (duration: number) => number = gridLength) {
    this.#length = length;
  }

  /** A shown picture: presentation time and duration in seconds; 0 for an unknown duration. */
  add(seconds: number, duration: number) {
    this.#end = Math.max(this.#end, seconds + duration);
    this.#longest = Math.max(this.#longest, duration);
    this.#pictures++;
  }

  /**
   * First grid second that no picture covers. `strict`: the file broke off, or does not say how long it is. Otherwise
   * the last picture is held at most as long as the longest of the file, or 2 seconds; the only picture of a file for
   * as long as the file says.
   */
  lastSecond(strict: boolean): number {
    if (this.#pictures === 0) return 0;
    if (!strict && this.#pictures === 1) return Number.POSITIVE_INFINITY;
    const patience = strict ? 0 : Math.max(2, this.#longest);
    return this.#length(this.#end + patience);
  }
}
