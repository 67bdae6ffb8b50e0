// One pass over the rows that are left, block by block: scores at 8 bits and keeps the best frames, or the best frame of
// each scene, so that fifty frames of one long shot do not fill the answer.
import { type Pick, type Run, sceneAt } from './catalog.ts';
import { blockRows, type RowBank } from './segment.ts';
import type { Signals } from './signals.ts';
import { Top } from './topk.ts';

/** Takes scores of consecutive rows of one run. */
export interface Collector {
  take(run: Run, row: number, scores: Float32Array, from: number, count: number): void;
  /** Best first. `item`: the row. */
  finish(): { score: number; item: number }[];
}

export class FrameTop implements Collector {
  private readonly top: Top;

  constructor(size: number) {
    this.top = new Top(size);
  }

  take(_run: Run, row: number, scores: Float32Array, from: number, count: number): void {
    let least = this.top.threshold;
    for (let i = 0; i < count; i++) {
      const score = scores[from + i]!;
      if (score <= least) continue;
      this.top.offer(score, row + i);
      least = this.top.threshold;
    }
  }

  finish() {
    return this.top.sorted();
  }
}

export class SceneTop implements Collector {
  private readonly top: Top;
  private run: Run | null = null;
  private scene = -1;
  private best = Number.NEGATIVE_INFINITY;
  private bestRow = -1;

  constructor(size: number) {
    this.top = new Top(size);
  }

  take(run: Run, row: number, scores: Float32Array, from: number, count: number): void {
    const { scenes } = run.media;
    const position = run.position + row - run.row;
    let scene = sceneAt(run.media, position);
    for (let at = 0; at < count; scene++) {
      if (this.run !== run || this.scene !== scene) this.close(run, scene);
      const next = scene + 1 < scenes.length ? scenes[scene + 1]! - position : count;
      const end = Math.min(next, count);
      for (; at < end; at++) {
        const score = scores[from + at]!;
        if (score > this.best) {
          this.best = score;
          this.bestRow = row + at;
        }
      }
    }
  }

  private close(run: Run | null, scene: number): void {
    if (this.bestRow >= 0 && this.best > this.top.threshold) this.top.offer(this.best, this.bestRow);
    this.run = run;
    this.scene = scene;
    this.best = Number.NEGATIVE_INFINITY;
    this.bestRow = -1;
  }

  finish() {
    this.close(null, -1);
    return this.top.sorted();
  }
}

/** Sets the vectors of a search and answers the function that scores a block. Its answer is *borrowed until the next call*. */
export function blockScorer(bank: RowBank, signals: Signals): (row: number, count: number) => Float32Array {
  bank.setQueries([signals.base, ...signals.exclude.map(({ vector }) => vector)]);
  if (signals.exclude.length === 0) return (row, count) => bank.scan(row, count, 0);
  const scores = new Float32Array(blockRows);
  return (row, count) => {
    scores.set(bank.scan(row, count, 0));
    for (const [i, { bar, weight }] of signals.exclude.entries()) {
      const alike = bank.scan(row, count, i + 1);
      for (let at = 0; at < count; at++) scores[at]! -= Math.max(0, alike[at]! - bar) * weight;
    }
    return scores;
  };
}

/** The picks from `first` on that lie one after the other and fit into one block: the index after the last one. */
function blockEnd(bank: RowBank, picks: readonly Pick[], first: number, row: number): number {
  let end = first;
  let next = row;
  while (end < picks.length) {
    const pick = picks[end]!;
    const adjacent = end === first || pick.row === next;
    if (!adjacent || pick.row + pick.count - row > blockRows) break;
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
  score: (row: number, count: number) => Float32Array,
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
        into.take(run, row + at, score(row + at, part), 0, part);
        pause();
      }
      first++;
      continue;
    }
    const last = picks[end - 1]!;
    const scores = score(row, last.row + last.count - row);
    for (; first < end; first++) {
      const pick = picks[first]!;
      into.take(pick.run, pick.row, scores, pick.row - row, pick.count);
    }
  }
}
