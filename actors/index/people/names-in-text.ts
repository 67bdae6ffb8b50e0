// Which people a text names or excludes: by a whole name, or by some words of one.
import { plainApostrophes } from '../../../runtime/text.ts';
import { fold } from '../text/fold.ts';
import { isQuestionWord } from '../text/query.ts';

const word = /[\p{L}\p{N}\p{M}_]+/gu;
/** Remains where a name was removed: `Ann's`, `Ann and`, `with Ann`. */
const hanging = new Set('and with or but nor s & und mit oder aber noch von of et y e avec con'.split(' '));
const negations = new Set(
  'not no without except excluding minus nicht ohne kein keine keinen ausser'.split(' '),
);
/** Between two names of which the first is excluded: the second is excluded, too. */
const alternatives = new Set('or nor oder noch'.split(' '));

interface Word {
  readonly folded: string;
  readonly start: number;
  readonly end: number;
}

export interface NamesInText {
  /** Names as given, in the order of the text. */
  readonly names: readonly string[];
  /** Names after a word such as `not`, or after a minus sign. */
  readonly excluded: readonly string[];
  /** Words by which people are named although their names have more words. */
  readonly parts: readonly string[];
  /** The text without the names. */
  readonly remainder: string;
}

interface Fit {
  readonly name: string;
  /** Words of the text. */
  readonly length: number;
  readonly isWhole: boolean;
}

/**
 * `names`: each once. Where several fit, those with the most words count, and whole names before parts.
 * `wholeOnly`: folded words that name nobody by themselves unless they are the whole name.
 */
export function namesInText(
  text: string,
  names: readonly string[],
  wholeOnly: ReadonlySet<string> = new Set(),
): NamesInText {
  const words = wordsOf(text);
  const fitsAt = finder(names, words, wholeOnly);
  const included = new Set<string>();
  const excluded = new Set<string>();
  const parts = new Set<string>();
  const runs: Word[][] = [[]];
  let wasExcluded = false;
  for (let at = 0; at < words.length; ) {
    const fits = fitsAt(at);
    const [first] = fits;
    if (first === undefined) {
      runs.at(-1)!.push(words[at++]!);
      continue;
    }
    const before = runs.at(-1)!;
    const isAfterOther = runs.length > 1 && before.length > 0;
    const goesOn: boolean =
      wasExcluded && isAfterOther && before.every(({ folded }) => alternatives.has(folded));
    wasExcluded = takeNegation(text, before, words[at]!) || goesOn;
    for (const { name, isWhole } of fits) {
      (wasExcluded ? excluded : included).add(name);
      if (!isWhole) for (const { folded } of words.slice(at, at + first.length)) parts.add(folded);
    }
    at += first.length;
    runs.push([]);
  }
  const includedNames = [...included].filter((name) => !excluded.has(name));
  const remainder = runs.length === 1 ? text : joined(text, runs);
  return { names: includedNames, excluded: [...excluded], parts: [...parts], remainder };
}

/** The names that fit at a position of the text, all of the same length. */
function finder(names: readonly string[], words: readonly Word[], wholeOnly: ReadonlySet<string>) {
  const places = names.flatMap((name) => {
    const nameWords = wordsOf(name).map(({ folded }) => folded);
    return nameWords.map((first, from) => ({ name, nameWords, first, from }));
  });
  const byWord = Map.groupBy(places, ({ first }) => first);
  const isTelling = (text: string) =>
    !wholeOnly.has(text) && !hanging.has(text) && !isQuestionWord(text) && /\p{L}.*\p{L}/u.test(text);
  return (at: number): Fit[] => {
    const fits = (byWord.get(words[at]!.folded) ?? []).flatMap(({ name, nameWords, from }): Fit[] => {
      let length = 1;
      while (from + length < nameWords.length && words[at + length]?.folded === nameWords[from + length])
        length++;
      const isWhole = length === nameWords.length;
      return isWhole || nameWords.slice(from, from + length).some(isTelling)
        ? [{ name, length, isWhole }]
        : [];
    });
    const longest = Math.max(0, ...fits.map(({ length }) => length));
    const best = fits.filter(({ length }) => length === longest);
    // Names that differ in nothing but case and marks are all meant.
    const whole = best.filter(({ isWhole }) => isWhole);
    return whole.length > 0 ? whole : best;
  };
}

/** True if `part` is some of the words of `name`, in their order. */
export function hasNamePart(name: string, part: string): boolean {
  const { parts, names } = namesInText(part, [name]);
  return names.length > 0 && parts.length === new Set(wordsOf(part).map(({ folded }) => folded)).size;
}

/** Removes the negation before a name from the words before it; true if there is one. */
function takeNegation(text: string, before: Word[], name: Word): boolean {
  if (negations.has(before.at(-1)?.folded ?? '')) {
    before.pop();
    return true;
  }
  return /(?:^|\s)-$/.test(text.slice(0, name.start));
}

/** Positions are those of the text. */
function wordsOf(text: string): Word[] {
  return [...plainApostrophes(text).matchAll(word)].map((match) => ({
    folded: fold(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The words between the names, without those that hang at an end of the text or at a name. */
function joined(text: string, runs: readonly (readonly Word[])[]): string {
  const parts = runs.flatMap((words, i) => {
    let [first, last] = [0, words.length - 1];
    const hangs = (at: number) => at >= 0 && hanging.has(words[at]?.folded ?? '');
    while (first <= last && i > 0 && hangs(first)) first++;
    while (last >= first && i < runs.length - 1 && hangs(last)) last--;
    return first > last ? [] : [text.slice(words[first]!.start, words[last]!.end)];
  });
  return parts.join(' ');
}
