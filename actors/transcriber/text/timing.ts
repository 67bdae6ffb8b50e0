// When each word is said. A model tells the time of a token, of a sentence or only of a whole window; between what it
// tells, words are laid over the stretches in which somebody speaks, as many characters a second in each.
import type { Atom } from './atoms.ts';

/** Half-open, seconds on the clock of the file. */
export interface Span {
  readonly start_seconds: number;
  readonly end_seconds: number;
}

/**
 * What a model wrote, and when. Texts of pieces are joined as they are written: one that begins a word begins with a
 * space where its script uses spaces, so that tokens such as ` wor`, `ld` and `,` are one word.
 */
export interface Piece extends Span {
  readonly text: string;
}

/** An atom with its time; ends do not pass the start of the next one. */
export interface TimedAtom extends Atom, Span {}

/** A range of text that is said evenly during a range of time. */
interface Stretch extends Span {
  readonly from: number;
  readonly to: number;
}

/** Voices closer together than this are one: a stop between two syllables is as long. */
const BREATH_SECONDS = 0.25;
/** How far a pause may be moved to meet punctuation, as a share of the piece, and what meeting none costs. */
const REACH = 0.15;
const UNMARKED = 0.12;
const visible = /[^\s\p{Cc}](?:.*[^\s\p{Cc}])?/su;
const marked = /[\p{Po}\p{Pd}\p{Pe}\p{Pf}]$/u;

/**
 * The times of `atoms`, which were found in the joined texts of `pieces`. `voices`: ascending; where a piece holds
 * several words and somebody is silent during it, they are laid around the silence. Times that run backwards are
 * brought into order.
 */
export function timesOf(
  atoms: readonly Atom[],
  pieces: readonly Piece[],
  voices: readonly Span[],
): TimedAtom[] {
  const stretches: Stretch[] = [];
  let offset = 0;
  let next = 0;
  for (const { text, start_seconds, end_seconds } of inOrder(pieces)) {
    const to = offset + text.length;
    let last = next;
    while (last < atoms.length && atoms[last]!.from < to) last += 1;
    const inside = atoms.slice(next, last);
    const spoken = inside.length > 1 ? voicesWithin(voices, start_seconds, end_seconds) : [];
    // Blanks take no time.
    const letters = visible.exec(text);
    if (letters) {
      const from = offset + letters.index;
      const stretch = { start_seconds, end_seconds, from, to: from + letters[0].length };
      stretches.push(...(spoken.length > 0 ? layOver(inside, spoken, stretch) : [stretch]));
    }
    next = last;
    offset = to;
  }
  return readTimes(atoms, stretches);
}

/** Starts never go back, and no piece lasts into the next one; what is not a number is the time before it. */
function inOrder(pieces: readonly Piece[]): Piece[] {
  let latest = 0;
  const ordered = pieces.map((piece) => {
    if (piece.start_seconds > latest && piece.start_seconds < Number.POSITIVE_INFINITY)
      latest = piece.start_seconds;
    return { ...piece, start_seconds: latest };
  });
  return ordered.map((piece, at) => {
    const limit = ordered[at + 1]?.start_seconds ?? Number.MAX_VALUE;
    const end = Number.isFinite(piece.end_seconds) ? piece.end_seconds : piece.start_seconds;
    return { ...piece, end_seconds: Math.max(piece.start_seconds, Math.min(end, limit)) };
  });
}

function voicesWithin(voices: readonly Span[], start: number, end: number): Span[] {
  const within: Span[] = [];
  for (const voice of voices) {
    const from = Math.max(start, voice.start_seconds);
    const to = Math.min(end, voice.end_seconds);
    if (!(to > from)) continue;
    const before = within.at(-1);
    if (before && from - before.end_seconds < BREATH_SECONDS) {
      within[within.length - 1] = { start_seconds: before.start_seconds, end_seconds: to };
    } else within.push({ start_seconds: from, end_seconds: to });
  }
  return within;
}

/** Gives each voice the words it most likely said: borders lie where the share of characters is, at punctuation if near. */
function layOver(inside: readonly Atom[], spoken: readonly Span[], whole: Stretch): Stretch[] {
  const total = spoken.reduce((sum, { start_seconds, end_seconds }) => sum + end_seconds - start_seconds, 0);
  const length = whole.to - whole.from;
  const stretches: Stretch[] = [];
  let from = whole.from;
  let first = 0;
  let said = 0;
  for (const [at, { start_seconds, end_seconds }] of spoken.entries()) {
    said += end_seconds - start_seconds;
    if (at < spoken.length - 1) first = borderNear(inside, first, whole.from, length, said / total);
    else first = inside.length;
    const to = Math.min(whole.to, inside[first - 1]?.to ?? from);
    if (to > from) stretches.push({ start_seconds, end_seconds, from, to });
    from = Math.max(from, inside[first]?.from ?? whole.to);
  }
  return stretches;
}

/** The first atom after the border at `share` of the text; never before `least`. */
function borderNear(
  inside: readonly Atom[],
  least: number,
  start: number,
  length: number,
  share: number,
): number {
  let best = least;
  let cheapest = Number.POSITIVE_INFINITY;
  for (let at = least; at <= inside.length; at += 1) {
    const place = ((inside[at - 1]?.to ?? start) - start) / length;
    const away = Math.abs(place - share);
    const cost = away + (away < REACH && at > 0 && marked.test(inside[at - 1]!.text) ? 0 : UNMARKED);
    if (cost < cheapest) [best, cheapest] = [at, cost];
  }
  return best;
}

function readTimes(atoms: readonly Atom[], stretches: readonly Stretch[]): TimedAtom[] {
  let at = 0;
  let latest = 0;
  return atoms.map((atom) => {
    while (stretches[at]!.to <= atom.from) at += 1;
    const start_seconds = Math.max(latest, timeAt(stretches[at]!, atom.from));
    let last = at;
    while (stretches[last]!.to < atom.to) last += 1;
    latest = Math.max(start_seconds, timeAt(stretches[last]!, atom.to));
    return { ...atom, start_seconds, end_seconds: latest };
  });
}

function timeAt({ from, to, start_seconds, end_seconds }: Stretch, offset: number): number {
  return start_seconds + ((end_seconds - start_seconds) * (offset - from)) / (to - from);
}
