// What is stored of one media file and an outline is made of.
import { errorTable } from '../../../runtime/errors.ts';

export const outlineErrors = errorTable({
  MATERIAL_INVALID: {
    meaning: 'The stored analysis of a file is inconsistent',
    status: 500,
    retryable: false,
  },
});

/** Vectors of grid frames; a grid second that `frames` lacks has none. */
export interface Pictures {
  /** n×d, L2-normalised. *Borrowed.* */
  readonly vectors: Float32Array;
  readonly dimensions: number;
  /** The grid second of each row, ascending, without repeats, each less than `seconds` of the material. */
  readonly frames: ArrayLike<number>;
  /** Grid seconds of rows with which shots begin after a cut, ascending. */
  readonly cuts: readonly number[];
}

/** A segment of a transcript. */
export interface Spoken {
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly text: string;
  /** Null when nobody knows who speaks. */
  readonly speaker: string | null;
}

/** Where one person is seen. */
export interface Appearance {
  readonly person: string;
  /** Grid seconds, ascending. */
  readonly frames: ArrayLike<number>;
}

export interface Material {
  /** Length of the grid, at least 1: of a film its grid frames, of sound its seconds rounded up. */
  readonly seconds: number;
  /** Null where there is no picture to look at, as in sound. */
  readonly pictures: Pictures | null;
  /** Ascending by start; null where nobody listened. */
  readonly segments: readonly Spoken[] | null;
  readonly people: readonly Appearance[];
}

/** Half-open, in grid seconds. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Rows of the frames of a range, `first` to before `end`. */
export function rowsOf(frames: ArrayLike<number>, { start, end }: Range): [first: number, end: number] {
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
export function uncoveredRanges({ seconds, pictures, segments }: Material): Range[] {
  if (!pictures) return segments ? [] : [{ start: 0, end: seconds }];
  const ranges: Range[] = [];
  let start = 0;
  for (let i = 0; i <= pictures.frames.length; i++) {
    const end = i < pictures.frames.length ? pictures.frames[i]! : seconds;
    if (end > start) ranges.push({ start, end });
    start = end + 1;
  }
  return ranges;
}
