// What is said that answers a question: the whole of it, or its words.
//
// A person who types `budget` means the word; one who types `who says budget, and when` means the same. So
// the question is looked for as it is, and when nobody says that, its words are: without those that only make
// it a question, and at least more than half of them close together, so that one frequent word does not bring
// everything.

import type { FoundRow } from '../text/first-rows.ts';
import { fold } from '../text/fold.ts';
import { placeOf, queryWords } from '../text/query-words.ts';
import { beginsWord, hasWholeWord } from '../text/whole-word.ts';
import type { Hit, LoadedTranscripts } from './loaded.ts';
import { inOrder, type LoadedTranscript, nameOf, type TranscriptScope } from './loaded-transcript.ts';

/** Rows that are looked at for one question; of a word that is in more of them the first ones count. */
const mostLooked = 1 << 17;
const quotes = /^[\s"“”„‟«»]+|[\s"“”„‟«»]+$/g;

export interface SpokenMatches {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** Empty when the whole question was found. */
  readonly words: readonly string[];
}

/** The first rows of all that hold a needle, as far as they are looked at. */
type Look = (needle: Uint8Array) => readonly FoundRow<LoadedTranscript>[];

/** At most `most`. `pause` may throw to stop. `looked`: rows that are looked at. */
export function findSpoken(
  loaded: Pick<LoadedTranscripts, 'first'>,
  query: string,
  scope: TranscriptScope,
  most: number,
  pause: () => void,
  looked = mostLooked,
): SpokenMatches {
  const look: Look = (needle) => loaded.first(needle, scope, looked, pause);
  const whole = fold(query).replace(quotes, '').replace(/\s+/g, ' ');
  const phrase = whole === '' ? [] : findPhrase(look, Buffer.from(whole), most);
  if (phrase.length > 0) return { hits: phrase, words: [] };
  const words = queryWords(query);
  if (words.length === 0) return { hits: [], words };
  return { hits: findWords(look, words, most, pause), words };
}

/** Hits by how good they are, the best of each place first. */
class Ranking {
  readonly #most: number;
  readonly #places = new Map<number, Hit[]>();

  constructor(most: number) {
    this.#most = most;
  }

  add(worth: number, hit: Hit): void {
    const place = this.#places.get(worth);
    if (place === undefined) this.#places.set(worth, [hit]);
    else if (place.push(hit) >= 2 * this.#most + 1024) this.#cut(place);
  }

  #cut(place: Hit[]): void {
    place.sort(byPlace);
    place.length = Math.min(place.length, this.#most);
  }

  finish(): Hit[] {
    const worths = [...this.#places.keys()].sort((a, b) => b - a);
    return worths.flatMap((worth) => this.#places.get(worth)!.sort(byPlace)).slice(0, this.#most);
  }
}

function byPlace(a: Hit, b: Hit): number {
  return inOrder(a.transcript, b.transcript) || a.segment - b.segment;
}

function findPhrase(look: Look, needle: Uint8Array, most: number): Hit[] {
  const ranking = new Ranking(most);
  for (const { document: transcript, row: segment } of look(needle))
    ranking.add(hasWholeWord(transcript.folded, segment, needle) ? 1 : 0, { transcript, segment });
  return ranking.finish();
}

interface Word {
  readonly text: string;
  readonly needle: Uint8Array;
  readonly stands: (transcript: LoadedTranscript, segment: number) => boolean;
}

function wordOf(text: string): Word {
  const needle = Buffer.from(text);
  const place = placeOf(text);
  const stands = (transcript: LoadedTranscript, segment: number) =>
    place === 'anywhere' ||
    (place === 'whole' ? hasWholeWord : beginsWord)(transcript.folded, segment, needle);
  return { text, needle, stands };
}

function findWords(look: Look, texts: readonly string[], most: number, pause: () => void): Hit[] {
  const words = texts.map(wordOf);
  const ranking = new Ranking(most);
  for (const [transcript, held] of wordsHeld(look, words)) {
    pause();
    const spoken = spokenBy(transcript, words);
    for (const [segment, own] of held) {
      const speaker = spoken[transcript.columns.speakers[segment]! - 1] ?? 0;
      const next = held.get(segment + 1) ?? 0;
      // What the next one holds by itself is no part of this one.
      const together = own | speaker | ((own & ~next) === 0 ? 0 : next);
      const count = bits(together);
      if (2 * count <= words.length) continue;
      ranking.add(count * 64 + bits(own | speaker), { transcript, segment });
    }
  }
  return ranking.finish();
}

/** By transcript and segment: which words it holds, a bit each. */
function wordsHeld(look: Look, words: readonly Word[]): Map<LoadedTranscript, Map<number, number>> {
  const held = new Map<LoadedTranscript, Map<number, number>>();
  for (const [i, { needle, stands }] of words.entries()) {
    for (const { document: transcript, row: segment } of look(needle)) {
      if (!stands(transcript, segment)) continue;
      const own = held.get(transcript) ?? new Map<number, number>();
      held.set(transcript, own);
      own.set(segment, (own.get(segment) ?? 0) | (1 << i));
    }
  }
  return held;
}

/** By speaker: which of the words are their name, or a word of it. */
function spokenBy({ columns, names }: LoadedTranscript, words: readonly Word[]): number[] {
  return columns.speakerIds.map((id) => {
    const name = nameOf(columns, names, id);
    if (name === id) return 0;
    const parts = new Set(fold(name).match(/[\p{L}\p{N}\p{M}_]+/gu));
    return words.reduce((mask, { text }, i) => (parts.has(text) ? mask | (1 << i) : mask), 0);
  });
}

function bits(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}
