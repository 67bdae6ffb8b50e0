// Parses a query: text in, terms out (what to look for, where, how much, or not), and the unknown words.
// vector.ts makes the vector of the terms.

import { Lexicon, tonedColourWords } from '../../german/lexicon.ts';
import { type ColourWord, colourWords, type Tone, toneWords } from './colours.ts';
import { type LookWord, lookWords } from './looks.ts';

export interface Term {
  /** Exactly one of colour and look. */
  readonly colour?: ColourWord;
  readonly look?: LookWord;
  readonly tone: Tone | undefined;
  readonly amount: Amount | undefined;
  /** Cells of the frame; undefined: anywhere. */
  readonly place: readonly number[] | undefined;
  readonly negated: boolean;
}

export interface StarterQuery {
  readonly terms: readonly Term[];
  /**
   * Words and phrases that say what to look for or where: lower-case, each once, in the order of the text;
   * `not …` what is not to be there.
   */
  readonly knownWords: readonly string[];
  /** The same of those that are not known. */
  readonly unknownWords: readonly string[];
  /** The known ones by which little of what is meant is found. */
  readonly weakWords: readonly string[];
}

interface Token {
  /** Undefined: a word that is not known. */
  readonly meaning: Meaning | undefined;
  readonly text: string;
}

export function parseQuery(text: string): StarterQuery {
  const tokens = tokenize(text);
  const unknown = tokens.filter(({ meaning }) => meaning === undefined).map((token) => token.text);
  const parser = new Parser(tokens);
  const terms = parser.parse();
  const knownWords = tokens.flatMap(({ meaning, text: word }, at) => {
    if (!(meaning?.colour ?? meaning?.look ?? meaning?.place)) return [];
    return [parser.negated.has(at) ? `not ${word}` : word];
  });
  return {
    terms,
    knownWords: [...new Set(knownWords)],
    unknownWords: [...new Set(unknown)],
    weakWords: [
      ...new Set(tokens.flatMap(({ meaning, text: word }) => (meaning?.look?.isWeak ? [word] : []))),
    ],
  };
}

const isAnd = ({ text }: Token) => text === 'and' || text === 'und';

const clauseEnd: Token = { meaning: { role: 'break' }, text: ',' };

/** Longest known phrases from the left; punctuation ends a phrase. */
function tokenize(text: string): Token[] {
  const parts = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[,;:.!?()/|\n]+/u);
  return parts.flatMap((part, i) => {
    const words = part.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    return i === 0 ? tokenizeWords(words) : [clauseEnd, ...tokenizeWords(words)];
  });
}

function tokenizeWords(words: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; ) {
    const length = phraseAt(words, at);
    const text = words.slice(at, at + length).join(' ');
    tokens.push(...(tonedColour(text) ?? [{ meaning: lexicon.get(text), text }]));
    at += length;
  }
  return tokens;
}

/** Words of the longest known phrase there; 1 where none is known. */
function phraseAt(words: readonly string[], at: number): number {
  for (let length = Math.min(lexicon.longest, words.length - at); length > 1; length--)
    if (lexicon.get(words.slice(at, at + length).join(' ')) !== undefined) return length;
  return 1;
}

/** `dunkelblau` is a dark blue. Null for any other word. */
function tonedColour(word: string): Token[] | null {
  if (lexicon.get(word) !== undefined) return null;
  const [tone = '', colour = ''] = tonedColourWords(word) ?? [];
  const meaning = lexicon.get(colour);
  const toned = lexicon.get(tone)?.tone;
  if (!meaning?.colour || !toned) return null;
  return [
    { meaning: { tone: toned }, text: word },
    { meaning, text: word },
  ];
}

type Draft = { -readonly [K in keyof Term]: Term[K] } & { clause: number; at: number };

interface Placement {
  readonly cells: readonly number[];
  readonly clause: number;
  readonly at: number;
}

