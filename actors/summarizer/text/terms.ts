// The words of a text in the form in which they are compared: without case, width and inflected endings, in
// scripts without spaces by ICU's dictionaries.

const letters = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordBoundaries = new Intl.Segmenter('und', { granularity: 'word' });
/** Letters of a word that count: a cheap stem that needs no language. */
const stem = 6;
/** UTF-16 units that are given to ICU at once. */
const longest = 500;

/** In order, with repeats. A text without letters and digits has none. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(letters)) {
    if (!unspaced.test(run)) terms.push(termOf(run));
    else
      for (let at = 0; at < run.length; at += longest)
        for (const { segment, isWordLike } of wordBoundaries.segment(run.slice(at, at + longest)))
          if (isWordLike) terms.push(segment);
  }
  return terms;
}

function termOf(word: string): string {
  const bare = word.replace(/['’].*$/u, '');
  // "don't" keeps its n, "bridge's" loses its s.
  const whole = /n['’]t$/.test(word) ? word : bare;
  return whole.length > stem ? whole.slice(0, stem) : whole;
}

/** How many of the texts have each term. */
export function documentFrequencies(texts: readonly (readonly string[])[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const terms of texts)
    for (const term of new Set(terms)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return frequencies;
}
