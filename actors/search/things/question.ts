// What a question says about things: each with its colours, place, size and number, and the rest of the question. Pure.
import type { ThingTerm } from '../../index/things/contract.ts';
import {
  crowd,
  fillers,
  negations,
  numberWords,
  several,
  thingColours,
  thingPlaces,
  thingSizes,
  thingWords,
} from './vocabulary.ts';

export interface ThingQuestion {
  readonly terms: readonly ThingTerm[];
  /** The words that became terms, as they were typed: `red car`. */
  readonly words: readonly string[];
  /** The question without them; empty where they were all of it. */
  readonly rest: string;
}

type Meaning =
  | { readonly kind: 'thing'; readonly classes: ThingTerm['classes']; readonly least?: number }
  | { readonly kind: 'colour'; readonly colour: ThingTerm['colours'][number] }
  | { readonly kind: 'place'; readonly place: NonNullable<ThingTerm['place']> }
  | { readonly kind: 'size'; readonly size: NonNullable<ThingTerm['size']> }
  | { readonly kind: 'number'; readonly count: ThingTerm['count'] }
  | { readonly kind: 'negation' }
  | { readonly kind: 'filler' };

interface Token {
  readonly text: string;
  readonly meaning: Meaning | null;
  /** Punctuation stands before it. */
  readonly begins: boolean;
}

const lexicon = collect();
const longestPhrase = Math.max(...[...lexicon.keys()].map((phrase) => phrase.split(' ').length));

export function thingQuestion(text: string): ThingQuestion {
  const tokens = tokensOf(text);
  const [terms, words, used]: [ThingTerm[], string[], Set<number>] = [[], [], new Set()];
  for (const [at, { meaning }] of tokens.entries()) {
    if (meaning?.kind !== 'thing') continue;
    const before = wordsBefore(tokens, at);
    const after = placeAfter(tokens, at);
    terms.push(
      termOf(
        meaning,
        [...before, ...after].map((i) => tokens[i]!.meaning!),
      ),
    );
    const all = [...before.toReversed(), at, ...after];
    for (const i of all) used.add(i);
    words.push(all.map((i) => tokens[i]!.text).join(' '));
  }
  const isWord = (i: number) => tokens[i]!.meaning?.kind !== 'filler';
  const left = tokens.flatMap((token, i) =>
    used.has(i) ? [] : [{ i, text: token.text, begins: token.begins }],
  );
  const hasWords = left.some(({ i }) => isWord(i));
  // Commas keep apart what was apart.
  const rest = hasWords
    ? left.map(({ text: one, begins }, n) => (begins && n > 0 ? `, ${one}` : one)).join(' ')
    : '';
  return { terms, words, rest: rest.replaceAll(' ,', ',').trim() };
}

/** Positions of the words that say something of the thing at `at`, from it backwards. */
function wordsBefore(tokens: readonly Token[], at: number): number[] {
  const found: number[] = [];
  for (let i = at; i > 0 && !tokens[i]!.begins; ) {
    const meaning = tokens[--i]!.meaning;
    const isOf =
      meaning !== null && ['colour', 'size', 'number', 'negation', 'filler'].includes(meaning.kind);
    if (!isOf) break;
    found.push(i);
    if (meaning.kind === 'negation') break;
  }
  // Fillers at the far end belong to what stands before them.
  while (found.length > 0 && tokens[found.at(-1)!]!.meaning!.kind === 'filler') found.pop();
  return found;
}

function placeAfter(tokens: readonly Token[], at: number): number[] {
  const next = tokens[at + 1];
  const isOf = next && !next.begins && (next.meaning?.kind === 'place' || next.meaning?.kind === 'size');
  return isOf ? [at + 1] : [];
}

function termOf({ classes, least = 1 }: Meaning & { kind: 'thing' }, about: readonly Meaning[]): ThingTerm {
  const of = <K extends Meaning['kind']>(kind: K) =>
    about.filter((one): one is Meaning & { kind: K } => one.kind === kind);
  return {
    classes: [...classes],
    colours: of('colour').map(({ colour }) => colour),
    place: of('place')[0]?.place ?? null,
    size: of('size')[0]?.size ?? null,
    count: of('number')[0]?.count ?? { least, most: null },
    negated: of('negation').length > 0,
  };
}

function tokensOf(text: string): Token[] {
  const parts = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[,;:.!?()/|\n]+/u);
  return parts.flatMap((part) => {
    const words = part.match(/[\p{L}\p{M}\p{N}-]+/gu) ?? [];
    const tokens: Token[] = [];
    for (let at = 0; at < words.length; ) {
      const length = phraseAt(words, at);
      const phrase = words.slice(at, at + length).join(' ');
      tokens.push({ text: phrase, meaning: meaningOf(phrase), begins: at === 0 });
      at += length;
    }
    return tokens;
  });
}

/** Words of the longest known phrase there; 1 where none is known. */
function phraseAt(words: readonly string[], at: number): number {
  for (let length = Math.min(longestPhrase, words.length - at); length > 1; length--) {
    if (meaningOf(words.slice(at, at + length).join(' ')) !== null) return length;
  }
  return 1;
}

/** Also of English plurals and of German colours with an ending. */
function meaningOf(phrase: string): Meaning | null {
  const known = lexicon.get(phrase);
  if (known !== undefined) return known;
  const stems = [/s$/, /es$/].filter((end) => end.test(phrase)).map((end) => phrase.replace(end, ''));
  const thing = stems.map((stem) => lexicon.get(stem)).find((one) => one?.kind === 'thing');
  if (thing !== undefined) return thing;
  const colour = lexicon.get(phrase.replace(/(e|er|es|en|em)$/, ''));
  return colour?.kind === 'colour' ? colour : null;
}

function collect(): ReadonlyMap<string, Meaning> {
  const all = new Map<string, Meaning>();
  const add = (words: string, meaning: Meaning) => {
    for (const word of words.split(',')) all.set(word.trim(), meaning);
  };
  add(fillers, { kind: 'filler' });
  add(negations, { kind: 'negation' });
  for (const [classes, words] of thingWords) add(words, { kind: 'thing', classes: [...classes] });
  add(crowd.words, { kind: 'thing', classes: ['person'], least: crowd.least });
  for (const colour of Object.keys(thingColours) as (keyof typeof thingColours)[])
    add(thingColours[colour], { kind: 'colour', colour });
  for (const place of Object.keys(thingPlaces) as (keyof typeof thingPlaces)[])
    add(thingPlaces[place], { kind: 'place', place });
  for (const size of Object.keys(thingSizes) as (keyof typeof thingSizes)[])
    add(thingSizes[size], { kind: 'size', size });
  for (const [count, words] of Object.entries(numberWords))
    add(words, { kind: 'number', count: { least: Number(count), most: Number(count) } });
  add(several.words, { kind: 'number', count: { least: several.least, most: null } });
  return all;
}
