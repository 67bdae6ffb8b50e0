// The shots of a film between edges that were found on its pictures. They are exact, while scenes are ranges
// of grid frames: a shot that is shorter than a second may have no grid frame, and so no scene.
import type { Shot, ShotEdges } from './contract.ts';
import { lowerBound } from './frames.ts';

export interface Shots {
  /** Where each shot but the first begins: seconds from the first picture, ascending. */
  readonly seconds: Float64Array;
  /** The picture with which it begins, counted from 0. */
  readonly frames: Uint32Array;
  /** Where the last shot ends, in seconds. */
  readonly end: number;
}

/** Clocks whose ticks are no part of a second put a picture that is due at a second this close to it. */
const rounding = 1e-6;

/** Positions among grid frames at which scenes begin: the first frame at or behind each edge, ascending. */
export function startsOnGrid(seconds: readonly number[], frames: readonly number[]): number[] {
  const starts = frames.length === 0 ? [] : [0];
  for (const second of seconds) {
    const start = lowerBound(frames, second - rounding, starts.at(-1));
    if (start < frames.length && start !== starts.at(-1)) starts.push(start);
  }
  return starts;
}

/** Fault of the edges; null if there is none. */
export function edgeFault({ seconds, frames }: ShotEdges): string | null {
  if (seconds.length !== frames.length) return `${seconds.length} seconds for ${frames.length} frames`;
  for (const list of [seconds, frames]) {
    const at = list.findIndex(
      (value, i) => !(value > (list[i - 1] ?? 0) && value < Number.POSITIVE_INFINITY),
    );
    if (at >= 0) return `${list[at]} comes after ${list[at - 1] ?? 0}`;
  }
  return null;
}

/** The shot that is shown at a grid second. */
export function shotAt(shots: Shots, second: number): Shot {
  return shotOf(shots, lowerBound(shots.seconds, second + rounding));
}

/**
 * The exact times of half-open grid seconds. What is seen in the first second of a shot is taken to be there
 * from its beginning, and nothing goes on behind the end of the shot of the last one.
 */
export function exactTimes(shots: Shots | null, start: number, end: number): [number, number] {
  if (shots === null) return [start, end];
  const { start_seconds } = shotAt(shots, start);
  const { end_seconds } = shotAt(shots, Math.max(start, end - 1));
  return [start - start_seconds < 1 ? start_seconds : start, Math.max(start, Math.min(end, end_seconds))];
}

/** The grid seconds that show a half-open part between exact times; none for a part between two of them. */
export function secondsWithin(start: number, end: number): [number, number] {
  const first = Math.max(0, Math.ceil(start - rounding));
  return [first, Math.max(first, Math.ceil(end - rounding))];
}

/** Shot `index`, counted from 0. */
export function shotOf({ seconds, frames, end }: Shots, index: number): Shot {
  const start_seconds = index === 0 ? 0 : seconds[index - 1]!;
  return {
    start_seconds,
    end_seconds: seconds[index] ?? Math.max(start_seconds, end),
    start_frame: index === 0 ? 0 : frames[index - 1]!,
    end_frame: frames[index] ?? null,
  };
}

/** All shots in order, also those without a grid frame. */
export function allShots(shots: Shots): Shot[] {
  return Array.from({ length: shots.seconds.length + 1 }, (_, index) => shotOf(shots, index));
}
