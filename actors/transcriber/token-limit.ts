// The most tokens a model may write for a window: it stops decoders that do not end by themselves.
import type { SpeechSide } from '../models/contract.ts';

/** `samples` at 16 kHz. */
export function tokenLimit({ token_limit: { min, per_second, max } }: SpeechSide, samples: number): number {
  return Math.min(max, min + Math.ceil((per_second * samples) / 16_000));
}
