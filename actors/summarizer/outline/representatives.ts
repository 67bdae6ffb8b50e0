// Frames that stand for a range of a film, chosen by what they look like: greedy facility location, so that every frame of the
// range is near to one of them. Pure.
import type { Pictures, Range } from './material.ts';
import { dot } from './vector.ts';

export interface Representative {
  /** Grid second. */
  readonly frame: number;
  /** Share of the frames of the range that are nearest to this one, 0 to 1; all together 1. */
  readonly share: number;
}

/** Frames that are looked at, thinned out evenly in longer ranges, and those of them that may be chosen. */
const most = { looked: 512, choice: 64 };
/** One more frame has to bring the frames nearer to theirs by so much on average. */
const leastGain = 0.01;

/**
 * At most `count` frames of a range, in the order of time: fewer where fewer show all there is, none where the range has no
 * vector. O(min(frames, 512) · 64 · d), whatever the length of the range.
 */
export function representativesOf(pictures: Pictures, range: Range, count: number): Representative[] {
  const rows = thinned(rowsWithin(pictures, range), most.looked);
  if (rows.length === 0 || count <= 0) return [];
  const candidates = rows.length <= most.choice ? rows : farthestFirst(pictures, rows, most.choice);
  const likeness = candidates.map((candidate) => likenessTo(pictures, candidate, rows));
  const chosen = mostCovering(likeness, rows.length, count);
  const nearest = rows.map((_, at) => nearestOf(chosen, likeness, at));
  return chosen
    .map((candidate) => ({
      frame: pictures.frames[candidates[candidate]!]!,
      share: nearest.filter((own) => own === candidate).length / rows.length,
    }))
    .sort((a, b) => a.frame - b.frame);
}

function rowsWithin({ frames }: Pictures, { start, end }: Range): number[] {
  const rows: number[] = [];
  for (let row = firstAtLeast(frames, start); row < frames.length && frames[row]! < end; row++)
    rows.push(row);
  return rows;
}

function firstAtLeast(frames: ArrayLike<number>, value: number): number {
  let [low, high] = [0, frames.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function thinned(rows: readonly number[], longest: number): readonly number[] {
  if (rows.length <= longest) return rows;
  return Array.from({ length: longest }, (_, i) => rows[Math.floor(((i + 0.5) * rows.length) / longest)]!);
}

function likenessTo(
  { vectors, dimensions: d }: Pictures,
  row: number,
  rows: readonly number[],
): Float32Array {
  return Float32Array.from(rows, (other) => dot(vectors, row * d, vectors, other * d, d));
}

/** `count` rows, the first one first, each the one that is farthest from all before it. */
function farthestFirst(pictures: Pictures, rows: readonly number[], count: number): number[] {
  const chosen: number[] = [];
  const likest = new Float32Array(rows.length).fill(-2);
  for (let next = 0; chosen.length < count; ) {
    chosen.push(rows[next]!);
    likenessTo(pictures, rows[next]!, rows).forEach((likeness, at) => {
      if (likeness > likest[at]!) likest[at] = likeness;
    });
    next = 0;
    for (let at = 1; at < rows.length; at++) if (likest[at]! < likest[next]!) next = at;
  }
  return chosen;
}

/** Numbers of the candidates that bring all frames nearest to theirs, greedily; the earlier of equally good ones. */
function mostCovering(likeness: readonly Float32Array[], frames: number, count: number): number[] {
  const likest = new Float32Array(frames).fill(-1);
  const chosen: number[] = [];
  while (chosen.length < count) {
    let [best, most] = [-1, 0];
    likeness.forEach((own, candidate) => {
      let gain = 0;
      for (let at = 0; at < frames; at++) gain += Math.max(0, own[at]! - likest[at]!);
      if (gain > most + 1e-6) [best, most] = [candidate, gain];
    });
    if (best < 0 || (chosen.length > 0 && most < leastGain * frames)) break;
    chosen.push(best);
    likeness[best]!.forEach((own, at) => {
      if (own > likest[at]!) likest[at] = own;
    });
  }
  return chosen;
}

function nearestOf(chosen: readonly number[], likeness: readonly Float32Array[], at: number): number {
  return chosen.reduce((best, one) => (likeness[one]![at]! > likeness[best]![at]! ? one : best));
}
