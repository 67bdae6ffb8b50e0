// The usual scores of the loaded or searched media: those of some 2048 frames, evenly spaced, and how they
// spread.
//
// Which frames these are depends on the frames there are, not on where they lie in memory: each media gives
// every n-th of its frames, from a first one that its hash decides.
import type { LoadedMedia, Pick } from './catalog.ts';
import { type Scorer, scorerOf } from './scan.ts';
import { type Spread, spreadOf } from './scoring.ts';
import type { RowBank } from './segment.ts';

const sampleFrames = 2048;

/** The middle of the scores, and how far from it they usually lie: 1.4826 times the median distance. */
export interface ScoreBackground {
  readonly centre: number;
  readonly deviation: number;
}

/** Rows of the frames that stand for the picks: all of them, where these are few. */
export function sampledRows(picks: readonly Pick[]): Int32Array {
  const total = picks.reduce((sum, { count }) => sum + count, 0);
  const step = Math.max(1, total / sampleFrames);
  const rows: number[] = [];
  let [of, shift]: [LoadedMedia | null, number] = [null, 0];
  for (const { run, row, count } of picks) {
    if (of !== run.media) [of, shift] = [run.media, step === 1 ? 0 : fraction(run.media.hash)];
    const first = run.position + row - run.row;
    for (let i = Math.max(0, Math.floor(first / step - shift)); ; i++) {
      const position = Math.floor((i + shift) * step);
      if (position >= first + count) break;
      if (position >= first) rows.push(row + position - first);
    }
  }
  return Int32Array.from(rows);
}

function scoresOf(rows: Int32Array, scorer: Scorer): Float64Array {
  return Float64Array.from(rows, (row) => scorer.one(row, 0));
}

/** How vectors spread over the rows; of several the nearest counts. Sets the queries of the bank. */
export function spreadOver(
  bank: RowBank,
  rows: () => Int32Array,
): (bases: readonly Float32Array[]) => Spread {
  return (bases) => {
    const scorer = scorerOf(bank, { bases, exclude: [] });
    // No exact score is below the one or above the other.
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of rows()) {
      least = Math.min(least, scorer.one(row, -1));
      most = Math.max(most, scorer.one(row, 1));
    }
    const scores = scoresOf(rows(), scorer);
    return spreadOf(scores, scores.length === 0 ? 0 : most - least);
  };
}

/** Sets nothing: the queries of the scorer are those of the bank. */
export function backgroundOf(rows: Int32Array, scorer: Scorer): ScoreBackground {
  const scores = scoresOf(rows, scorer);
  const centre = median(scores);
  const deviation = 1.4826 * median(scores.map((score) => Math.abs(score - centre)));
  return { centre, deviation };
}

/** Sorts the values; 0 of none. */
function median(values: Float64Array): number {
  values.sort();
  const middle = values.length >> 1;
  if (values.length === 0) return 0;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}

/** 0 to 1, the same for the same text: FNV-1a over its last characters, mixed. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = Math.max(0, text.length - 16); i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
