// What is quoted of a transcript: the words as they were said, with the times of their sentence.
import type { Sentence } from './sentences.ts';

export interface Quote {
  /** Words of the sentence; `…` at the end where it was cut. */
  readonly text: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly speaker: string | null;
  readonly is_cut: boolean;
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * `longest`: UTF-16 units of the text at most, `…` included; at least 2. Cut between words, else between
 * characters.
 */
export function quoteOf(sentence: Sentence, longest: number): Quote {
  const { text, start_seconds, end_seconds, speaker } = sentence;
  if (text.length <= longest) return { text, start_seconds, end_seconds, speaker, is_cut: false };
  const room = text.slice(0, longest);
  const space = room.lastIndexOf(' ', longest - 1);
  const words = space >= longest / 2 ? text.slice(0, space) : wholeCharacters(text, longest - 1);
  const cut = words.replace(/[\s,;:،、，；：—–-]+$/u, '');
  return { text: `${cut}…`, start_seconds, end_seconds, speaker, is_cut: true };
}

function wholeCharacters(text: string, longest: number): string {
  let at = 0;
  for (const { segment } of graphemes.segment(text.slice(0, longest + 32))) {
    if (at + segment.length > longest) break;
    at += segment.length;
  }
  return text.slice(0, at);
}
