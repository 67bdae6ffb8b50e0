// The frames of a film as a player needs them, from when to when each is shown: counted by a rate, or by their own times
// where the rate varies.
import { frameAt, lastFrame, type Range } from './frames.ts';

export interface FilmFrames {
  /** The frame that is shown at a time, also after the end; null while its times are not there. */
  at(seconds: number): Range | null;
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

/** What the service tells of a part of a film. */
export interface FrameTimes {
  readonly frame_starts: readonly number[];
  readonly last_frame_end: number | null;
}

/** Seconds that are asked for at once. */
export const PART_SECONDS = 10;
/** Times come in microseconds: within so many seconds of its start a frame is the one that is shown. */
const BORDER = 2e-6;

/** `ask` a part of the film, which begins at a multiple of `PART_SECONDS`; `first`: what was answered of that at 0. */
export function listedFrames(
  first: FrameTimes,
  ask: (start: number, end: number) => Promise<FrameTimes>,
  duration: number,
): FilmFrames {
  const parts = new Map<number, FrameTimes>([[0, first]]);
  const coming = new Map<number, Promise<void>>();
  const partOf = (seconds: number) =>
    Math.floor((Math.max(0, Math.min(seconds, duration)) + BORDER) / PART_SECONDS);
  const load = async (part: number) => {
    try {
      const start = part * PART_SECONDS;
      parts.set(part, await ask(start, start + PART_SECONDS));
    } finally {
      coming.delete(part);
    }
  };
  return {
    at: (seconds) => {
      const part = parts.get(partOf(seconds));
      if (part === undefined) return null;
      const { frame_starts: starts, last_frame_end } = part;
      const index = Math.max(
        0,
        starts.findLastIndex((start) => start <= seconds + BORDER),
      );
      const start_seconds = starts[index] ?? duration;
      const end = starts[index + 1] ?? last_frame_end ?? duration;
      return { start_seconds, end_seconds: Math.max(start_seconds, end) };
    },
    load: (seconds) => {
      const part = partOf(seconds);
      if (parts.has(part)) return Promise.resolve();
      const known = coming.get(part);
      if (known) return known;
      const asked = load(part);
      coming.set(part, asked);
      return asked;
    },
  };
}

/** A moment just before the start of a frame lies in the one before, and no frame is shorter. */
const BEFORE = 1e-4;

/**
 * The frame `count` after the one that is shown at a time, before it where negative; the first or the last one where there are
 * fewer. A time whose frame has to be loaded first where it is not known.
 */
export function frameBeside(
  frames: FilmFrames,
  seconds: number,
  count: number,
): { readonly frame: Range } | { readonly missing: number } {
  let frame = frames.at(seconds);
  if (frame === null) return { missing: seconds };
  for (let left = Math.abs(count); left > 0; left--) {
    const at = count > 0 ? frame.end_seconds : Math.max(0, frame.start_seconds - BEFORE);
    const next = frames.at(at);
    if (next === null) return { missing: at };
    if (next.start_seconds === frame.start_seconds) break;
    frame = next;
  }
  return { frame };
}

/** Where a player is sent to show a frame: those that are sent to its border show the one before as often as not. */
export function middleOfFrame({ start_seconds, end_seconds }: Range): number {
  return (start_seconds + end_seconds) / 2;
}
