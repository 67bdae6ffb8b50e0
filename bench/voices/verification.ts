// Equal error with its spread over voices.
import { equalError, errorsAt, type Pairs } from '../diarization/equal-error.ts';
import type { Scorer } from './scorer.ts';
import { type Spread, spreadOf, worstTenth } from './statistics.ts';

/** A piece of a voice as its vector. */
export interface Embedded {
  readonly voice: string;
  /** Pieces of the same words are not compared. */
  readonly words: string;
  readonly vector: Float32Array;
}

export interface Verification {
  readonly pairs: Pairs;
  /** Equal error of all pairs together, and the score there. */
  readonly pooled: { readonly rate: number; readonly threshold: number };
  /**
   * Error of each voice at that score: the mean of its own pairs missed and of its pairs with others
   * confused.
   */
  readonly byVoice: ReadonlyMap<string, number>;
  readonly spread: Spread;
  readonly worst: number;
}

export function verify(pieces: readonly Embedded[], score: Scorer): Verification {
  const pairs = { same: [] as number[], other: [] as number[] };
  const pairsByVoice = new Map<string, { same: number[]; other: number[] }>();
  for (const { voice } of pieces) pairsByVoice.set(voice, { same: [], other: [] });
  pieces.forEach((one, at) => {
    for (let before = 0; before < at; before++) {
      const two = pieces[before]!;
      const kind = one.voice === two.voice ? 'same' : 'other';
      if (kind === 'same' && one.words === two.words) continue;
      const value = score(one.vector, two.vector);
      pairs[kind].push(value);
      pairsByVoice.get(one.voice)![kind].push(value);
      if (kind === 'other') pairsByVoice.get(two.voice)!.other.push(value);
    }
  });
  const pooled = equalError(pairs);
  const byVoice = new Map<string, number>();
  for (const [voice, its] of pairsByVoice) {
    // A voice with a single piece has no pair of its own.
    if (its.same.length === 0) continue;
    const { missed, confused } = errorsAt(its, pooled.threshold);
    byVoice.set(voice, (missed + confused) / 2);
  }
  const errors = [...byVoice.values()];
  return { pairs, pooled, byVoice, spread: spreadOf(errors), worst: worstTenth(errors) };
}
