// Looks of a range relative to the other ranges of the same film: its motion, how rare its pictures are, how
// much is said, who is seen.
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import { type Factor, RightSide } from '../products/products.ts';
import { nextDistances, segmentBySecond, stepRows } from './channels.ts';
import {
  addTo,
  dot,
  type PictureVectors,
  rowsOf,
  type SecondRange,
  type SummaryInputs,
} from './summary-inputs.ts';

export const lookNames = [
  /** How much a second differs from the one before it. */
  'motion',
  /** How little a second differs from the one before it. */
  'steadiness',
  /** How many shots begin, for its length. */
  'cuts',
  /** How unlike the whole film it looks. */
  'rarity',
  /** Share of seconds in which somebody speaks, and does not. */
  'talk',
  'silence',
  /** How often the speaker changes, for its length. */
  'turns',
  /** Share of seconds in which somebody known is seen, and several are. */
  'people',
  'together',
  /** How many are seen for the first time. */
  'newcomers',
] as const;
export type LookName = (typeof lookNames)[number];

/**
 * 0 to 1 each: the share of ranges that have less of it, equal ones counted half. So 0.5 of all where nothing
 * tells them apart, and 0.5 of what nobody has looked at.
 */
export type LookValues = Readonly<Record<LookName, number>>;

/** `shots`: grid seconds at which shots begin, ascending. O(seconds · d + seconds · levels of ranges). */
export function* lookSteps(
  material: SummaryInputs,
  shots: readonly number[],
  ranges: readonly SecondRange[],
): Steps<LookValues[]> {
  const measures = yield* measuresOf(material, shots);
  const values = {} as Record<LookName, Float64Array>;
  for (const look of lookNames) {
    values[look] = ranked(ranges.map((range) => measures[look]?.(range) ?? null));
    yield;
  }
  return ranges.map(
    (_, i) => Object.fromEntries(lookNames.map((look) => [look, values[look][i]])) as LookValues,
  );
}

/** A number of a range; null where it lacks what it is measured on. */
type Measure = (range: SecondRange) => number | null;

function* measuresOf(
  material: SummaryInputs,
  shots: readonly number[],
): Steps<Partial<Record<LookName, Measure>>> {
  return {
    ...(material.pictures ? yield* pictureMeasures(material.pictures, shots) : {}),
    ...(material.segments ? speechMeasures(material) : {}),
    ...(material.people.length > 0 ? peopleMeasures(material) : {}),
  };
}

function* pictureMeasures(
  pictures: PictureVectors,
  shots: readonly number[],
): Steps<Partial<Record<LookName, Measure>>> {
  const { vectors, dimensions: d, frames } = pictures;
  const next = yield* nextDistances(pictures);
  const begins = new Set(shots);
  const whole = new Float64Array(d);
  const together = stepRows(d);
  for (let row = 0; row < frames.length; row++) {
    if (row % together === 0) yield;
    addTo(whole, 0, vectors, row * d, d);
  }
  const length = Math.sqrt(dot(whole, 0, whole, 0, d)) || 1;
  // A cut is no motion.
  const motion = meanOf(frames, (row) => (row === 0 || begins.has(frames[row]!) ? null : next[row - 1]!));
  const unlike = new Float64Array(frames.length);
  for (let row = 0; row < frames.length; row++) {
    if (row % together === 0) yield;
    unlike[row] = 1 - dot(vectors, row * d, whole, 0, d) / length;
  }
  const rarity = meanOf(frames, (row) => unlike[row]!);
  const negated: Measure = (range) => {
    const moved = motion(range);
    return moved === null ? null : -moved;
  };
  const cuts: Measure = ({ start, end }) => {
    const [first, last] = rowsOf(shots, { start: start + 1, end });
    return Math.max(0, last - first) / (end - start);
  };
  return { motion, rarity, steadiness: negated, cuts };
}

function meanOf(frames: ArrayLike<number>, value: (row: number) => number | null): Measure {
  const values = Array.from(frames, (_, row) => value(row));
  return ({ start, end }) => {
    let [sum, count] = [0, 0];
    const [first, last] = rowsOf(frames, { start, end });
    for (let row = first; row < last; row++) {
      const value = values[row];
      if (value == null) continue;
      sum += value;
      count++;
    }
    return count > 0 ? sum / count : null;
  };
}

