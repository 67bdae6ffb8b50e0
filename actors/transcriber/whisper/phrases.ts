// What the tokens of Whisper say: phrases with their times, which are text between time tokens, and from
// where on the sound has to be decoded again.
import type { TextPiece } from '../family.ts';
import { TIME_STEP_SECONDS } from './sampling.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * `written`: of the sound from `from` to `to`, both in seconds from the start of the window, without prompt
 * and end token. A phrase lasts from the time token before it to the one after it, or to `to`. Later times
 * are clamped to it. Starts ascend.
 */
export function phrasesOf(
  written: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
  { firstTime, text }: Pick<Vocabulary, 'firstTime' | 'text'>,
): TextPiece[] {
  const phrases: TextPiece[] = [];
  let words: number[] = [];
  let start = from;
  const close = (end: number) => {
    const said = text(words);
    words = [];
    if (said.trim() !== '') phrases.push({ text: said, start, end });
  };
  for (const token of written) {
    if (token < firstTime) {
      words.push(token);
      continue;
    }
    const time = Math.max(start, Math.min(to, from + (token - firstTime) * TIME_STEP_SECONDS));
    if (words.length > 0) close(time);
    start = time;
  }
  if (words.length > 0) close(Math.max(start, to));
  return phrases;
}

/** Where decoding goes on. */
export interface Resumption {
  /** Tokens before it, which stand; the others are decoded again. */
  readonly tokens: number;
  /** Seconds from the start of the decoded sound; above 0. */
  readonly seconds: number;
}

/**
 * Null when the text is complete: the model ended it, and its last phrase has an end time or is the only one.
 * Else, as in the reference implementation, decoding goes on where the last phrase ended. `ended`: whether
 * the model wrote its end token.
 */
export function resumptionOf(
  written: readonly number[],
  ended: boolean,
  { firstTime }: Pick<Vocabulary, 'firstTime'>,
): Resumption | null {
  const isTime = (at: number) => (written[at] ?? 0) >= firstTime;
  const endsPhrase = (at: number) => at > 0 && isTime(at) && !isTime(at - 1);
  const last = written.length - 1;
  if (ended && endsPhrase(last)) return null;
  const at = written.findLastIndex((_, i) => endsPhrase(i));
  if (at < 0) return null;
  return { tokens: at + 1, seconds: (written[at]! - firstTime) * TIME_STEP_SECONDS };
}
