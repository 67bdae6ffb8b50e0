// Phrases with their times from the tokens of Whisper: text between time tokens. Pure.
import type { TextPiece } from '../family.ts';
import { TIME_STEP_SECONDS } from './sampling.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * `written`: without prompt and end token. A phrase lasts from the time token before it to the one after it, or to the end
 * of the window. Times after that end are clamped to it. Starts ascend.
 */
export function phrasesOf(
  written: readonly number[],
  seconds: number,
  { firstTime, text }: Pick<Vocabulary, 'firstTime' | 'text'>,
): TextPiece[] {
  const phrases: TextPiece[] = [];
  let words: number[] = [];
  let start = 0;
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
    const time = Math.max(start, Math.min(seconds, (token - firstTime) * TIME_STEP_SECONDS));
    if (words.length > 0) close(time);
    start = time;
  }
  if (words.length > 0) close(Math.max(start, seconds));
  return phrases;
}
