// Stored results of one media file from which its outline is made.
import { errorTable } from '../../../runtime/errors.ts';

export const outlineErrors = errorTable({
  MATERIAL_INVALID: { meaning: 'The stored analysis of a file is inconsistent', status: 500 },
});

/** Vectors of grid frames; a grid second that `frames` lacks has none. */
export interface PictureVectors {
  /** n×d, L2-normalised. *Borrowed.* */
  readonly vectors: Float32Array;
  readonly dimensions: number;
  /** The grid second of each row, ascending, without repeats, each less than `seconds` of the material. */
  readonly frames: ArrayLike<number>;
  /** Grid seconds of rows with which shots begin after a cut, ascending. */
  readonly cuts: readonly number[];
}

export interface SpokenLine {
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly text: string;
  /** Null when nobody knows who speaks. */
  readonly speaker: string | null;
}

export interface PersonFrames {
  readonly person: string;
  /** Grid seconds, ascending. */
  readonly frames: ArrayLike<number>;
}

export interface SummaryInputs {
  /** Length of the grid, at least 1: of a film its grid frames, of sound its seconds rounded up. */
  readonly seconds: number;
  /** Null where there is no picture to look at, as in sound. */
  readonly pictures: PictureVectors | null;
  /** Ascending by start; null where nobody listened. */
  readonly segments: readonly SpokenLine[] | null;
  readonly people: readonly PersonFrames[];
}

/** Half-open, in grid seconds. */
export interface SecondRange {
  readonly start: number;
  readonly end: number;
}

/** Rows of the frames of a range, `first` to before `end`. */
export function rowsOf(frames: ArrayLike<number>, { start, end }: SecondRange): [first: number, end: number] {
  return [firstAtLeast(frames, start), firstAtLeast(frames, end)];
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

/**
 * Grid seconds of which nothing is known, joined to ranges: those without a vector where there is a picture;
 * all of a file that has no picture and to which nobody listened. Silence is known.
 */
export function uncoveredRanges({ seconds, pictures, segments }: SummaryInputs): SecondRange[] {
  if (!pictures) return segments ? [] : [{ start: 0, end: seconds }];
  const ranges: SecondRange[] = [];
  let start = 0;
  for (let i = 0; i <= pictures.frames.length; i++) {
    const end = i < pictures.frames.length ? pictures.frames[i]! : seconds;
    if (end > start) ranges.push({ start, end });
    start = end + 1;
  }
  return ranges;
}

// Arithmetic on rows of vectors.

/** Dot product of `length` numbers from `i` of `a` and from `j` of `b` on. */
export function dot(
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
  length: number,
): number {
  let [p, q, r, s, k] = [0, 0, 0, 0, 0];
  for (; k + 3 < length; k += 4) {
    p += a[i + k]! * b[j + k]!;
    q += a[i + k + 1]! * b[j + k + 1]!;
    r += a[i + k + 2]! * b[j + k + 2]!;
    s += a[i + k + 3]! * b[j + k + 3]!;
  }
  for (; k < length; k++) p += a[i + k]! * b[j + k]!;
  return p + q + (r + s);
}

/** Adds `factor` times `length` numbers from `j` of `b` on to those from `i` of `a` on. */
export function addTo(
  a: Float64Array | Float32Array,
  i: number,
  b: ArrayLike<number>,
  j: number,
  length: number,
  factor = 1,
): void {
  for (let k = 0; k < length; k++) a[i + k]! += factor * b[j + k]!;
}

/** The middle value; 0 of none. `values` are sorted in place. */
export function medianOf(values: Float32Array | Float64Array): number {
  if (values.length === 0) return 0;
  values.sort();
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}
