// Scales of the latest queries in the library. A page asks for the relevance along many films of one answer,
// and for the same query again while it scrolls; the usual scores of the library are the same for all of
// them.

import { backgroundOf, type ScoreBackground, sampledRows } from './background.ts';
import { type Catalog, everything, type LoadedMedia, type RowRun } from './catalog.ts';
import { cellRows } from './cells.ts';
import { scorerOf } from './scan.ts';
import type { Scoring } from './scoring.ts';
import { bestScore, type SearchedVectors } from './search.ts';
import { VectorCache } from './vector-cache.ts';

export class ScaleCache {
  readonly scales = new VectorCache<Scale>(8);
  readonly backgrounds = new VectorCache<ScoreBackground>(64);
  #rows: Int32Array | null = null;

  /** Rows of the frames that stand for everything that is loaded. */
  rows(catalog: Catalog): Int32Array {
    this.#rows ??= sampledRows(catalog.picks(everything));
    return this.#rows;
  }

  /** Called when the loaded data has changed. */
  clear(): void {
    this.scales.clear();
    this.backgrounds.clear();
    this.#rows = null;
  }
}

// How much each second of one film has of what is searched, against all that is loaded.
//
// 0 is the background: the median of the scores of 2048 frames, evenly spaced over everything that is loaded;
// whatever a library is mostly of is what it is. 1 is the best frame of the library. Between them the scale
// is linear, and what lies below the background is 0. Where the best frame hardly stands out, because nothing
// fits or everything is alike, the scale is at least `leastSpan` long: noise is not stretched into peaks.

/** A frame that is less than this above the background, as a cosine, does not stand out by any model. */
const leastSpan = 0.02;

interface Scale {
  /** Scores. */
  readonly background: number;
  readonly best: number;
  /** Frames of the library that were looked at. */
  readonly frames: number;
}

/**
 * The scale of a query over all that is loaded. `rows`: of the frames that stand for it. Sets the queries of
 * the bank.
 */
export function scaleOf(at: SearchedVectors, scoring: Scoring, rows: Int32Array): Scale {
  const best = bestScore(at, scoring);
  const { centre: background } = backgroundOf(rows, scorerOf(at.bank, scoring));
  return { background, best: best ?? background, frames: at.catalog.vectors };
}

/** One a second of the grid, up to the last frame that is stored; a second that could not be decoded is 0. */
export function relevanceOf(
  { bank, pause }: Pick<SearchedVectors, 'bank' | 'pause'>,
  scoring: Scoring,
  { media: { frames }, runs }: { readonly media: LoadedMedia; readonly runs: readonly RowRun[] },
  { background, best }: Pick<Scale, 'background' | 'best'>,
): Float32Array<ArrayBuffer> {
  const values = new Float32Array(frames.length === 0 ? 0 : frames.at(-1)! + 1);
  const span = Math.max(leastSpan, best - background);
  const scorer = scorerOf(bank, scoring);
  for (const { row, count, position } of runs) {
    for (let at = 0; at < count; at += cellRows) {
      pause();
      const part = Math.min(cellRows, count - at);
      for (const [i, score] of scorer
        .score(row + at, part, 0)
        .subarray(0, part)
        .entries())
        values[frames[position + at + i]!] = Math.min(1, Math.max(0, (score - background) / span));
    }
  }
  return values;
}
