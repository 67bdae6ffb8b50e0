// Parses the things in a question, each with its colours, place, size and number, and the rest of the
// question.
import type { ThingTerm } from '../../index/things/contract.ts';
import { Lexicon, tonedColourWords } from '../../models/german/lexicon.ts';
import {
  crowd,
  farAway,
  fillers,
  negations,
  numberWords,
  several,
  shotWords,
  thingColours,
  thingPlaces,
  thingWords,
} from './vocabulary.ts';

export interface ThingQuestion {
  readonly terms: readonly ThingTerm[];
  /** The words that became terms, as they were typed: `red car`. */
  readonly words: readonly string[];
  /** Words that name a part of the matches: `woman` of persons, `duck` of birds. */
  readonly narrower: { readonly people: readonly string[]; readonly others: readonly string[] };
  /** True if such a word is not negated, so that some matches show others of its class alone. */
  readonly findsOthers: boolean;
  /** The question without them; empty where they were all of it. */
  readonly remainder: string;
}

type Meaning =
  | {
      readonly kind: 'thing';
      readonly classes: ThingTerm['classes'];
      readonly least?: number;
      readonly isNarrower?: true;
    }
  | { readonly kind: 'colour'; readonly colour: ThingTerm['colours'][number] }
  | { readonly kind: 'place'; readonly place: NonNullable<ThingTerm['place']> }
  | { readonly kind: 'size'; readonly size: NonNullable<ThingTerm['size']> }
  | { readonly kind: 'shot'; readonly shot: NonNullable<ThingTerm['shot']> }
  | { readonly kind: 'number'; readonly count: ThingTerm['count'] }
  | { readonly kind: 'negation' }
  | { readonly kind: 'filler' };

interface Token {
  readonly text: string;
  readonly meaning: Meaning | null;
  /** Punctuation stands before it. */
  readonly begins: boolean;
}

const englishForms = (word: string): string[] =>
  ['s', 'es'].filter((end) => word.endsWith(end)).map((end) => word.slice(0, -end.length));

export const lexicon = new Lexicon<Meaning>(
  collect(),
  englishForms,
  (first) => first,
  ({ kind }) => kind === 'thing' || kind === 'shot' || kind === 'colour',
);

/** A term with the positions of its words, as they were typed. */
interface Named {
  readonly at: number;
  readonly words: readonly number[];
}

export function thingQuestion(text: string): ThingQuestion {
  const tokens = tokensOf(text);
  const named = withShots(tokens, thingsIn(tokens));
  const terms = named.map(({ at, words }) => termOf(tokens, at, words));
  const words = named.map((mention) => mention.words.map((i) => tokens[i]!.text).join(' '));
  const used = new Set(named.flatMap((mention) => mention.words));
  const isWord = (i: number) => tokens[i]!.meaning?.kind !== 'filler';
  const remainingTokens = tokens.flatMap((token, i) =>
    used.has(i) ? [] : [{ i, text: token.text, begins: token.begins }],
  );
  const hasWords = remainingTokens.some(({ i }) => isWord(i));
  // Commas keep apart what was apart.
  const remainingText = hasWords
    ? remainingTokens.map(({ text: word, begins }, n) => (begins && n > 0 ? `, ${word}` : word)).join(' ')
    : '';
  const isNarrower = ({ meaning }: Token) => meaning?.kind === 'thing' && meaning.isNarrower === true;
  const narrower = named.map(({ at }) => tokens[at]!).filter(isNarrower);
  const areOfPeople = ({ meaning }: Token) => meaning?.kind === 'thing' && arePeople(meaning.classes);
  const wordsOf = (some: readonly Token[]) => [...new Set(some.map((token) => token.text))];
  const ofPeople = narrower.filter(areOfPeople);
  const others = narrower.filter((token) => !areOfPeople(token));
  return {
    terms,
    words,
    narrower: { people: wordsOf(ofPeople), others: wordsOf(others) },
    findsOthers: named.some(({ at }, i) => isNarrower(tokens[at]!) && !terms[i]!.negated),
    remainder: remainingText.replaceAll(' ,', ',').trim(),
  };
}

function thingsIn(tokens: readonly Token[]): Named[] {
  return tokens.flatMap(({ meaning }, at) =>
    meaning?.kind === 'thing'
      ? [{ at, words: [...wordsBefore(tokens, at).toReversed(), at, ...placeAfter(tokens, at)] }]
      : [],
  );
}

/**
 * `woman talking in close-up`: a shot that stands apart is of the thing before it, and one that stands alone
 * of a person.
 */
function withShots(tokens: readonly Token[], things: readonly Named[]): Named[] {
  const named = [...things];
  for (const [at, { meaning }] of tokens.entries()) {
    if (meaning?.kind !== 'shot' || named.some(({ words }) => words.includes(at))) continue;
    const clause = clauseOf(tokens, at);
    const before = named.findLastIndex((mention) => clause.includes(mention.at) && mention.at < at);
    const tokenIndexes = [...fillersBefore(tokens, at), at];
    if (before >= 0 && isShotOf(meaning, tokens[named[before]!.at]!.meaning)) {
      named[before] = { at: named[before]!.at, words: [...named[before]!.words, ...tokenIndexes] };
    } else if (clause.every((i) => i === at || tokens[i]!.meaning?.kind === 'filler')) {
      named.push({ at, words: tokenIndexes });
    }
  }
  return named.sort((a, b) => a.at - b.at);
}

