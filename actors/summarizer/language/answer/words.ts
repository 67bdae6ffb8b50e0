// Words of texts in the form in which claims are compared with the material: without case, width and marks.

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

export interface Word {
  /** As it stands. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(wordPattern)].map(({ 0: word, index }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }));
}

/** Case, width, accents and the ending of the genitive do not count. */
export function folded(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]s?$/u, '');
}

/** Words with a space before and after each, so that only whole words are found in it. */
export function foldedLine(text: string): string {
  const words = wordsOf(text.normalize('NFKC')).map((word) => folded(word.text));
  return ` ${words.join(' ')} `;
}
