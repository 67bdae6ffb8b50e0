// What is looked for: words and phrases.
import { fold } from './fold.ts';

const quotes = /[“”„‟«»]/g;

/**
 * The words of a query, folded, each once; what stands in quotation marks is one of them, blanks included. A
 * mark that is not closed counts up to the end. None for a query of blanks and marks alone.
 */
export function wordsOf(query: string): string[] {
  const words = new Set<string>();
  for (const [, phrase, word] of fold(query)
    .replace(quotes, '"')
    .matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const plain = (phrase ?? word ?? '').replace(/\s+/g, ' ').trim();
    if (plain !== '') words.add(plain);
  }
  return [...words];
}
