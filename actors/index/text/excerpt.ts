// A part of a text around what was found in it, and where that stands.
import { fold } from './fold.ts';

/** [start, end) in characters (code points) of the excerpt, ascending and apart. */
export type CharacterRange = [number, number];

export interface Excerpt {
  readonly text: string;
  readonly ranges: CharacterRange[];
  /** The text is longer. */
  readonly isCut: boolean;
}

/** Places in a text that are told at most. */
const mostPlaces = 200;
/** Which part of an excerpt lies before the match, where the text is longer. */
const partBefore = 5;

const ascii = /^\p{ASCII}*$/u;
/** Units that can be folded by themselves: a letter with its marks, or the parts of Hangul syllables. */
const parts = /[\u1100-\u11ff]+\p{M}*|\P{M}\p{M}*|\p{M}+/gu;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** A text folded, and by unit of that where its part of the text begins and ends. */
interface Folded {
  readonly text: string;
  readonly starts: (at: number) => number;
  readonly ends: (at: number) => number;
}

function folded(text: string): Folded {
  if (ascii.test(text)) return { text: fold(text), starts: (at) => at, ends: (at) => at + 1 };
  const starts: number[] = [];
  const ends: number[] = [];
  let whole = '';
  for (const { 0: part, index } of text.matchAll(parts)) {
    const foldedPart = fold(part);
    whole += foldedPart;
    for (let i = 0; i < foldedPart.length; i++) {
      starts.push(index);
      ends.push(index + part.length);
    }
  }
  return { text: whole, starts: (at) => starts[at]!, ends: (at) => ends[at]! };
}

interface Place {
  readonly word: number;
  readonly start: number;
  readonly end: number;
}

/** In units of the text, ascending. */
function placesOf(text: string, words: readonly string[]): Place[] {
  const { text: whole, starts, ends } = folded(text);
  const places: Place[] = [];
  for (const [word, needle] of words.entries()) {
    // Each word is told once at least.
    const last = Math.max(places.length + 1, mostPlaces);
    for (let at = whole.indexOf(needle); at >= 0 && places.length < last; ) {
      places.push({ word, start: starts(at), end: ends(at + needle.length - 1) });
      at = whole.indexOf(needle, at + needle.length);
    }
  }
  return places.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Where to begin so that as many of the words as possible are seen: the first such place. */
function bestPlace(places: readonly Place[], units: number): number {
  let [best, most] = [0, 0];
  for (const [i, { start }] of places.entries()) {
    const wordIndexes = new Set<number>();
    for (let k = i; k < places.length && places[k]!.end <= start + units; k++)
      wordIndexes.add(places[k]!.word);
    if (wordIndexes.size > most) [best, most] = [start, wordIndexes.size];
  }
  return best;
}

/** `words`: folded, not empty. At most `most` characters, no letter torn from its marks. */
export function excerptOf(text: string, words: readonly string[], most: number): Excerpt {
  const places = placesOf(text, words);
  const [from, to] = windowOf(text, places, most);
  const ranges: CharacterRange[] = [];
  const characters = (start: number, end: number) => Array.from(text.slice(start, end)).length;
  for (const place of places) {
    const [start, end] = [Math.max(from, place.start), Math.min(to, place.end)];
    if (start >= end) continue;
    const range: CharacterRange = [characters(from, start), characters(from, end)];
    const last = ranges.at(-1);
    if (last !== undefined && range[0] <= last[1]) last[1] = Math.max(last[1], range[1]);
    else ranges.push(range);
  }
  return { text: text.slice(from, to), ranges, isCut: from > 0 || to < text.length };
}

/** Units of the text. */
function windowOf(text: string, places: readonly Place[], most: number): [number, number] {
  if (text.length <= most) return [0, text.length];
  const all = Array.from(text);
  if (all.length <= most) return [0, text.length];
  const units: number[] = [0];
  for (const character of all) units.push(units.at(-1)! + character.length);
  const characterAt = (unit: number) => units.findIndex((at) => at >= unit);
  const before = Math.floor(most / partBefore);
  const match = characterAt(bestPlace(places, most - before));
  let first = Math.max(0, Math.min(match - before, all.length - most));
  // Not in the middle of a word, where one begins near.
  if (first > 0) {
    const blank = all
      .slice(first - 1, Math.min(match, first + before / 2))
      .findIndex((character) => /\s/u.test(character));
    if (blank >= 0) first += blank;
  }
  return whole(text, units[first]!, units[Math.min(all.length, first + most)]!);
}

/** Without the letters at both ends of which a part is outside. */
function whole(text: string, from: number, to: number): [number, number] {
  // Some units around it are enough to see where letters begin.
  const around = Math.max(0, from - 64);
  let [first, last] = [to, from];
  for (const { index, segment } of graphemes.segment(text.slice(around, to + 64))) {
    const [start, end] = [around + index, around + index + segment.length];
    if (start >= from && start < first) first = start;
    if (end <= to) last = Math.max(last, end);
  }
  return first < last ? [first, last] : [from, to];
}
