// What is usual in everything that is loaded: the scores of some 2048 frames, evenly spaced, and their middle. Pure.
//
// Which frames these are depends on what is loaded, not on the order in which it was loaded: each media gives every
// n-th of its frames, from a first one that its hash decides.
import type { Catalog } from './catalog.ts';
import type { BlockScorer } from './scan.ts';

const sampleFrames = 2048;

/** The middle of the scores, and how far from it they usually lie: 1.4826 times the median distance. */
export interface Background {
  readonly centre: number;
  readonly deviation: number;
}

/** Rows of the frames that stand for everything that is loaded. */
export function sampledRows(catalog: Catalog): Int32Array {
  const step = Math.max(1, catalog.vectors / sampleFrames);
  const rows: number[] = [];
  for (const hash of catalog.hashes()) {
    const runs = catalog.runsOf(hash);
    let at = step === 1 ? 0 : fraction(hash) * step;
    for (const { row, position, count } of runs) {
      for (; at < position + count; at += step) rows.push(row + Math.floor(at) - position);
    }
  }
  return Int32Array.from(rows);
}

/** Sets nothing: the queries of the scorer are those of the bank. */
export function backgroundOf(rows: Int32Array, scorer: BlockScorer): Background {
  const scores = Float64Array.from(rows, (row) => scorer.score(row, 1)[0]!);
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
