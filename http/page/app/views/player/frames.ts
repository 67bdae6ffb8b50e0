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

/** What the keys J and L make of a speed: the same direction twice as fast, the other one from the start. */
export function shuttled(speed: number, direction: 1 | -1): number {
  if (Math.sign(speed) !== direction) return direction;
  return direction * Math.min(8, Math.abs(speed) * 2);
}

export interface Range {
  readonly start_seconds: number;
  readonly end_seconds: number;
}

/**
 * The start of the next range after a time, or of the one before; null where there is none. Ranges ascend.
 */
export function neighbour(ranges: readonly Range[], seconds: number, direction: 1 | -1): number | null {
  const starts = ranges.map((range) => range.start_seconds);
  // A little into a range one means the range before it, not its own start again.
  const found =
    direction === 1
      ? starts.find((start) => start > seconds + 0.05)
      : starts.findLast((start) => start < seconds - 0.5);
  return found ?? null;
}

/** The range that holds a time; the last one at the end of the film. Ranges ascend. */
export function rangeAt<R extends Range>(ranges: readonly R[], seconds: number): R | null {
  return ranges.findLast((range) => range.start_seconds <= seconds && seconds < range.end_seconds) ?? null;
}

/** In and out of a part, where one of the two may be missing: then the shot says. `end` of the film. */
export function partOf(
  marks: { readonly in: number | null; readonly out: number | null },
  shot: Range | null,
  end: number,
): Range {
  const start = marks.in ?? Math.min(shot?.start_seconds ?? 0, marks.out ?? Number.POSITIVE_INFINITY);
  const stop = marks.out ?? Math.max(shot?.end_seconds ?? end, start);
  return {
    start_seconds: Math.max(0, Math.min(start, stop)),
    end_seconds: Math.min(end, Math.max(start, stop)),
  };
}
