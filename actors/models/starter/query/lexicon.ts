// The lexicon of starter-visual: every word and phrase it knows, with what it means to the parser of queries.
import { type ColourWord, colourWords, type Tone, toneWords } from './colours.ts';
import {
  type Amount,
  amountWords,
  breakWords,
  joinWords,
  negationWords,
  placeWords,
  relationWords,
  stopWords,
} from './grammar.ts';
import { type LookWord, lookWords } from './looks.ts';

/** What one phrase can mean. A phrase may have several meanings ("light": a tone of a colour, or bright). */
export interface Meaning {
  readonly colour?: ColourWord;
  readonly look?: LookWord;
  readonly tone?: Tone;
  readonly amount?: Amount;
  readonly place?: readonly number[];
  readonly relation?: { readonly first: readonly number[]; readonly second: readonly number[] };
  readonly negation?: 'narrow' | 'wide';
  readonly role?: 'break' | 'join' | 'stop';
}

export const lexicon: ReadonlyMap<string, Meaning> = collect();
/** Words of the longest phrase. */
export const longestPhrase = Math.max(...[...lexicon.keys()].map((phrase) => phrase.split(' ').length));

function collect(): Map<string, Meaning> {
  const all = new Map<string, Meaning>();
  const add = (phrases: string, meaning: Meaning) => {
    for (const phrase of phrases.split(',').map((text) => text.trim())) {
      all.set(phrase, { ...all.get(phrase), ...meaning });
    }
  };
  add(stopWords, { role: 'stop' });
  add(breakWords, { role: 'break' });
  add(joinWords, { role: 'join' });
  for (const colour of colourWords) add(colour.words, { colour });
  for (const look of lookWords) add(look.words, { look });
  for (const tone of Object.keys(toneWords) as Tone[]) add(toneWords[tone], { tone });
  for (const amount of Object.keys(amountWords) as Amount[]) add(amountWords[amount], { amount });
  for (const { words, cells } of placeWords) add(words, { place: cells });
  for (const { words, first, second } of relationWords) add(words, { relation: { first, second } });
  add(negationWords.narrow, { negation: 'narrow' });
  add(negationWords.wide, { negation: 'wide' });
  return all;
}

/** The known phrase that starts with `head` (words and a space, or nothing) and ends in a form of `word`. */
export function knownPhrase(head: string, word: string): string | undefined {
  const form = forms(word).find((known) => lexicon.has(head + known));
  return form === undefined ? undefined : head + form;
}

const endings: readonly (readonly [ending: string, becomes: readonly string[]])[] = [
  ['ies', ['y', 'ie']],
  ['ves', ['f']],
  ['es', ['', 'e']],
  ['s', ['']],
  ['ish', ['', 'e']],
  ['ier', ['y']],
  ['iest', ['y']],
  ['er', ['', 'e']],
  ['est', ['', 'e']],
  ['ing', ['', 'e']],
  ['ed', ['', 'e']],
  ['ly', ['']],
  ['y', ['']],
];

function forms(word: string): string[] {
  const found = [word];
  for (const [ending, becomes] of endings) {
    if (word.length < ending.length + 2 || !word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    for (const rest of becomes) found.push(stem + rest);
    // reddish, dimmer: the doubled letter goes.
    if (stem.at(-1) === stem.at(-2)) found.push(stem.slice(0, -1));
  }
  return found;
}
