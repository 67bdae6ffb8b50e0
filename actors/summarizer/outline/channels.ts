// Facts of each second as channels of unit vectors: its picture, its words, its speaker, presence of speech,
// people in view. A second may lack some or all of them.
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import { documentFrequencies, termsOf } from '../text/sentences.ts';
import { addTo, dot, type PictureVectors, type SpokenLine, type SummaryInputs } from './summary-inputs.ts';

export interface OutlineChannel {
  readonly dimensions: number;
  /** Distance that a completely different second adds. */
  readonly weight: number;
  /**
   * Adds the unit vectors of the seconds from `start` to before `end` to `sums` from `at` on, and answers how
   * many there were. Seconds are asked for in any order.
   */
  add(start: number, end: number, sums: Float32Array, at: number): number;
}

const weights = { words: 1, speakers: 0.3, speech: 0.3, people: 0.3 };
/** Distances below this are noise of one picture. */
const least = 0.15;
/** Segments whose words are read in one step. */
const textsOfStep = 1000;
/** Buckets of words, and of speakers and people beyond which they share one. */
const buckets = 128;

export function* channelsOf(material: SummaryInputs): Steps<OutlineChannel[]> {
  const { seconds, pictures, people } = material;
  const segments = (material.segments ?? []).filter(({ start_seconds }) => start_seconds < seconds);
  const channels: OutlineChannel[] = [];
  if (pictures && pictures.frames.length > 0) channels.push(pictureChannel(pictures, seconds));
  if (segments.length > 0) {
    yield;
    channels.push(yield* wordChannel(segments, seconds), speechChannel(segments, seconds));
    yield;
    const speakers = speakerChannel(segments, seconds);
    if (speakers.dimensions > 1) channels.push(speakers);
  }
  if (people.length > 0) channels.push(peopleChannel(material));
  return channels;
}

function pictureChannel(pictures: PictureVectors, seconds: number): OutlineChannel {
  const { vectors, dimensions, frames } = pictures;
  const rowsBefore = new Uint32Array(seconds + 1);
  for (let row = 0; row < frames.length; row++) rowsBefore[frames[row]! + 1]!++;
  for (let second = 0; second < seconds; second++) rowsBefore[second + 1]! += rowsBefore[second]!;
  return {
    dimensions,
    weight: 1 / Math.max(least, usualDistance(pictures)),
    add(start, end, sums, at) {
      const [first, last] = [rowsBefore[start]!, rowsBefore[end]!];
      for (let row = first; row < last; row++) addTo(sums, at, vectors, row * dimensions, dimensions);
      return last - first;
    },
  };
}

/**
 * Grid seconds in which a segment is spoken: those in whose first half it begins, or before, up to its end.
 */
export function secondsOf({ start_seconds, end_seconds }: SpokenLine, seconds: number): [number, number] {
  const start = Math.min(seconds - 1, Math.max(0, Math.round(start_seconds)));
  return [start, Math.min(seconds, Math.max(start + 1, Math.round(end_seconds)))];
}

/** Entries of one second each, sparse: features `buckets[i]` of `values[i]`. */
interface Sparse {
  readonly buckets: Uint16Array;
  readonly values: Float32Array;
}

/** A channel in which each second has the entry of the segment that is spoken in it, the last of several. */
function sparseChannel(
  entries: readonly Sparse[],
  entryOf: Int32Array,
  dimensions: number,
  weight: number,
): OutlineChannel {
  return {
    dimensions,
    weight,
    add(start, end, sums, at) {
      let count = 0;
      for (let second = start; second < end; second++) {
        const entry = entries[entryOf[second]!];
        if (!entry || entry.buckets.length === 0) continue;
        for (let i = 0; i < entry.buckets.length; i++) sums[at + entry.buckets[i]!]! += entry.values[i]!;
        count++;
      }
      return count;
    },
  };
}

/** Index of the segment spoken in each second, the last one of several; -1 for none. */
export function segmentBySecond(segments: readonly SpokenLine[], seconds: number): Int32Array {
  const by = new Int32Array(seconds).fill(-1);
  segments.forEach((segment, i) => {
    const [start, end] = secondsOf(segment, seconds);
    by.fill(i, start, end);
  });
  return by;
}

function* wordChannel(segments: readonly SpokenLine[], seconds: number): Steps<OutlineChannel> {
  const terms: string[][] = [];
  for (const [i, { text }] of segments.entries()) {
    terms.push(termsOf(text));
    if (i % textsOfStep === textsOfStep - 1) yield;
  }
  const frequencies = documentFrequencies(terms);
  yield;
  const entries = terms.map((sentenceTerms): Sparse => {
    const sums = new Map<number, number>();
    for (const term of sentenceTerms) {
      const frequency = frequencies.get(term)!;
      // A word of nearly every segment, or of one alone, tells nothing of what belongs together.
      if (frequency === 1 || (segments.length >= 10 && frequency > segments.length * 0.3)) continue;
      const bucket = hash(term);
      const value = Math.log(1 + segments.length / frequency);
      sums.set(bucket % buckets, (sums.get(bucket % buckets) ?? 0) + (bucket & 0x8000_0000 ? -value : value));
    }
    const length = Math.sqrt([...sums.values()].reduce((sum, value) => sum + value * value, 0));
    if (length === 0) return { buckets: new Uint16Array(0), values: new Float32Array(0) };
    return {
      buckets: Uint16Array.from(sums.keys()),
      values: Float32Array.from(sums.values(), (v) => v / length),
    };
  });
  return sparseChannel(entries, segmentBySecond(segments, seconds), buckets, weights.words);
}

