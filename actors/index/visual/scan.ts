// One pass over the rows that are left, block by block: scores at 8 bits and keeps the best frames, or the best frame of
// each scene, so that fifty frames of one long shot do not fill the answer.
import { type Pick, type Run, sceneAt } from './catalog.ts';
import type { Scoring } from './scoring.ts';
import { blockRows, type RowBank } from './segment.ts';
import { Top } from './topk.ts';

/** Takes the rows whose score can still matter, ascending. */
export interface Collector {
  /** A score that is not above it changes nothing. */
  readonly threshold: number;
  take(run: Run, row: number, score: number): void;
  /** Best first. `item`: the row. */
  finish(): { score: number; item: number }[];
}

export class FrameTop implements Collector {
  readonly #top: Top;

  constructor(size: number) {
    this.#top = new Top(size);
  }

  get threshold(): number {
    return this.#top.threshold;
  }

  take(_run: Run, row: number, score: number): void {
    this.#top.offer(score, row);
  }

  finish() {
    return this.#top.sorted();
  }
}

export class SceneTop implements Collector {
  readonly #top: Top;
  #run: Run | null = null;
  #scene = -1;
  /** Position after the last one of the scene. */
  #end = 0;
  #best = Number.NEGATIVE_INFINITY;
  #bestRow = -1;

  constructor(size: number) {
    this.#top = new Top(size);
  }

  /** A scene whose best frame is not above it is not among the best scenes. */
  get threshold(): number {
    return this.#top.threshold;
  }

  take(run: Run, row: number, score: number): void {
    const position = run.position + row - run.row;
    if (this.#run !== run || position >= this.#end) {
      this.#close();
      const { scenes, frames } = run.media;
      this.#run = run;
      this.#scene = sceneAt(run.media, position);
      this.#end = scenes[this.#scene + 1] ?? frames.length;
    }
    if (score <= this.#best) return;
    this.#best = score;
    this.#bestRow = row;
  }

  #close(): void {
    if (this.#bestRow >= 0) this.#top.offer(this.#best, this.#bestRow);
    this.#best = Number.NEGATIVE_INFINITY;
    this.#bestRow = -1;
  }

  finish() {
    this.#close();
    return this.#top.sorted();
  }
}

/** Scores blocks of rows. Both answers are *borrowed until the next block*. */
export interface BlockScorer {
  score(row: number, count: number): Float32Array;
  /** Indices of the scores above `least` of the block that was scored last. */
  above(row: number, count: number, least: number): Int32Array;
}

/** Sets the vectors of a search. */
export function blockScorer(bank: RowBank, { bases, exclude }: Scoring): BlockScorer {
  bank.setQueries([...bases, ...exclude.map(({ vector }) => vector)]);
  if (bases.length === 1 && exclude.length === 0) {
    return {
      score: (row, count) => bank.scan(row, count, 0),
      above: (row, count, least) => bank.above(row, count, least),
    };
  }
  const scores = new Float32Array(blockRows);
  const hits = new Int32Array(blockRows);
  return {
    score: (row, count) => {
      scores.set(bank.scan(row, count, 0));
      for (let base = 1; base < bases.length; base++) {
        const other = bank.scan(row, count, base);
        for (let at = 0; at < count; at++) if (other[at]! > scores[at]!) scores[at] = other[at]!;
      }
      for (const [i, { bar, weight }] of exclude.entries()) {
        const alike = bank.scan(row, count, bases.length + i);
        for (let at = 0; at < count; at++) scores[at]! -= Math.max(0, alike[at]! - bar) * weight;
      }
      return scores;
    },
    above: (_row, count, least) => {
      let found = 0;
      for (let at = 0; at < count; at++) if (scores[at]! > least) hits[found++] = at;
      return hits.subarray(0, found);
    },
  };
}

/** To score so many rows that are not asked for takes less time than to begin a block. */
const mostBetween = 32;

/** The picks from `first` on that lie close to each other and fit into one block: the index after the last one. */
function blockEnd(bank: RowBank, picks: readonly Pick[], first: number, row: number): number {
  let end = first;
  let next = row;
  while (end < picks.length) {
    const pick = picks[end]!;
    const isNear = end === first || pick.row - next <= mostBetween;
    if (!isNear || pick.row + pick.count - row > blockRows) break;
    if (bank.segmentOf(pick.row) !== bank.segmentOf(row)) break;
    next = pick.row + pick.count;
    end++;
  }
  return end;
}

/** Scores every pick, ascending rows. `pause` is called between blocks and may throw to stop. */
export function scan(
  bank: RowBank,
  picks: readonly Pick[],
  scorer: BlockScorer,
  into: Collector,
  pause: () => void,
): void {
  for (let first = 0; first < picks.length; ) {
    const { row, run, count } = picks[first]!;
    pause();
    const end = blockEnd(bank, picks, first, row);
    if (end === first) {
      for (let at = 0; at < count; at += blockRows) {
        const part = Math.min(blockRows, count - at);
        const scores = scorer.score(row + at, part);
        for (const hit of scorer.above(row + at, part, into.threshold))
          into.take(run, row + at + hit, scores[hit]!);
        pause();
      }
      first++;
      continue;
    }
    const last = picks[end - 1]!;
    const rows = last.row + last.count - row;
    const scores = scorer.score(row, rows);
    for (const hit of scorer.above(row, rows, into.threshold)) {
      while (row + hit >= picks[first]!.row + picks[first]!.count) first++;
      if (row + hit < picks[first]!.row) continue;
      into.take(picks[first]!.run, row + hit, scores[hit]!);
    }
    first = end;
  }
}
