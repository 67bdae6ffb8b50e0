// What is said, in sentences: quotes as they were said with who says it and when, figures, words that come
// again.
import { segmentId } from '../facts/evidence.ts';
import type { Facts } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import { secondOf } from '../facts/leaf.ts';
import { excerptOf, type Sentence } from '../text/sentences.ts';
import { endsAsking } from '../text/signs.ts';
import { isStopWord } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';
import { listOf, timeOf } from './english.ts';
import { nameOf } from './people.ts';
import type { Quote, Statement } from './statement.ts';

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export function segmentIds({ first, end }: Sentence): string[] {
  return Array.from({ length: end - first }, (_, i) => segmentId(first + i));
}

/** `longest`: UTF-16 units of the words. */
export function quoteOf(film: OutlinedFilm, number: number, longest: number): Quote {
  const sentence = film.sentences[number]!;
  const text = excerptOf(sentence.text, longest);
  const isQuestion = endsAsking.test(text);
  const { speaker } = sentence;
  const who = speaker === null ? (isQuestion ? 'Asked' : 'Said') : nameOf(speaker);
  return {
    lead: `${who}${speaker !== null && isQuestion ? ' asks' : ''}: `,
    // A text that runs the other way keeps its own direction, and the time after it stays after it.
    words: rightToLeft.test(text) ? `“\u2068${text}\u2069”` : `“${text}”`,
    isCut: text.endsWith('…'),
    second: secondOf(film, sentence),
  };
}

export const quoted = (film: OutlinedFilm, number: number, longest: number, rank: number): Statement => ({
  kind: 'quote',
  quote: quoteOf(film, number, longest),
  evidence: segmentIds(film.sentences[number]!),
  rank,
});

const figure = /(?<![\p{L}\p{N}])\p{Sc}?\p{N}+(?:[.,:'’]\p{N}+)*(?:\s?[%°€$£])?(?![\p{L}\p{N}])/gu;

/** Figures of sentences that are not quoted, with when they are said; null for none. At most `count`. */
export function figures(
  film: OutlinedFilm,
  facts: Facts,
  quotes: ReadonlySet<number>,
  count: number,
): Statement | null {
  const { sentences } = film;
  const inQuotes = new Set([...quotes].flatMap((number) => figuresOf(sentences[number]!.text)));
  const included = new Map<string, number>();
  for (const number of facts.sentences) {
    if (quotes.has(number)) continue;
    for (const own of figuresOf(sentences[number]!.text))
      if (!included.has(own) && !inQuotes.has(own) && included.size < count) included.set(own, number);
  }
  if (included.size === 0) return null;
  const parts = [...included].map(
    ([own, number]) => `${own} (${timeOf(secondOf(film, sentences[number]!))})`,
  );
  const evidence = [...new Set([...included.values()].flatMap((number) => segmentIds(sentences[number]!)))];
  return { kind: 'figures', text: `Figures mentioned: ${listOf(parts)}.`, evidence, rank: 8 };
}

/** Of two digits at least: `1` is mostly no figure that anybody looks for. */
function figuresOf(text: string): string[] {
  return (text.match(figure) ?? []).filter((own) => /\p{N}.*\p{N}|[%°€$£]/u.test(own));
}

/**
 * Words that come again in the sentences of some facts, the most frequent first, as they are said. `phrase`:
 * `about “bridge” and “river”`; empty of fewer than two.
 */
export function recurring(
  { sentences }: OutlinedFilm,
  numbers: readonly number[],
  count: number,
): { words: string[]; phrase: string; sentences: number[] } {
  const having = new Map<string, { word: string; sentences: number[] }>();
  for (const number of numbers) {
    for (const word of wordsOf(sentences[number]!.text)) {
      const [term] = termsOf(word);
      if (term === undefined || isStopWord(term) || [...term].length < 2 || /^\p{N}+$/u.test(term)) continue;
      const own = having.get(term) ?? { word, sentences: [] };
      if (!having.has(term)) having.set(term, own);
      // A capital letter may be that of a sentence.
      if (word.toLowerCase() === word) own.word = word;
      if (own.sentences.at(-1) !== number) own.sentences.push(number);
    }
  }
  const again = [...having.values()].filter((own) => own.sentences.length > 1);
  const best = again.sort((a, b) => b.sentences.length - a.sentences.length).slice(0, count);
  const words = best.map(({ word }) => `“${word}”`);
  return {
    words,
    phrase: words.length < 2 ? '' : `about ${listOf(words)}`,
    sentences: [...new Set(best.flatMap((own) => own.sentences.slice(0, 2)))],
  };
}

const words = new Intl.Segmenter('und', { granularity: 'word' });

function wordsOf(text: string): string[] {
  return [...words.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

/** `Said more than once: bridge, river.`; null where no word comes again. */
export function recurringWords(film: OutlinedFilm, { sentences }: Facts, count: number): Statement | null {
  const { words: texts, sentences: from } = recurring(film, sentences, count);
  if (texts.length < 2) return null;
  const evidence = [...new Set(from.flatMap((number) => segmentIds(film.sentences[number]!)))];
  const text = `Recurring words: ${listOf(texts)}.`;
  return { kind: 'words', text, evidence, rank: 7 };
}
