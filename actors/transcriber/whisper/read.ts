// From the tokens Whisper wrote to phrases with their times. Pure.
import type { SpokenPiece } from '../family.ts';
import { TIME_STEP_SECONDS } from './rules.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * `written`: without prompt and end token. A phrase lasts from the time before it to the one behind it; one that is not
 * closed lasts to the end of the window, and times behind that end are the end. Starts ascend.
 */
export function phrasesOf(
  written: readonly number[],
  seconds: number,
  { firstTime, text }: Pick<Vocabulary, 'firstTime' | 'text'>,
): SpokenPiece[] {
  const phrases: SpokenPiece[] = [];
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