/** Positions of the words between two punctuation marks. */
function clauseOf(tokens: readonly Token[], at: number): number[] {
  const begin = tokens.findLastIndex(({ begins }, i) => begins && i <= at);
  const next = tokens.findIndex(({ begins }, i) => begins && i > at);
  return Array.from(tokens.keys()).slice(begin, next < 0 ? tokens.length : next);
}

function fillersBefore(tokens: readonly Token[], at: number): number[] {
  let from = at;
  while (from > 0 && !tokens[from]!.begins && tokens[from - 1]!.meaning?.kind === 'filler') from--;
  return Array.from({ length: at - from }, (_, i) => from + i);
}

/** Only of persons it is said what a medium shot is. */
function isShotOf({ shot }: Meaning & { kind: 'shot' }, thing: Meaning | null): boolean {
  return thing?.kind === 'thing' && (shot !== 'medium' || arePeople(thing.classes));
}

const arePeople = (classes: ThingTerm['classes']) => classes.every((name) => name === 'person');

/** Positions of the words that say something of the thing at `at`, from it backwards. */
function wordsBefore(tokens: readonly Token[], at: number): number[] {
  const positions: number[] = [];
  for (let i = at; i > 0 && !tokens[i]!.begins; ) {
    const meaning = tokens[--i]!.meaning;
    const isOf =
      meaning?.kind === 'shot'
        ? isShotOf(meaning, tokens[at]!.meaning)
        : meaning !== null && ['colour', 'size', 'number', 'negation', 'filler'].includes(meaning.kind);
    if (!meaning || !isOf) break;
    positions.push(i);
    if (meaning.kind === 'negation') break;
  }
  // Fillers at the far end belong to what stands before them.
  while (positions.length > 0 && tokens[positions.at(-1)!]!.meaning!.kind === 'filler') positions.pop();
  return positions;
}

function placeAfter(tokens: readonly Token[], at: number): number[] {
  const next = tokens[at + 1];
  const isOf = next && !next.begins && (next.meaning?.kind === 'place' || next.meaning?.kind === 'size');
  return isOf ? [at + 1] : [];
}

/** `at`: the thing, or a shot of persons. */
function termOf(tokens: readonly Token[], at: number, words: readonly number[]): ThingTerm {
  const { meaning } = tokens[at]!;
  const about = words.map((i) => tokens[i]!.meaning!);
  const of = <K extends Meaning['kind']>(kind: K) =>
    about.filter((candidate): candidate is Meaning & { kind: K } => candidate.kind === kind);
  const { classes, least = 1 } = meaning?.kind === 'thing' ? meaning : { classes: ['person'] as const };
  const { shot = null } = of('shot')[0] ?? {};
  const isOfPeople = arePeople([...classes]);
  return {
    classes: [...classes],
    colours: of('colour')
      .map(({ colour }) => colour)
      .toReversed(),
    place: of('place')[0]?.place ?? null,
    size: of('size')[0]?.size ?? (isOfPeople ? null : sizeOfShot(shot)),
    shot: isOfPeople ? shot : null,
    count: of('number')[0]?.count ?? { least, most: null },
    negated: of('negation').length > 0,
  };
}

function sizeOfShot(shot: ThingTerm['shot']): ThingTerm['size'] {
  return shot === 'close_up' ? 'close' : shot === 'wide' ? 'far' : null;
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
  for (let length = Math.min(lexicon.longest, words.length - at); length > 1; length--) {
    if (meaningOf(words.slice(at, at + length).join(' ')) !== null) return length;
  }
  return 1;
}

/** True if a word by itself says something about things in pictures: a thing, a colour, a number, a place. */
export const isSearchWord = (word: string): boolean => meaningOf(word) !== null;

/** `dunkelblau` is blue, too. */
function meaningOf(phrase: string): Meaning | null {
  const meaning = lexicon.get(phrase);
  if (meaning !== undefined) return meaning;
  const [, colour = ''] = tonedColourWords(phrase) ?? [];
  const toned = lexicon.get(colour);
  return toned?.kind === 'colour' ? toned : null;
}

function collect(): ReadonlyMap<string, Meaning> {
  const all = new Map<string, Meaning>();
  const add = (words: string, meaning: Meaning) => {
    for (const word of words.split(',')) all.set(word.trim(), meaning);
  };
  add(fillers, { kind: 'filler' });
  add(negations, { kind: 'negation' });
  for (const [classes, words, narrower] of thingWords) {
    add(words, { kind: 'thing', classes: [...classes] });
    if (narrower) add(narrower, { kind: 'thing', classes: [...classes], isNarrower: true });
  }
  add(crowd.words, { kind: 'thing', classes: ['person'], least: crowd.least });
  for (const colour of Object.keys(thingColours) as (keyof typeof thingColours)[])
    add(thingColours[colour], { kind: 'colour', colour });
  for (const place of Object.keys(thingPlaces) as (keyof typeof thingPlaces)[])
    add(thingPlaces[place], { kind: 'place', place });
  add(farAway, { kind: 'size', size: 'far' });
  for (const shot of Object.keys(shotWords) as (keyof typeof shotWords)[])
    add(shotWords[shot], { kind: 'shot', shot });
  for (const [count, words] of Object.entries(numberWords))
    add(words, { kind: 'number', count: { least: Number(count), most: Number(count) } });
  add(several.words, { kind: 'number', count: { least: several.least, most: null } });
  return all;
}
