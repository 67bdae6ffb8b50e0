// Frames of a film and times within it: which frame a time shows, and where a player has to be sent to show
// one.

/** Frames a second where the film does not say. */
export const usualRate = 25;

/** The rate that a rounded one stands for: 23.976 is 24000/1001, which is another frame after some hours. */
export function exactRate(rounded: number): number {
  const whole = Math.round(rounded);
  const slowed = (whole * 1000) / 1001;
  return Math.abs(rounded - slowed) < 0.002 ? slowed : rounded;
}

/** The frame that is shown at a time; a time that lies on the border between two shows the later one. */
export function frameAt(seconds: number, rate: number): number {
  // Times come in microseconds, so a border is met to within one.
  return Math.max(0, Math.floor(seconds * rate + rate * 2e-6));
}

/** The last frame that begins before the end. */
export function lastFrame(duration: number, rate: number): number {
  return Math.max(0, Math.ceil(duration * rate - rate * 2e-6) - 1);
}

/** Rates that timecode counts at: those within a thousandth or so of a whole one, as 23.976 is. */
const leastLikeWhole = 0.002;

/**
 * `00:01:02:13`: frames count at the nearest whole rate, as timecode without drop frames does. At other rates
 * they count within the second of the clock that they begin in.
 */
export function timecodeOf(frame: number, rate: number): string {
  const whole = Math.max(1, Math.round(rate));
  const isCounted = Math.abs(rate - whole) <= leastLikeWhole * whole;
  const seconds = Math.floor(isCounted ? frame / whole : frame / rate + 1e-6);
  const within = frame - (isCounted ? seconds * whole : Math.ceil(seconds * rate - 1e-6));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60, within];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Speed after the keys J and L: the same direction doubles it, the other one starts anew. */
export function shuttled(speed: number, direction: 1 | -1): number {
  if (Math.sign(speed) !== direction) return direction;
  return direction * Math.min(8, Math.abs(speed) * 2);
}

export interface SecondsRange {
  readonly start_seconds: number;
  readonly end_seconds: number;
}

/**
 * The start of the next range after a time, or of the one before; null where there is none. Ranges ascend.
 */
export function neighbour(
  ranges: readonly SecondsRange[],
  seconds: number,
  direction: 1 | -1,
): number | null {
  const starts = ranges.map((range) => range.start_seconds);
  // A little into a range one means the range before it, not its own start again; and players round times.
  const target =
    direction === 1
      ? starts.find((start) => start > seconds + 0.002)
      : starts.findLast((start) => start < seconds - 0.5);
  return target ?? null;
}

/** The range that holds a time; the last one at the end of the film. Ranges ascend. */
export function rangeAt<R extends SecondsRange>(ranges: readonly R[], seconds: number): R | null {
  return ranges.findLast((range) => range.start_seconds <= seconds && seconds < range.end_seconds) ?? null;
}

/**
 * The first and the last second whose pictures belong to a half-open part; none where the last is before the
 * first.
 */
export function picturedSeconds(start: number, end: number): [number, number] {
  return [Math.ceil(start), Math.ceil(end) - 1];
}

/**
 * Cuts spans of whole seconds at the edges of their shots: a span ends with the shot of its last second, and
 * one in the first second of a shot begins with it.
 */
export function withinShots<S extends { readonly start: number; readonly end: number }>(
  spans: readonly S[],
  shots: readonly SecondsRange[],
): S[] {
  return spans.map((span) => {
    const begin = rangeAt(shots, span.start)?.start_seconds ?? span.start;
    const stop = rangeAt(shots, Math.max(span.start, span.end - 1))?.end_seconds ?? span.end;
    const start = span.start - begin < 1 ? begin : span.start;
    return { ...span, start, end: Math.max(start, Math.min(span.end, stop)) };
  });
}

/** In and out of a part, where one of the two may be missing: then the shot says. `end` of the film. */
export function partOf(
  marks: { readonly in: number | null; readonly out: number | null },
  shot: SecondsRange | null,
  end: number,
): SecondsRange {
  const start = marks.in ?? Math.min(shot?.start_seconds ?? 0, marks.out ?? Number.POSITIVE_INFINITY);
  const stop = marks.out ?? Math.max(shot?.end_seconds ?? end, start);
  return {
    start_seconds: Math.max(0, Math.min(start, stop)),
    end_seconds: Math.min(end, Math.max(start, stop)),
  };
}

// The frames of a film as a player needs them, from when to when each is shown: counted by a rate, or by
// their own times where the rate varies.