/** Goes through the tokens once from the left, then gives every place to a term. */
class Parser {
  readonly #tokens: readonly Token[];
  /** Tokens of the terms that are negated. */
  readonly negated = new Set<number>();
  readonly #terms: Draft[] = [];
  readonly #places: Placement[] = [];
  #clause = 0;
  #tone: Tone | undefined;
  #amount: Amount | undefined;
  #negation: 'narrow' | 'wide' | undefined;
  /** Kind of the last term under the negation: a wide one goes on over "and" to the same kind. */
  #negatedKind: 'colour' | 'look' | undefined;
  #nextPlace: readonly number[] | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Term[] {
    this.#tokens.forEach((token, at) => {
      if (token.meaning !== undefined) this.#take(token.meaning, at);
      else this.#amount = undefined;
    });
    for (const place of this.#places) this.#assign(place);
    return this.#terms.map(({ clause: _clause, at: _at, ...term }) => term);
  }

  #take(meaning: Meaning, at: number): void {
    if (meaning.negation !== undefined) {
      this.#negation = meaning.negation;
      this.#negatedKind = undefined;
    } else if (meaning.relation !== undefined && this.#relate(meaning.relation, at)) return;
    else if (meaning.tone !== undefined && this.#isBeforeColour(at)) this.#tone = meaning.tone;
    else if (meaning.colour !== undefined || meaning.look !== undefined) this.#term(meaning, at);
    else if (meaning.place !== undefined)
      this.#places.push({ cells: meaning.place, clause: this.#clause, at });
    else if (meaning.amount !== undefined) this.#amount = meaning.amount;
    else if (meaning.role === 'break') this.#break(at);
  }

  #term(meaning: Meaning, at: number): void {
    const negated = this.#negation !== undefined;
    const what = meaning.colour ? { colour: meaning.colour } : { look: meaning.look! };
    const place = this.#nextPlace;
    this.#terms.push({
      ...what,
      tone: this.#tone,
      amount: this.#amount,
      place,
      negated,
      clause: this.#clause,
      at,
    });
    if (negated) {
      this.negated.add(at);
      this.#negatedKind = meaning.colour ? 'colour' : 'look';
    }
    this.#tone = undefined;
    this.#amount = undefined;
    this.#nextPlace = undefined;
  }

  #break(at: number): void {
    this.#clause += 1;
    this.#amount = undefined;
    const continues = this.#negation === 'wide' && this.#kindAfter(at) === this.#negatedKind;
    if (!isAnd(this.#tokens[at]!) || !continues) this.#negation = undefined;
  }

  /** A relation needs a term on its left that can have a place, and one on its right. */
  #relate(relation: NonNullable<Meaning['relation']>, at: number): boolean {
    const before = this.#terms.at(-1);
    if (before?.colour === undefined || this.#kindAfter(at) !== 'colour') return false;
    before.place ??= relation.first;
    this.#nextPlace = relation.second;
    this.#clause += 1;
    return true;
  }

  /**
   * The nearest term of the clause that can have a place and has none, those before first; else of a
   * neighbour clause.
   */
  #assign({ cells, clause, at }: Placement): void {
    const free = this.#terms.filter((term) => term.place === undefined && (term.colour ?? term.look?.cell));
    const cost = (term: Draft) =>
      Math.abs(term.clause - clause) * 100 + Math.abs(term.at - at) + (term.at > at ? 0.5 : 0);
    const nearest = free.toSorted((a, b) => cost(a) - cost(b))[0];
    if (nearest !== undefined && Math.abs(nearest.clause - clause) <= 1) nearest.place = cells;
  }

  #kindAfter(at: number): 'colour' | 'look' | undefined {
    const meaning = this.#tokens
      .slice(at + 1)
      .find(({ meaning: next }) => next?.colour ?? next?.look)?.meaning;
    if (meaning === undefined) return undefined;
    return meaning.colour ? 'colour' : 'look';
  }

  /** True when a colour word follows, other tones and amounts between them at most. */
  #isBeforeColour(at: number): boolean {
    const next = this.#tokens[at + 1]?.meaning;
    if (next === undefined) return false;
    return next.colour !== undefined || (next.tone !== undefined && this.#isBeforeColour(at + 1));
  }
}

// The lexicon of starter-visual: every word and phrase it knows, with what it means to the parser of queries.

// Words that say where, how much and not, and words that say nothing about a picture. Several words in one
// row are different ways to say the same thing; longer phrases win over shorter ones.

type Cells = readonly number[];

/** Cells of the frame, in rows from the top left. */
const placeWords: readonly { readonly words: string; readonly cells: Cells }[] = [
  { words: 'top, upper, at the top, on top, upper half, top half, upper part, overhead', cells: [0, 1, 2] },
  { words: 'bottom, lower, at the bottom, lower half, bottom half, lower part', cells: [6, 7, 8] },
  { words: 'left, left side, left half, on the left, to the left, left hand side', cells: [0, 3, 6] },
  { words: 'right, right side, right half, on the right, to the right, right hand side', cells: [2, 5, 8] },
  { words: 'centre, center, middle, central, in the middle, in the centre, in the center', cells: [4] },
  { words: 'top left, upper left, left top, top left corner, upper left corner', cells: [0] },
  { words: 'top right, upper right, right top, top right corner, upper right corner', cells: [2] },
  { words: 'bottom left, lower left, left bottom, bottom left corner, lower left corner', cells: [6] },
  { words: 'bottom right, lower right, right bottom, bottom right corner, lower right corner', cells: [8] },
  { words: 'background, backdrop, behind, in the background, surroundings', cells: [0, 1, 2, 3, 5, 6, 8] },
  { words: 'foreground, in front, in the foreground, subject', cells: [4, 6, 7, 8] },
  {
    words: 'side, sides, edge of the frame, border, frame border, around the edges',
    cells: [0, 2, 3, 5, 6, 8],
  },
  { words: 'corner, corners', cells: [0, 2, 6, 8] },
];

