// Where shots begin: at the cuts that were found where the pictures were analysed, and in the midst of slow
// fades, which change little from frame to frame, but much from the seconds before them to those after them.
import { atOnce, type Steps } from '../../../runtime/sync/steps.ts';
import { nextDistances, windowDistances } from './changes.ts';
import type { Pictures } from './material.ts';
import { medianOf } from './vector.ts';

// As scenes of a search: below the first bound is noise of a still picture, above the second one two pictures
// are different however restless the film is.
const lowest = 0.25;
const highest = 0.35;
/** Rows that share a threshold, and rows before and after them that count for it. */
const block = 64;
/** Rows on each side of a slow transition. */
const side = 6;

export interface Shots {
  /** Rows at which shots begin, ascending, the first one 0; none of no rows. */
  readonly starts: readonly number[];
  /**
   * For each row, how different the seconds from it on are from those before it: 1 - cosine of their means.
   */
  readonly changes: Float32Array;
}

export const shotsOf = (pictures: Pictures): Shots => atOnce(shotSteps(pictures));

/** O(n · d). */
export function* shotSteps(pictures: Pictures): Steps<Shots> {
  const rows = pictures.frames.length;
  const changes = yield* windowDistances(pictures, side);
  if (rows === 0) return { starts: [], changes };
  const next = yield* nextDistances(pictures);
  const thresholds = thresholdsOf(next);
  yield;
  const begins = new Set(pictures.cuts);
  const cuts = [0];
  for (let row = 1; row < rows; row++) if (begins.has(pictures.frames[row]!)) cuts.push(row);
  yield;
  return { starts: withFades(cuts, changes, thresholds, rows), changes };
}

/** By block: the median plus four deviations of the distances around it, within both bounds. */
function thresholdsOf(next: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.max(1, Math.ceil(next.length / block)) }, (_, at) => {
    const around = next.slice(Math.max(0, (at - 1) * block), (at + 2) * block);
    const centre = medianOf(around);
    const spread = medianOf(around.map((distance) => Math.abs(distance - centre)));
    return Math.min(highest, Math.max(lowest, centre + 4 * 1.4826 * spread));
  });
}

/**
 * Cuts and, within the shots between them, the middles of slow transitions: peaks that reach the threshold
 * and stand twice as high as what is a window before and after them. A pan, which goes on, is none.
 */
function withFades(
  cuts: readonly number[],
  changes: Float32Array,
  thresholds: Float32Array,
  rows: number,
): number[] {
  const starts: number[] = [];
  cuts.forEach((cut, at) => {
    starts.push(cut);
    const end = cuts[at + 1] ?? rows;
    let last = cut;
    for (let i = cut + side; i <= end - side; i++) {
      if (i - last < side || changes[i]! <= thresholds[Math.floor((i - 1) / block)]! || !isPeak(changes, i))
        continue;
      // Next to a cut the windows reach over it.
      const before = i - side >= cut + side ? changes[i - side]! : 0;
      const after = i + side <= end - side ? changes[i + side]! : 0;
      if (changes[i]! < 2 * Math.max(before, after)) continue;
      starts.push(i);
      last = i;
    }
  });
  return starts;
}

/** No row within half a window is higher, and none before it as high. */
function isPeak(changes: Float32Array, i: number): boolean {
  for (let k = 1; k <= side / 2; k++) {
    if (changes[i - k]! >= changes[i]! || (changes[i + k] ?? 0) > changes[i]!) return false;
  }
  return true;
}
