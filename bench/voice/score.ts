// How well regions of speech agree with others: precision, recall and their harmonic mean over pieces of 10
// ms.
/** Half-open, in samples. */
export type Region = readonly [start: number, end: number];

const piece = 160;

export interface Agreement {
  readonly both: number;
  readonly onlyFound: number;
  readonly onlyTrue: number;
}

/** Pieces of `samples` in both, in `answer` only, in `truth` only. */
export function agreement(answer: readonly Region[], truth: readonly Region[], samples: number): Agreement {
  const marks = new Uint8Array(Math.ceil(samples / piece));
  for (const [bit, regions] of [answer, truth].entries()) {
    for (const [start, end] of regions) {
      const last = Math.min(marks.length, Math.round(end / piece));
      for (let at = Math.round(start / piece); at < last; at++) marks[at]! |= 1 << bit;
    }
  }
  const count = (mark: number) => marks.reduce((sum, value) => sum + (value === mark ? 1 : 0), 0);
  return { both: count(3), onlyFound: count(1), onlyTrue: count(2) };
}

export function summed(all: readonly Agreement[]): Agreement {
  const sum = (of: (score: Agreement) => number) => all.reduce((total, score) => total + of(score), 0);
  return {
    both: sum((score) => score.both),
    onlyFound: sum((score) => score.onlyFound),
    onlyTrue: sum((score) => score.onlyTrue),
  };
}

/** 1 where both agree everywhere, also that nobody speaks at all. */
export function f1({ both, onlyFound, onlyTrue }: Agreement): number {
  const pieces = 2 * both + onlyFound + onlyTrue;
  return pieces === 0 ? 1 : (2 * both) / pieces;
}
