// The words that searches understand by themselves, those for things and those of the starter model, in
// English and German: a vocabulary lists its English words, and these tables have the German ones.
import { grammar } from './grammar.ts';
import { looks } from './looks.ts';
import { things } from './things.ts';

/**
 * English words of one meaning, and the German words for it, separated by commas. Umlauts and ß may be typed
 * either way, and regular endings are found: only what `germanForms` does not find is listed.
 */
export type Translation = readonly [english: string, german: string];

export const translations: readonly Translation[] = [...looks, ...things, ...grammar];

/** Umlauts and ß as they are written where a keyboard has none. */
export function folded(text: string): string {
  return text.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');
}

const endings = ['ern', 'em', 'en', 'er', 'es', 'e', 'n'];

/** Forms of a folded German word without its ending, and without the umlaut of a plural. */
function germanForms(word: string): string[] {
  const stems = endings
    .filter((ending) => word.endsWith(ending) && word.length >= ending.length + 3)
    .map((ending) => word.slice(0, -ending.length));
  return [word, ...stems].flatMap((stem) => [
    stem,
    // dunkler: dunkel.
    ...(/[^aeiou]l$/.test(stem) ? [`${stem.slice(0, -1)}el`] : []),
    // Wälder: Wald.
    ...(/[aou]e/.test(stem) ? [stem.replace(/([aou])e/, '$1')] : []),
  ]);
}

const germanOf = new Map<string, string[]>();
for (const [english, words] of translations)
  for (const word of english.split(', '))
    germanOf.set(word, [...(germanOf.get(word) ?? []), ...words.split(', ')]);

/** German words for one of English, none for one that has no row. */
export const inGerman = (english: string): readonly string[] => germanOf.get(english) ?? [];

/** The phrases of a vocabulary in both languages. */
export class Lexicon<M> {
  /** Meanings by phrase, in the order of the list. */
  readonly english: ReadonlyMap<string, M>;
  /** Meanings by folded phrase. */
  readonly german: ReadonlyMap<string, M>;
  /** Words of the longest phrase. */
  readonly longest: number;
  readonly #englishForms: (word: string) => readonly string[];
  readonly #inflects: (meaning: M) => boolean;

  /**
   * `englishForms`: what an English word can be a form of. `join`: of two meanings of a phrase. `inflects`:
   * whether a word of this meaning has forms.
   */
  constructor(
    english: ReadonlyMap<string, M>,
    englishForms: (word: string) => readonly string[],
    join: (first: M, second: M) => M,
    inflects: (meaning: M) => boolean = () => true,
  ) {
    const translated = new Map<string, M>();
    for (const [phrase, meaning] of english) {
      for (const word of inGerman(phrase).map(folded)) {
        const before = translated.get(word);
        translated.set(word, before === undefined ? meaning : join(before, meaning));
      }
    }
    this.english = english;
    this.german = translated;
    this.longest = Math.max(
      ...[...english.keys(), ...translated.keys()].map((phrase) => phrase.split(' ').length),
    );
    this.#englishForms = englishForms;
    this.#inflects = inflects;
  }

  /** Meaning of a phrase whose last word may have an ending. */
  get(phrase: string): M | undefined {
    const spelled = folded(phrase);
    const exact = this.english.get(phrase) ?? this.german.get(spelled);
    return (
      exact ??
      this.#ofForms(this.english, phrase, this.#englishForms) ??
      this.#ofForms(this.german, spelled, germanForms)
    );
  }

  #ofForms(
    words: ReadonlyMap<string, M>,
    phrase: string,
    formsOf: (word: string) => readonly string[],
  ): M | undefined {
    const at = phrase.lastIndexOf(' ') + 1;
    const [head, last] = [phrase.slice(0, at), phrase.slice(at)];
    for (const form of formsOf(last)) {
      const meaning = words.get(head + form);
      if (meaning !== undefined && this.#inflects(meaning)) return meaning;
    }
    return undefined;
  }
}

/** Beginnings of words for colours, and the word for that tone. */
const toneWords: readonly (readonly [begins: string, tone: string])[] = [
  ['dunkel', 'dunkel'],
  ['hell', 'hell'],
  ['tief', 'tief'],
  ['blass', 'blass'],
  ['zart', 'zart'],
  ['matt', 'matt'],
  ['grell', 'grell'],
  ['knall', 'grell'],
  ['leucht', 'leuchtend'],
  ['pastell', 'pastell'],
];

/** Tone and colour of `dunkelblau`; null for any other word. */
export function tonedColourWords(word: string): readonly [tone: string, colour: string] | null {
  const entry = toneWords.find(([begins]) => word.startsWith(begins));
  return entry === undefined ? null : [entry[1], word.slice(entry[0].length)];
}
