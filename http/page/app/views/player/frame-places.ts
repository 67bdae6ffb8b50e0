// Where a player is sent to show a frame.
import type { FilmFrames } from './film-frames.ts';
import type { Range } from './frames.ts';

/** Those that are sent to the border of a frame show the one before as often as not. */
export function middleOfFrame({ start_seconds, end_seconds }: Range): number {
  return (start_seconds + end_seconds) / 2;
}

/** Seconds that a player stays away from the borders of a frame. */
const MARGIN = 0.5;

/**
 * As `middleOfFrame`, and near the moment where the frame is long: of a screen that stands still the sound goes on. Without a
 * frame the moment itself.
 */
export function withinFrame(frame: Range | null | undefined, seconds: number): number {
  if (!frame) return seconds;
  const { start_seconds, end_seconds } = frame;
  if (end_seconds - start_seconds <= 2 * MARGIN) return middleOfFrame(frame);
  return Math.max(start_seconds + MARGIN, Math.min(seconds, end_seconds - MARGIN));
}

/** Where a step ends: who goes no further stays where they are. */
export function placeOfStep(frame: Range, seconds: number): number {
  const isThere = frame.start_seconds <= seconds && seconds < frame.end_seconds;
  return isThere ? withinFrame(frame, seconds) : middleOfFrame(frame);
}

/** False of sound, and where it is not known. */
export function isOneFrame(frames: FilmFrames | null, a: number, b: number): boolean {
  const start = frames?.at(a)?.start_seconds;
  return start !== undefined && start === frames?.at(b)?.start_seconds;
}
