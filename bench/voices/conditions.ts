// The table of voices: what pieces are compared, of whom, and with which errors.
import type { SpeakerRow } from '../../actors/models/contract.ts';
import type { Voice } from '../diarization/compose.ts';
import { errorsAt } from '../diarization/equal-error.ts';
import { equalised } from '../diarization/equalise.ts';
import { featuresOf, type PieceEmbedder } from './embedding.ts';
import { kept } from './kept.ts';
import { recordedPieces, sessionPieces } from './pieces.ts';
import type { Scorer } from './scorer.ts';
import { type Verification, verify } from './verification.ts';

export interface Measured {
  readonly set: string;
  readonly condition: string;
  readonly seconds: 3 | 1.5;
  /** How pieces were compared. */
  readonly score: string;
  readonly verification: Verification;
}

/** Sessions in which each piece is heard: few recordings leave more to chance. */
const copies = 2;
const sessionSeed = 90_001;

/** Measures voices as recorded, "eq" and across sessions. `kept`: pieces may be those of an earlier run. */
export async function* measureVoices(
  { embed }: Pick<PieceEmbedder, 'embed'>,
  set: string,
  voices: readonly Voice[],
  scores: Readonly<Record<string, Scorer>>,
  pieces: 'kept' | 'fresh',
): AsyncGenerator<Measured> {
  for (const seconds of [3, 1.5] as const) {
    const conditions = {
      'as recorded': () => recordedPieces(voices, seconds),
      eq: () => recordedPieces(equalised(voices), seconds),
      'across sessions': () => sessionPieces(voices, seconds, { seed: sessionSeed, copies }),
    };
    for (const [condition, makePieces] of Object.entries(conditions)) {
      const key = { names: voices.map(({ name }) => name), seconds, condition, copies, sessionSeed };
      const features = await kept(
        `${set} ${condition}`,
        key,
        () => featuresOf(makePieces()),
        pieces === 'fresh',
      );
      const embedded = await embed(features);
      for (const [score, scorer] of Object.entries(scores)) {
        yield { set, condition, seconds, score, verification: verify(embedded, scorer) };
      }
    }
  }
}

export const percent = (part: number) => (100 * part).toFixed(1);

/** One line for a person. */
export function measuredLine({ set, condition, seconds, score, verification }: Measured): string {
  const { pooled, spread, worst, pairs } = verification;
  const [low, high] = spread.interval;
  return (
    `${set}, ${condition}, ${seconds} s, ${score}: equal error ${(100 * pooled.rate).toFixed(2)} % at ${pooled.threshold.toFixed(3)}; ` +
    `mean of voices ${percent(spread.mean)} % (${percent(low)} to ${percent(high)}), deviation ${percent(spread.deviation)}, ` +
    `worst tenth ${percent(worst)}; ${pairs.same.length} pairs of one voice, ${pairs.other.length} of two`
  );
}

/** Errors at the row's own threshold for pieces of that length. */
export function atThresholds(
  { speaker: { thresholds } }: SpeakerRow,
  { seconds, verification: { pairs } }: Measured,
): { threshold: number; missed: number; confused: number } {
  const threshold = seconds === 3 ? thresholds.same : thresholds.same_short;
  return { threshold, ...errorsAt(pairs, threshold) };
}
