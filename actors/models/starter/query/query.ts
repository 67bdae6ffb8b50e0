// Reads a query: text in, terms out (what to look for, where, how much, or not), and the words that nothing is known
// about. The vector of the terms is made in query-vector.ts.

import type { ColourWord, Tone } from './colours.ts';
import type { Amount } from './grammar.ts';
import { knownPhrase, lexicon, longestPhrase, type Meaning } from './lexicon.ts';
import type { LookWord } from './looks.ts';

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

export interface Query {
  readonly terms: readonly Term[];
  /** Lower-case, each once, in the order of the text. */
  readonly unknownWords: readonly string[];
}

interface Piece {
  /** Undefined: a word that is not known. */
  readonly meaning: Meaning | undefined;
  readonly text: string;
}

export function readQuery(text: string): Query {
  const pieces = cut(text);
  const unknown = pieces.filter(({ meaning }) => meaning === undefined).map((piece) => piece.text);
  const reader = new Reader(pieces);
  return { terms: reader.read(), unknownWords: [...new Set(unknown)] };
}

const clauseEnd: Piece = { meaning: { role: 'break' }, text: ',' };

/** Longest known phrases from the left; punctuation ends a phrase. */
function cut(text: string): Piece[] {
  const parts = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[,;:.!?()/|\n]+/u);
  return parts.flatMap((part, i) => {
    const words = part.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    return i === 0 ? cutWords(words) : [clauseEnd, ...cutWords(words)];
  });
}

function cutWords(words: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < words.length; ) {
    const [phrase, length] = phraseAt(words, at);
    pieces.push({ meaning: phrase === undefined ? undefined : lexicon.get(phrase), text: words[at]! });
    at += length;
  }
  return pieces;
}

function phraseAt(words: readonly string[], at: number): [phrase: string | undefined, length: number] {
  for (let length = Math.min(longestPhrase, words.length - at); length > 1; length--) {
    const head = `${words.slice(at, at + length - 1).join(' ')} `;
    const phrase = knownPhrase(head, words[at + length - 1]!);
    if (phrase !== undefined) return [phrase, length];
  }
  return [knownPhrase('', words[at]!), 1];
}

type Draft = { -readonly [K in keyof Term]: Term[K] } & { clause: number; at: number };

interface Place {
  readonly cells: readonly number[];
  readonly clause: number;
  readonly at: number;
}

/** Goes through the pieces once from the left, then gives every place to a term. */
class Reader {
  readonly #pieces: readonly Piece[];
  readonly #terms: Draft[] = [];
  readonly #places: Place[] = [];
  #clause = 0;
  #tone: Tone | undefined;
  #amount: Amount | undefined;
  #negation: 'narrow' | 'wide' | undefined;
  /** Kind of the last term under the negation: a wide one goes on over "and" to the same kind. */
  #negatedKind: 'colour' | 'look' | undefined;
  #nextPlace: readonly number[] | undefined;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  read(): Term[] {
    this.#pieces.forEach((piece, at) => {
      if (piece.meaning !== undefined) this.#take(piece.meaning, at);
      else this.#amount = undefined;
    });
    for (const place of this.#places) this.#bind(place);
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
    if (negated) this.#negatedKind = meaning.colour ? 'colour' : 'look';
    this.#tone = undefined;
    this.#amount = undefined;
    this.#nextPlace = undefined;
  }

  #break(at: number): void {
    this.#clause += 1;
    this.#amount = undefined;
    const goesOn = this.#negation === 'wide' && this.#kindAfter(at) === this.#negatedKind;
    if (this.#pieces[at]!.text !== 'and' || !goesOn) this.#negation = undefined;
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

  /** The nearest term of the clause that can have a place and has none, those before first; else of a neighbour clause. */
  #bind({ cells, clause, at }: Place): void {
    const free = this.#terms.filter((term) => term.place === undefined && (term.colour ?? term.look?.cell));
    const cost = (term: Draft) =>
      Math.abs(term.clause - clause) * 100 + Math.abs(term.at - at) + (term.at > at ? 0.5 : 0);
    const nearest = free.toSorted((a, b) => cost(a) - cost(b))[0];
    if (nearest !== undefined && Math.abs(nearest.clause - clause) <= 1) nearest.place = cells;
  }

  #kindAfter(at: number): 'colour' | 'look' | undefined {
    const meaning = this.#pieces
      .slice(at + 1)
      .find(({ meaning: next }) => next?.colour ?? next?.look)?.meaning;
    if (meaning === undefined) return undefined;
    return meaning.colour ? 'colour' : 'look';
  }

  /** True when a colour word follows, other tones and amounts between them at most. */
  #isBeforeColour(at: number): boolean {
    const next = this.#pieces[at + 1]?.meaning;
    if (next === undefined) return false;
    return next.colour !== undefined || (next.tone !== undefined && this.#isBeforeColour(at + 1));
  }
}
