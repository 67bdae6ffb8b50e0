// One pass over the rows that are left, block by block, at 8 bits: what no row of it can be above.
import type { Pick } from './catalog.ts';
import type { Scoring } from './scoring.ts';
import { type Bound, blockRows, type RowBank } from './segment.ts';

/** Takes the rows that can still matter, ascending. */
export interface Collector {
  /** A row that cannot reach it changes nothing. */
  readonly threshold: number;
  /** `score`: the exact one is not above it. */
  take(pick: Pick, row: number, score: number): void;
}

/** Scores rows by all vectors of a search. */
export interface Scorer {
  /** Of one row. */
  one(row: number, bound: Bound): number;
  /** Of a block of rows. *Borrowed until the next block*. */
  score(row: number, count: number, bound: Bound): Float32Array | Float64Array;
  /**
   * Indices of the scores that reach `least` in the block scored last, and of some that hardly miss it.
   * *Borrowed* as well.
   */
  reaching(row: number, count: number, least: number): Int32Array;
}

/** Sets the vectors of a search. */
export function scorerOf(bank: RowBank, { bases, exclude }: Scoring): Scorer {
  bank.setQueries([...bases, ...exclude.map(({ vector }) => vector)]);
  if (bases.length === 1 && exclude.length === 0) {
    return {
      one: (row, bound) => bank.one(row, 0, bound),
      score: (row, count, bound) => bank.scan(row, count, 0, bound),
      reaching: (row, count, least) => bank.reaching(row, count, least),
    };
  }
  // What is excluded lowers a score the less, the less alike it may be.
  const opposite = (bound: Bound) => -bound as Bound;
  const scores = new Float64Array(blockRows);
  const hits = new Int32Array(blockRows);
  return {
    one: (row, bound) => {
      const alike = bases.map((_, base) => bank.one(row, base, bound));
      const lost = exclude.map(({ bar, weight }, i) => {
        return Math.max(0, bank.one(row, bases.length + i, opposite(bound)) - bar) * weight;
      });
      return lost.reduce((score, one) => score - one, Math.max(...alike));
    },
    score: (row, count, bound) => {
      scores.set(bank.scan(row, count, 0, bound));
      for (let base = 1; base < bases.length; base++) {
        const other = bank.scan(row, count, base, bound);
        for (let at = 0; at < count; at++) if (other[at]! > scores[at]!) scores[at] = other[at]!;
      }
      for (const [i, { bar, weight }] of exclude.entries()) {
        const alike = bank.scan(row, count, bases.length + i, opposite(bound));
        for (let at = 0; at < count; at++) scores[at]! -= Math.max(0, alike[at]! - bar) * weight;
      }
      return scores;
    },
    reaching: (_row, count, least) => {
      let found = 0;
      for (let at = 0; at < count; at++) if (scores[at]! >= least) hits[found++] = at;
      return hits.subarray(0, found);
    },
  };
}

/** To score so many rows that are not asked for takes less time than to begin a block. */
const mostBetween = 32;

/**
 * The picks from `first` on that lie close to each other and fit into one block: the index after the last
 * one.
 */
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
  scorer: Scorer,
  into: Collector,
  pause: () => void,
): void {
  for (let first = 0; first < picks.length; ) {
    const pick = picks[first]!;
    const { row, count } = pick;
    pause();
    const end = blockEnd(bank, picks, first, row);
    if (end === first) {
      for (let at = 0; at < count; at += blockRows) {
        const part = Math.min(blockRows, count - at);
        const scores = scorer.score(row + at, part, 1);
        for (const hit of scorer.reaching(row + at, part, into.threshold))
          into.take(pick, row + at + hit, scores[hit]!);
        pause();
      }
      first++;
      continue;
    }
    const last = picks[end - 1]!;
    const rows = last.row + last.count - row;
    const scores = scorer.score(row, rows, 1);
    for (const hit of scorer.reaching(row, rows, into.threshold)) {
      while (row + hit >= picks[first]!.row + picks[first]!.count) first++;
      if (row + hit < picks[first]!.row) continue;
      into.take(picks[first]!, row + hit, scores[hit]!);
    }
    first = end;
  }
}
