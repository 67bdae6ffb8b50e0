// One pass over the rows that are left, at 8 bits, for all questions that wait together: what no row of it
// can be above.
import type { Pick } from './catalog.ts';
import { type BoundKind, cellRows, type Pass, passCells, requireLeast, tileRows } from './cells.ts';
import type { Scoring } from './scoring.ts';
import type { RowBank } from './segment.ts';

/** Scores rows by all vectors of a search. */
export interface Scorer {
  one(row: number, bound: BoundKind): number;
  /** Upper bound of the score of a row whose similarity to the query is at most `alike`. */
  atMost(row: number, alike: number): number;
  /** Scores of at most `cellRows` rows of a segment. *Borrowed until more rows are scored*. */
  score(row: number, count: number, bound: BoundKind): Float32Array | Float64Array;
}

/** Sets the vectors of a search. */
export function scorerOf(bank: RowBank, scoring: Scoring): Scorer {
  return scorersOf(bank, [scoring])[0]!;
}

/** Vectors that a search needs at once. */
export function queriesOf({ bases, exclude }: Scoring): number {
  return bases.length + exclude.length;
}

/** Sets the vectors of several searches, the ones of each after those of the one before. */
export function scorersOf(bank: RowBank, scorings: readonly Scoring[]): Scorer[] {
  bank.setQueries(
    scorings.flatMap(({ bases, exclude }) => [...bases, ...exclude.map(({ vector }) => vector)]),
  );
  let first = 0;
  return scorings.map((scoring) => {
    const scorer = scorerFrom(bank, scoring, first);
    first += queriesOf(scoring);
    return scorer;
  });
}

/** `first`: the first of its queries. */
function scorerFrom({ cells }: RowBank, { bases, exclude }: Scoring, first: number): Scorer {
  if (bases.length === 1 && exclude.length === 0) {
    return {
      one: (row, bound) => cells.one(row, first, bound),
      atMost: (_row, alike) => alike,
      score: (row, count, bound) => cells.block(row, count, first, bound),
    };
  }
  // Excluded content lowers a score less, the less similar it may be.
  const opposite = (bound: BoundKind) => -bound as BoundKind;
  const lowered = (row: number, alike: number, bound: BoundKind) => {
    let score = alike;
    for (const [i, { bar, weight }] of exclude.entries())
      score -= Math.max(0, cells.one(row, first + bases.length + i, opposite(bound)) - bar) * weight;
    return score;
  };
  const scores = new Float64Array(cellRows);
  return {
    one: (row, bound) =>
      lowered(row, Math.max(...bases.map((_, base) => cells.one(row, first + base, bound))), bound),
    atMost: (row, alike) => lowered(row, alike, 1),
    score: (row, count, bound) => {
      scores.set(cells.block(row, count, first, bound));
      for (let base = 1; base < bases.length; base++) {
        const otherScores = cells.block(row, count, first + base, bound);
        for (let at = 0; at < count; at++) if (otherScores[at]! > scores[at]!) scores[at] = otherScores[at]!;
      }
      for (const [i, { bar, weight }] of exclude.entries()) {
        const alike = cells.block(row, count, first + bases.length + i, opposite(bound));
        for (let at = 0; at < count; at++) scores[at]! -= Math.max(0, alike[at]! - bar) * weight;
      }
      return scores;
    },
  };
}

/** One question of a pass. */
export interface Asking {
  /** Ascending rows. */
  readonly picks: readonly Pick[];
  /** Its first query, and how many from there on of which the nearest counts. */
  readonly query: number;
  readonly lanes: number;
  /** A row that is less like what is asked for changes nothing. */
  readonly threshold: number;
  /** A row that can still matter, in any order. `alike`: its exact likeness is not above it. */
  take(pick: Pick, row: number, alike: number): void;
}

export const mostTogether = 16;

/** Scores what all want, `mostTogether` at most. `pause` is called between cells and may throw to stop. */
export function scan({ cells, threads }: RowBank, askings: readonly Asking[], pause: () => void): void {
  const pass = passOf(askings);
  if (pass === null) return;
  cells.begin(pass);
  const finders = askings.map(({ picks }) => pickFinder(picks));
  const hit = (question: number, row: number, alike: number) => {
    const asking = askings[question]!;
    if (alike < asking.threshold) return;
    const pick = finders[question]!(row);
    if (pick === null) return;
    asking.take(pick, row, alike);
  };
  const count = passCells(pass);
  const scanCell = (cell: number) => {
    pause();
    cells.scan(pass.firstCell + cell, hit);
    threads.take(hit);
    for (const [question, { threshold }] of askings.entries()) requireLeast(pass, question, threshold);
  };
  // After the first cell it is known what most rows do not reach.
  scanCell(0);
  threads.begin(pass, 1, count);
  try {
    for (let cell = threads.next(); cell < count; cell = threads.next()) scanCell(cell);
  } finally {
    threads.finish(hit);
  }
}

/** Null where nobody asks for a row. */
function passOf(askings: readonly Asking[]): Pass | null {
  const some = askings.filter(({ picks }) => picks.length > 0);
  if (some.length === 0) return null;
  const firstCell = Math.min(...some.map(({ picks }) => Math.floor(picks[0]!.row / cellRows)));
  const lastRow = Math.max(...some.map(({ picks }) => picks.at(-1)!.row + picks.at(-1)!.count - 1));
  const count = (Math.floor(lastRow / cellRows) + 1 - firstCell) * (cellRows / tileRows);
  const tiles = new Uint16Array(new SharedArrayBuffer(count * Uint16Array.BYTES_PER_ELEMENT));
  const firstRow = firstCell * cellRows;
  for (const [question, { picks }] of askings.entries()) {
    for (const { row, count } of picks) {
      const last = Math.floor((row + count - 1 - firstRow) / tileRows);
      for (let tile = Math.floor((row - firstRow) / tileRows); tile <= last; tile++)
        tiles[tile]! |= 1 << question;
    }
  }
  const least = new Int32Array(new SharedArrayBuffer(mostTogether * Int32Array.BYTES_PER_ELEMENT));
  const questions = askings.map(({ query, lanes }) => ({ query, lanes }));
  const pass = { firstCell, tiles, questions, least };
  for (const [question, { threshold }] of askings.entries()) requireLeast(pass, question, threshold);
  return pass;
}

/** Finds the pick of a row; null for a row between picks. Quick for rows that follow each other. */
function pickFinder(picks: readonly Pick[]): (row: number) => Pick | null {
  let at = 0;
  const holds = (row: number) => row >= picks[at]!.row && row < picks[at]!.row + picks[at]!.count;
  return (row) => {
    if (holds(row)) return picks[at]!;
    let [low, high] = [0, picks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (picks[middle]!.row <= row) low = middle;
      else high = middle - 1;
    }
    at = low;
    return holds(row) ? picks[at]! : null;
  };
}