/** "A above B": where A is, then where B is. */
const relationWords: readonly {
  readonly words: string;
  readonly first: Cells;
  readonly second: Cells;
}[] = [
  { words: 'above, over, on top of', first: [0, 1, 2], second: [6, 7, 8] },
  { words: 'below, under, underneath, beneath', first: [6, 7, 8], second: [0, 1, 2] },
  { words: 'left of, to the left of, on the left of', first: [0, 3, 6], second: [2, 5, 8] },
  { words: 'right of, to the right of, on the right of', first: [2, 5, 8], second: [0, 3, 6] },
  { words: 'on a, in front of a, against a, surrounded by', first: [4], second: [0, 1, 2, 3, 5, 6, 8] },
];

type Amount = 'little' | 'most' | 'much';
const amountWords: Readonly<Record<Amount, string>> = {
  little:
    'little, a little, a bit of, a bit, bit of, a touch of, touch of, touch, hint, hint of, a hint of, some, slightly, small, tiny, spot of, small spot of, a few, few',
  most: 'mostly, mainly, predominantly, largely, entirely, completely, all, only, full of, filled with, covered in, covered with, everything, totally, dominated by, nothing but',
  much: 'much, lots of, a lot of, lot of, plenty of, many, very, really, big, large, huge, extremely, more, strongly',
};

/** Words after which content is excluded. The wide ones reach over "and" to things of the same kind. */
const negationWords = {
  narrow:
    'not, non, isn t, aren t, never, minus, except, except for, excluding, but not, rather than, instead of, avoid, less',
  wide: 'no, without, neither, none of',
} as const;

/** End the reach of a negation or of a place. */
const breakWords = 'and, but, with, while, plus, then, also, as well as, yet';
/** Join alternatives; a negation goes on over them. */
const joinWords = 'or, nor';

const stopWords =
  'a, an, as, the, of, in, on, at, to, from, by, for, is, are, was, were, be, been, being, am, it, its, it s, this, that, these, those, ' +
  'there, here, which, who, whose, what, where, when, how, i, me, my, we, us, our, you, your, he, she, they, them, their, his, her, ' +
  'picture, pictures, photo, photos, photograph, photography, image, images, frame, frames, video, videos, clip, clips, shot, shots, ' +
  'footage, scene, scenes, film, movie, still, stills, screen, view, views, show, shows, showing, shown, find, search, look, looks, ' +
  'looking, like, has, have, having, had, do, does, did, can, could, would, should, will, into, onto, near, next, along, across, through, ' +
  'against, around, between, inside, outside of, within, up, down, off, out, very much, so, too, just, quite, rather, almost, nearly, ' +
  'one, two, three, several, thing, things, something, anything, color, colors, colour, colours, coloured, colored, tone, tones, toned, ' +
  'shade, shades, area, areas, part, parts, region, lot, bit, sort, type, style, please, ' +
  'what kind of, kind of, kinds of, any, other, another, each, every, both, same, such, if, because, than, s, t, re, ll, ve, d, m, half, dominant, visible, seen';

/** Meaning of one phrase, which may have several ("light": a tone of a colour, or bright). */
interface Meaning {
  readonly colour?: ColourWord;
  readonly look?: LookWord;
  readonly tone?: Tone;
  readonly amount?: Amount;
  readonly place?: readonly number[];
  readonly relation?: { readonly first: readonly number[]; readonly second: readonly number[] };
  readonly negation?: 'narrow' | 'wide';
  readonly role?: 'break' | 'join' | 'stop';
}

/** A phrase can have several meanings, which are joined. */
export const lexicon = new Lexicon(collect(), forms, (first, second) => ({ ...first, ...second }));

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
  const words = [word];
  for (const [ending, becomes] of endings) {
    if (word.length < ending.length + 2 || !word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    for (const suffix of becomes) words.push(stem + suffix);
    // reddish, dimmer: the doubled letter goes.
    if (stem.at(-1) === stem.at(-2)) words.push(stem.slice(0, -1));
  }
  return words;
}
