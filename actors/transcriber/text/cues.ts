// Segments as they are shown and searched: at most 7 s and 84 characters, broken where a reader would pause. No word is
// lost, changed or moved; only where one segment ends and the next begins is chosen here.

import type { Segment } from '../contract.ts';
import { atomsOf, isBlank } from './atoms.ts';
import { type Piece, type Span, type TimedAtom, timesOf } from './timing.ts';

export type { Piece, Span } from './timing.ts';

export const LONGEST_SECONDS = 7;
/** UTF-16 units of a segment's text, its leading space among them: two lines of 42. */
export const LONGEST_TEXT = 84;
/** A silence over which no segment goes. */
const PAUSE_SECONDS = 1;
/** A segment that would last no time at all lasts this long. */
const SHORTEST_SECONDS = 0.02;

/**
 * The segments of what one channel said in one window, ascending and not overlapping; the next window's pieces start no
 * earlier than these end. `voices`: where somebody speaks, ascending; only needed for pieces of more than one word.
 * A word that no segment can hold is cut; a word that lasts longer than a segment may loses the rest of its time.
 */
export function cuesOf(pieces: readonly Piece[], voices: readonly Span[] = []): Segment[] {
  const seen = pieces.filter(({ text }) => text !== '');
  const text = seen.map((piece) => piece.text).join('');
  if (isBlank(text)) return [];
  const atoms = timesOf(atomsOf(text, LONGEST_TEXT - 1), seen, voices);
  const segments: Segment[] = [];
  let from = 0;
  for (const to of bordersOf(atoms)) {
    segments.push(segmentOf(atoms.slice(from, to), segments.at(-1)?.end_seconds ?? 0));
    from = to;
  }
  return segments;
}

function segmentOf(atoms: readonly TimedAtom[], free: number): Segment {
  const text = atoms.map((atom, at) => (at === 0 || atom.spaced ? ` ${atom.text}` : atom.text)).join('');
  const start = Math.max(free, milliseconds(atoms[0]!.start_seconds));
  const end = Math.max(milliseconds(atoms.at(-1)!.end_seconds), milliseconds(start + SHORTEST_SECONDS));
  const start_seconds = start;
  return {
    start_seconds,
    end_seconds: Math.min(end, milliseconds(start + LONGEST_SECONDS)),
    text,
    speaker: null,
  };
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** The cheapest way to cut: after which atoms, ascending, the last one being all of them. */
function bordersOf(atoms: readonly TimedAtom[]): number[] {
  const breaks = atoms.map((atom, at) => breakAfter(atom, atoms[at + 1]));
  const cheapest: number[] = [0];
  const before: number[] = [0];
  for (let to = 1; to <= atoms.length; to += 1) {
    let best = Number.POSITIVE_INFINITY;
    let chosen = to - 1;
    let length = 0;
    let sentences = 0;
    for (let from = to - 1; from >= 0; from -= 1) {
      const atom = atoms[from]!;
      if (from < to - 1) {
        if (breaks[from]!.forced) break;
        if (breaks[from]!.sentence) sentences += 1;
        if (atoms[to - 1]!.end_seconds - atom.start_seconds > LONGEST_SECONDS) break;
        if (atoms[from + 1]!.spaced) length += 1;
      }
      length += atom.text.length;
      if (length > LONGEST_TEXT - 1) break;
      const cost = cheapest[from]! + costOf(length, sentences) + breaks[to - 1]!.cost;
      if (cost < best) [best, chosen] = [cost, from];
    }
    cheapest.push(best);
    before.push(chosen);
  }
  const borders: number[] = [];
  for (let at = atoms.length; at > 0; at = before[at]!) borders.push(at);
  return borders.reverse();
}

/** One segment costs 1; holding a sentence's end inside costs more than that, unless what it parts is a word or two. */
function costOf(length: number, sentences: number): number {
  const scant = Math.max(0, 1 - length / 20);
  return 1 + 1.2 * sentences + 0.8 * scant;
}

interface Break {
  /** A segment has to end here. */
  readonly forced: boolean;
  readonly sentence: boolean;
  readonly cost: number;
}

const closers = '["\'”’»）)\\]】」』]*$';
const sentenceEnd = new RegExp(`[.!?…。！？｡؟۔।॥։።။]${closers}`, 'u');
const clauseEnd = new RegExp(`[,;:،؛、，；：၊–—-]${closers}`, 'u');
/** A full stop that ends no sentence: an initial, or a common short form. */
const shortForm = /^["'“‘«(]*(\p{L}|Mr|Mrs|Ms|Dr|Prof|St|vs|No|Nr|bzw|ca|Sr|Sra|Mme)\.$/u;

/** How well a text breaks here. A pause of 0.4 s is as good as a comma, a silence is one in any case. */
function breakAfter(atom: TimedAtom, next: TimedAtom | undefined): Break {
  if (!next) return { forced: true, sentence: true, cost: 0 };
  const pause = next.start_seconds - atom.end_seconds;
  const sentence = sentenceEnd.test(atom.text) && !shortForm.test(atom.text) && !/^\p{Ll}/u.test(next.text);
  const comma = clauseEnd.test(atom.text);
  const heard = Math.min(1, Math.max(0, pause) / 0.4);
  const cost = sentence ? 0 : Math.min(comma ? 0.5 : 1.5, 1.5 - heard);
  return { forced: pause >= PAUSE_SECONDS, sentence, cost: Math.max(0, cost - (comma ? 0.3 * heard : 0)) };
}