function speechMeasures({ segments, seconds }: SummaryInputs): Partial<Record<LookName, Measure>> {
  const by = segmentBySecond(segments ?? [], seconds);
  const share = (range: SecondRange, holds: (second: number) => boolean) => shareOf(range, holds);
  const turns: Measure = ({ start, end }) => {
    let [count, last] = [0, -1];
    for (let second = start; second < end; second++) {
      const here = by[second]!;
      if (here < 0) continue;
      if (last >= 0 && segments![here]!.speaker !== segments![last]!.speaker) count++;
      last = here;
    }
    return count / (end - start);
  };
  return {
    talk: (range) => share(range, (second) => by[second]! >= 0),
    silence: (range) => share(range, (second) => by[second]! < 0),
    turns,
  };
}

function peopleMeasures({ people, seconds }: SummaryInputs): Partial<Record<LookName, Measure>> {
  const peopleCounts = new Uint16Array(seconds);
  const first: number[] = [];
  for (const { frames } of people) {
    if (frames.length > 0) first.push(frames[0]!);
    for (let i = 0; i < frames.length; i++) peopleCounts[frames[i]!]!++;
  }
  return {
    people: (range) => shareOf(range, (second) => peopleCounts[second]! > 0),
    together: (range) => shareOf(range, (second) => peopleCounts[second]! > 1),
    newcomers: ({ start, end }) => first.filter((second) => second >= start && second < end).length,
  };
}

function shareOf({ start, end }: SecondRange, holds: (second: number) => boolean): number {
  let count = 0;
  for (let second = start; second < end; second++) if (holds(second)) count++;
  return count / (end - start);
}

/** The share of values below each, equal ones counted half; 0.5 for null. */
function ranked(values: readonly (number | null)[]): Float64Array {
  const present = Float64Array.from(values.filter((value) => value !== null)).sort();
  const [low, high] = [new Map<number, number>(), new Map<number, number>()];
  present.forEach((value, at) => {
    if (!low.has(value)) low.set(value, at);
    high.set(value, at + 1);
  });
  return Float64Array.from(values, (value) =>
    value === null ? 0.5 : (low.get(value)! + high.get(value)!) / 2 / present.length,
  );
}

// Frames that stand for a range of a film, chosen by what they look like: greedy facility location, so that
// every frame of the range is near to one of them.

/** Frames that are looked at, thinned out evenly in longer ranges, and those of them that may be chosen. */
const most = { looked: 512, choice: 64 };
/** One more frame has to bring the frames nearer to theirs by so much on average. */
const leastGain = 0.01;

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
export function representativesOf(pictures: PictureVectors, range: SecondRange, count: number): number[] {
  const rows = thinned(rowsWithin(pictures, range), most.looked);
  if (rows.length === 0 || count <= 0) return [];
  const candidates = candidatesOf(gathered(pictures, rows), Math.min(rows.length, most.choice));
  const chosen = mostCovering(candidates, rows.length, count);
  return chosen.map(({ at }) => pictures.frames[rows[at]!]!).sort((a, b) => a - b);
}

function rowsWithin({ frames }: PictureVectors, range: SecondRange): number[] {
  const [first, end] = rowsOf(frames, range);
  return Array.from({ length: end - first }, (_, i) => first + i);
}

function thinned(rows: readonly number[], longest: number): readonly number[] {
  if (rows.length <= longest) return rows;
  return Array.from({ length: longest }, (_, i) => rows[Math.floor(((i + 0.5) * rows.length) / longest)]!);
}

function gathered({ vectors, dimensions: d }: PictureVectors, rows: readonly number[]): Factor {
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

/**
 * Picks greedily the candidates that bring every frame nearest to a chosen one. Among equally good ones the
 * earlier wins.
 */
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
    best.likeness.forEach((likeness, at) => {
      if (likeness > likest[at]!) likest[at] = likeness;
    });
  }
  return chosen;
}