export interface FilmFrames {
  /** The frame that is shown at a time, also after the end; null while its times are not there. */
  at(seconds: number): SecondsRange | null;
  /** Gets the times near a moment. */
  load(seconds: number): Promise<void>;
}

/** `duration`: seconds; 0 or infinite where it is not known. */
export function evenFrames(rate: number, duration: number): FilmFrames {
  const last =
    duration > 0 && Number.isFinite(duration) ? lastFrame(duration, rate) : Number.POSITIVE_INFINITY;
  return {
    at: (seconds) => {
      const frame = Math.min(frameAt(seconds, rate), last);
      return { start_seconds: frame / rate, end_seconds: (frame + 1) / rate };
    },
    load: async () => {},
  };
}

/** Times of frames in a part of a film, from the service. */
interface FrameTimes {
  readonly frame_starts: readonly number[];
  readonly last_frame_end: number | null;
}

/** Seconds that are asked for at once. */
export const PART_SECONDS = 10;
/** Times come in microseconds: within so many seconds of its start a frame is the one that is shown. */
const BORDER = 2e-6;

type AskPart = (start: number, end: number) => Promise<FrameTimes>;

/**
 * `ask` a part of the film, which begins at a multiple of `PART_SECONDS`; `first`: what was answered of that
 * at 0. `duration`: seconds; 0 or infinite where it is not known.
 */
export function listedFrames(first: FrameTimes, ask: AskPart, duration: number): FilmFrames {
  return new ListedFrames(first, ask, Number.isFinite(duration) ? duration : 0);
}

class ListedFrames implements FilmFrames {
  readonly #parts: Map<number, FrameTimes>;
  readonly #coming = new Map<number, Promise<void>>();
  readonly #ask: AskPart;
  readonly #duration: number;
  /**
   * The last part that is known to have frames, and the first one that is known to come after all of them.
   */
  #last = 0;
  #over = Number.POSITIVE_INFINITY;

  constructor(first: FrameTimes, ask: AskPart, duration: number) {
    this.#parts = new Map([[0, first]]);
    this.#ask = ask;
    this.#duration = duration;
  }

  at(seconds: number): SecondsRange | null {
    const part = this.#parts.get(this.#partOf(seconds));
    if (part === undefined) return null;
    const { frame_starts: starts, last_frame_end } = part;
    const index = Math.max(
      0,
      starts.findLastIndex((start) => start <= seconds + BORDER),
    );
    const start_seconds = starts[index] ?? 0;
    const until = starts[index + 1] ?? last_frame_end ?? start_seconds;
    // The last frame is seen for as long as sound goes on.
    return { start_seconds, end_seconds: seconds < until ? until : Math.max(until, this.#duration) };
  }

  /** After the last frame: the part of that, or one that has to be known to find it. */
  #partOf(seconds: number): number {
    const within = Math.max(0, Math.min(seconds, this.#duration || Number.POSITIVE_INFINITY));
    const part = Math.floor((within + BORDER) / PART_SECONDS);
    if (part < this.#over || this.#parts.get(part)?.frame_starts.length) return part;
    return Math.floor((this.#last + Math.max(this.#last, this.#over)) / 2);
  }

  async load(seconds: number): Promise<void> {
    for (let part = this.#partOf(seconds); !this.#parts.has(part); part = this.#partOf(seconds)) {
      const coming = this.#coming.get(part) ?? this.#get(part);
      this.#coming.set(part, coming);
      await coming;
    }
  }

  async #get(part: number): Promise<void> {
    try {
      const start = part * PART_SECONDS;
      const times = await this.#ask(start, start + PART_SECONDS);
      this.#parts.set(part, times);
      if (times.frame_starts.length > 0) this.#last = Math.max(this.#last, part);
      else this.#over = Math.min(this.#over, part);
    } finally {
      this.#coming.delete(part);
    }
  }
}

/** A moment just before the start of a frame lies in the one before, and no frame is shorter. */
const BEFORE = 1e-4;

/**
 * The frame `count` after the one that is shown at a time, before it where negative; the first or the last
 * one where there are fewer. A time whose frame has to be loaded first where it is not known.
 */
export function frameBeside(
  frames: FilmFrames,
  seconds: number,
  count: number,
): { readonly frame: SecondsRange } | { readonly missing: number } {
  let frame = frames.at(seconds);
  if (frame === null) return { missing: seconds };
  for (let steps = Math.abs(count); steps > 0; steps--) {
    const at = count > 0 ? frame.end_seconds : Math.max(0, frame.start_seconds - BEFORE);
    const next = frames.at(at);
    if (next === null) return { missing: at };
    if (next.start_seconds === frame.start_seconds) break;
    frame = next;
  }
  return { frame };
}
