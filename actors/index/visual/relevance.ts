// How much each second of one film has of what is searched, against all that is loaded.
//
// 0 is the background: the median of the scores of 2048 frames, evenly spaced over everything that is loaded; whatever a
// library is mostly of is what it is. 1 is the best frame of the library. Between them the scale is linear, and what lies
// below the background is 0. Where the best frame hardly stands out, because nothing fits or everything is alike, the
// scale is at least `leastSpan` long: noise is not stretched into peaks.
import { backgroundOf } from './background.ts';
import type { Catalog, LoadedMedia } from './catalog.ts';
import { scorerOf } from './scan.ts';
import type { Scoring } from './scoring.ts';
import { bestScore, type Searched } from './search.ts';
import { blockRows } from './segment.ts';

/** A frame that is less than this above the background, as a cosine, does not stand out by any model. */
export const leastSpan = 0.02;

export interface Scale {
  /** Scores. */
  readonly background: number;
  readonly best: number;
  /** Frames of the library that were looked at. */
  readonly frames: number;
}

/** The scale of a query over all that is loaded. `rows`: of the frames that stand for it. Sets the queries of the bank. */
export function scaleOf(at: Searched, scoring: Scoring, rows: Int32Array): Scale {
  const best = bestScore(at, scoring);
  const { centre: background } = backgroundOf(rows, scorerOf(at.bank, scoring));
  return { background, best: best ?? background, frames: at.catalog.vectors };
}

/** One a second of the grid, up to the last frame that is stored; a second that could not be decoded is 0. */
export function relevanceOf(
  { bank, catalog, pause }: Pick<Searched, 'bank' | 'pause'> & { readonly catalog: Pick<Catalog, 'runsOf'> },
  scoring: Scoring,
  media: LoadedMedia,
  { background, best }: Scale,
): Float32Array<ArrayBuffer> {
  const { frames } = media;
  const values = new Float32Array(frames.length === 0 ? 0 : frames.at(-1)! + 1);
  const span = Math.max(leastSpan, best - background);
  const scorer = scorerOf(bank, scoring);
  for (const { row, count, position } of catalog.runsOf(media.hash)) {
    for (let at = 0; at < count; at += blockRows) {
      pause();
      const part = Math.min(blockRows, count - at);
      for (const [i, score] of scorer
        .score(row + at, part, 0)
        .subarray(0, part)
        .entries())
        values[frames[position + at + i]!] = Math.min(1, Math.max(0, (score - background) / span));
    }
  }
  return values;
}
