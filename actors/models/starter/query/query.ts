// Parses a query: text in, terms out (what to look for, where, how much, or not), and the unknown words.
// vector.ts makes the vector of the terms.

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

export function parseQuery(text: string): Query {
  const tokens = tokenize(text);
  const unknown = tokens.filter(({ meaning }) => meaning === undefined).map((token) => token.text);
  const parser = new Parser(tokens);
  const terms = parser.parse();
  const known = tokens.flatMap(({ meaning, text: word }, at) => {
    if (!(meaning?.colour ?? meaning?.look ?? meaning?.place)) return [];
    return [parser.negated.has(at) ? `not ${word}` : word];
  });
  return {
    terms,
    knownWords: [...new Set(known)],
    unknownWords: [...new Set(unknown)],
    weakWords: [
      ...new Set(tokens.flatMap(({ meaning, text: word }) => (meaning?.look?.isWeak ? [word] : []))),
    ],
  };
}

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
    const [phrase, length] = phraseAt(words, at);
    const text = words.slice(at, at + length).join(' ');
    tokens.push({ meaning: phrase === undefined ? undefined : lexicon.get(phrase), text });
    at += length;
  }
  return tokens;
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
    if (this.#tokens[at]!.text !== 'and' || !continues) this.#negation = undefined;
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