/** FNV-1a of the UTF-16 units, 32 bits. */
function hash(term: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) state = Math.imul(state ^ term.charCodeAt(i), 0x01000193);
  state ^= state >>> 13;
  return Math.imul(state, 0x5bd1e995) >>> 0;
}

function speechChannel(segments: readonly SpokenLine[], seconds: number): OutlineChannel {
  const entries = [oneHot(0), oneHot(1)];
  const by = segmentBySecond(segments, seconds).map((segment) => (segment < 0 ? 1 : 0));
  return sparseChannel(entries, by, 2, weights.speech);
}

function speakerChannel(segments: readonly SpokenLine[], seconds: number): OutlineChannel {
  const numbers = numbersOf(segments.flatMap(({ speaker }) => (speaker === null ? [] : [speaker])));
  const none = { buckets: new Uint16Array(0), values: new Float32Array(0) };
  const entries = segments.map(({ speaker }) => (speaker === null ? none : oneHot(numbers.get(speaker)!)));
  const dimensions = Math.min(numbers.size, buckets);
  return sparseChannel(entries, segmentBySecond(segments, seconds), dimensions, weights.speakers);
}

function peopleChannel({ people, seconds }: SummaryInputs): OutlineChannel {
  const numbers = numbersOf(people.map(({ person }) => person));
  const peopleBySecond: number[][] = Array.from({ length: seconds }, () => []);
  for (const { person, frames } of people)
    for (let i = 0; i < frames.length; i++) peopleBySecond[frames[i]!]!.push(numbers.get(person)!);
  const entries = peopleBySecond.map((visible): Sparse => {
    const of = Uint16Array.from(visible);
    return { buckets: of, values: new Float32Array(of.length).fill(1 / Math.sqrt(of.length)) };
  });
  const dimensions = Math.min(numbers.size, buckets);
  return sparseChannel(
    entries,
    Int32Array.from({ length: seconds }, (_, i) => i),
    dimensions,
    weights.people,
  );
}

const oneHot = (bucket: number): Sparse => ({
  buckets: Uint16Array.of(bucket),
  values: Float32Array.of(1),
});

/** Names as numbers below `buckets`, in order of appearance. */
function numbersOf(names: readonly string[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const name of names) if (!numbers.has(name)) numbers.set(name, Math.min(numbers.size, buckets - 1));
  return numbers;
}

// How much the picture changes along the grid: from frame to frame, and from the seconds before a moment to
// those after it.

/** 1 - cosine of two rows. */
export function distance({ vectors, dimensions: d }: PictureVectors, a: number, b: number): number {
  return 1 - dot(vectors, a * d, vectors, b * d, d);
}

/** Numbers of vectors that are read in one step: some 10 ms. */
export const stepNumbers = 1 << 21;

/** Rows of one step. */
export const stepRows = (dimensions: number): number => Math.max(1, Math.floor(stepNumbers / dimensions));

/** Values of the rows from `first` on, in order; 0 of those before it. */
function* byRow(
  { dimensions }: PictureVectors,
  [first, end]: readonly [number, number],
  value: (row: number) => number,
): Steps<Float32Array> {
  const values = new Float32Array(Math.max(0, end));
  for (let row = first; row < end; row++) {
    values[row] = value(row);
    if ((row + 1) % stepRows(dimensions) === 0) yield;
  }
  return values;
}

/** For each row but the last: its distance to the next one. O(n · d). */
export const nextDistances = (pictures: PictureVectors): Steps<Float32Array> =>
  byRow(pictures, [0, pictures.frames.length - 1], (row) => distance(pictures, row, row + 1));

/**
 * For each row: 1 - cosine of the mean of up to `window` rows before it and of up to `window` rows from it
 * on; 0 of the first row. A mean has little of the noise of its rows, so a slow transition stands out. O(n ·
 * d).
 */
export const windowDistances = (pictures: PictureVectors, window: number): Steps<Float32Array> =>
  byRow(pictures, [1, pictures.frames.length], windowsOf(pictures, window));

/** Answers the distance at row 1, 2, and so on, each once. */
function windowsOf(
  { vectors, dimensions: d, frames }: PictureVectors,
  window: number,
): (row: number) => number {
  const rows = frames.length;
  const [left, right, nothing] = [new Float64Array(d), new Float64Array(d), new Float32Array(d)];
  for (let row = 0; row < Math.min(window, rows); row++) addTo(right, 0, vectors, row * d, d);
  const rowAt = (row: number) =>
    row >= 0 && row < rows ? vectors.subarray(row * d, (row + 1) * d) : nothing;
  return (i) => {
    const [leaving, passing, coming] = [rowAt(i - 1 - window), rowAt(i - 1), rowAt(i - 1 + window)];
    let [across, before, after] = [0, 0, 0];
    for (let k = 0; k < d; k++) {
      const l = left[k]! + passing[k]! - leaving[k]!;
      const r = right[k]! - passing[k]! + coming[k]!;
      left[k] = l;
      right[k] = r;
      across += l * r;
      before += l * l;
      after += r * r;
    }
    const lengths = Math.sqrt(before * after);
    return lengths > 1e-9 ? Math.max(0, 1 - across / lengths) : 0;
  };
}

/**
 * How different pictures of this film are that lie far apart: the median of 1 - cosine of some 500 pairs,
 * half the film apart. 0 of fewer than four rows.
 */
function usualDistance(pictures: PictureVectors): number {
  const half = pictures.frames.length >> 1;
  if (half < 2) return 0;
  const count = Math.min(half, 500);
  const distances = Float32Array.from({ length: count }, (_, at) => {
    const row = Math.floor((at * half) / count);
    return distance(pictures, row, row + half);
  });
  return distances.sort()[count >> 1]!;
}
