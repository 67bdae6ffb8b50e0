// Frames that stand for a range of a film, chosen by what they look like: greedy facility location, so that
// every frame of the range is near to one of them.
import { type Factor, RightSide } from '../products/products.ts';
import { type Pictures, type Range, rowsOf } from './material.ts';

/** Frames that are looked at, thinned out evenly in longer ranges, and those of them that may be chosen. */
const most = { looked: 512, choice: 64 };
/** One more frame has to bring the frames nearer to theirs by so much on average. */
const leastGain = 0.01;

/** A frame that may be chosen. */
interface Candidate {
  /** Position in the frames that are looked at. */
  readonly at: number;
  /** Its cosine to each of them. */
  readonly likeness: Float32Array;
}

/**
 * Grid seconds of at most `count` frames of a range, ascending: fewer where fewer show all there is, none
 * where the range has no vector. O(min(frames, 512) · 64 · d), whatever the length of the range.
 */
export function representativesOf(pictures: Pictures, range: Range, count: number): number[] {
  const rows = thinned(rowsWithin(pictures, range), most.looked);
  if (rows.length === 0 || count <= 0) return [];
  const candidates = candidatesOf(gathered(pictures, rows), Math.min(rows.length, most.choice));
  const chosen = mostCovering(candidates, rows.length, count);
  return chosen.map(({ at }) => pictures.frames[rows[at]!]!).sort((a, b) => a - b);
}

function rowsWithin({ frames }: Pictures, range: Range): number[] {
  const [first, end] = rowsOf(frames, range);
  return Array.from({ length: end - first }, (_, i) => first + i);
}

function thinned(rows: readonly number[], longest: number): readonly number[] {
  if (rows.length <= longest) return rows;
  return Array.from({ length: longest }, (_, i) => rows[Math.floor(((i + 0.5) * rows.length) / longest)]!);
}

function gathered({ vectors, dimensions: d }: Pictures, rows: readonly number[]): Factor {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  if (last - first + 1 === rows.length)
    return { vectors: vectors.subarray(first * d, (last + 1) * d), dimensions: d };
  const some = new Float32Array(rows.length * d);
  for (const [at, row] of rows.entries()) some.set(vectors.subarray(row * d, (row + 1) * d), at * d);
  return { vectors: some, dimensions: d };
}

/**
 * `count` frames, the first one first, each the one that is farthest from all before it; all of them in their
 * order.
 */
function candidatesOf(frames: Factor, count: number): Candidate[] {
  const side = new RightSide(frames);
  if (count === side.count) {
    const all = side.times(frames, 0, count);
    return Array.from({ length: count }, (_, at) => ({
      at,
      likeness: all.slice(at * side.width, at * side.width + count),
    }));
  }
  const chosen: Candidate[] = [];
  const likest = new Float32Array(side.count).fill(-2);
  for (let next = 0; chosen.length < count; ) {
    const likeness = side.times(frames, next, 1).slice(0, side.count);
    chosen.push({ at: next, likeness });
    next = 0;
    for (let at = 0; at < likest.length; at++) {
      if (likeness[at]! > likest[at]!) likest[at] = likeness[at]!;
      if (likest[at]! < likest[next]!) next = at;
    }
  }
  return chosen;
}

/** Those that bring all frames nearest to theirs, greedily; the earlier of equally good ones. */
function mostCovering(candidates: readonly Candidate[], frames: number, count: number): Candidate[] {
  const likest = new Float32Array(frames).fill(-1);
  const chosen: Candidate[] = [];
  while (chosen.length < count) {
    let [best, most]: [Candidate | null, number] = [null, 0];
    for (const candidate of candidates) {
      const { likeness } = candidate;
      let gain = 0;
      for (let at = 0; at < frames; at++) gain += Math.max(0, likeness[at]! - likest[at]!);
      if (gain > most + 1e-6) [best, most] = [candidate, gain];
    }
    if (best === null || (chosen.length > 0 && most < leastGain * frames)) break;
    chosen.push(best);
    best.likeness.forEach((own, at) => {
      if (own > likest[at]!) likest[at] = own;
    });
  }
  return chosen;
}
