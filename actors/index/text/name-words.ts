// The words of names of files, folders, lists and speakers, and of a question that may name one.
import { fold } from './fold.ts';
import { mostWords, queryWords } from './query.ts';

/** How well a word fits a name: inside of a word of it, at the beginning of one, or as one. */
export type NameFit = 0 | 1 | 2 | 3;
const inside = 1;
const beginning = 2;
const whole = 3;
/** Letters of a word that may be the beginning or the inside of a longer one. */
const mayBegin = 4;
const mayBeInside = 5;

const letters = /(?:\p{L}\p{M}*)+|\p{N}+/gu;

/** Letters and digits apart, folded. */
function wordsOf(text: string): string[] {
  return fold(text).match(letters) ?? [];
}

/** The words of a name, with a space on both sides of each; `DroneFlight` is one word and two. */
export function nameRow(name: string): string {
  const plain = wordsOf(name);
  const apart = wordsOf(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
  return ` ${(apart.length > plain.length ? [...plain, ...apart] : plain).join(' ')} `;
}

/**
 * The words of a question that a name has to have: without those that only make it a question, and without
 * the ending of a file name. None where nothing is left that says something.
 */
export function wordsOfName(question: string): string[] {
  const plain = question.replace(/(\S)\.\p{L}[\p{L}\p{N}]{1,3}(?![\p{L}\p{N}])/gu, '$1');
  const words = [...new Set(queryWords(plain).flatMap(wordsOf))].slice(0, mostWords);
  return words.some((word) => /\p{L}.*\p{L}|\p{N}{3}/u.test(word)) || /\p{Lo}/u.test(plain) ? words : [];
}

export function fitOf(row: string, word: string): NameFit {
  const length = [...word].length;
  if (row.includes(` ${word} `)) return whole;
  if (length >= mayBegin && row.includes(` ${word}`)) return beginning;
  return length >= mayBeInside && row.includes(word) ? inside : 0;
}

export function hasWords(name: string, words: readonly string[]): boolean {
  const row = nameRow(name);
  return words.length > 0 && words.every((word) => fitOf(row, word) > 0);
}
