// Breaks what a model wrote into segments of at most 7 s and 84 characters, preferably at the end of a
// sentence or clause or at a pause. No word is lost, changed or moved.
import type { Segment } from '../contract.ts';
import {
  alignWords,
  isBlank,
  segmentWords,
  type TimedPiece,
  type TimedSpan,
  type TimedWord,
} from './timing.ts';

export const LONGEST_SECONDS = 7;
/** UTF-16 units of a segment's text, its leading space among them: two lines of 42. */
export const LONGEST_TEXT = 84;
/** A pause that always ends a segment. */
const PAUSE_SECONDS = 1;
/** The least a segment lasts. */
const SHORTEST_SECONDS = 0.02;

/**
 * The segments of one window of one channel, ascending and not overlapping. `speech`: detected regions,
 * ascending; only needed for pieces of more than one word. A word longer than a segment is split; one that
 * lasts longer is shortened.
 */
export function segmentsOf(pieces: readonly TimedPiece[], speech: readonly TimedSpan[] = []): Segment[] {
  const written = pieces.filter(({ text }) => text !== '');
  const text = written.map((piece) => piece.text).join('');
  if (isBlank(text)) return [];
  const words = alignWords(segmentWords(text, LONGEST_TEXT - 1), written, speech);
  const segments: Segment[] = [];
  let from = 0;
  for (const to of breaksOf(words)) {
    segments.push(segmentOf(words.slice(from, to), segments.at(-1)?.end_seconds ?? 0));
    from = to;
  }
  return segments;
}

function segmentOf(words: readonly TimedWord[], free: number): Segment {
  const text = words.map((word, at) => (at === 0 || word.spaced ? ` ${word.text}` : word.text)).join('');
  const start = Math.max(free, milliseconds(words[0]!.start_seconds));
  const end = Math.max(milliseconds(words.at(-1)!.end_seconds), milliseconds(start + SHORTEST_SECONDS));
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

/**
 * The ends of the segments (numbers of words, ascending): dynamic programming over all ways to break the
 * text, with a cost for each segment and for each break.
 */
function breaksOf(words: readonly TimedWord[]): number[] {
  const breaks = words.map((word, at) => breakAfter(word, words[at + 1]));
  const cheapest: number[] = [0];
  const before: number[] = [0];
  for (let to = 1; to <= words.length; to += 1) {
    let best = Number.POSITIVE_INFINITY;
    let chosen = to - 1;
    let length = 0;
    let sentences = 0;
    for (let from = to - 1; from >= 0; from -= 1) {
      const word = words[from]!;
      if (from < to - 1) {
        if (breaks[from]!.forced) break;
        if (breaks[from]!.sentence) sentences += 1;
        if (words[to - 1]!.end_seconds - word.start_seconds > LONGEST_SECONDS) break;
        if (words[from + 1]!.spaced) length += 1;
      }
      length += word.text.length;
      if (length > LONGEST_TEXT - 1) break;
      const cost = cheapest[from]! + costOf(length, sentences) + breaks[to - 1]!.cost;
      if (cost < best) [best, chosen] = [cost, from];
    }
    cheapest.push(best);
    before.push(chosen);
  }
  const ends: number[] = [];
  for (let at = words.length; at > 0; at = before[at]!) ends.push(at);
  return ends.reverse();
}

/**
 * A segment costs 1, and more when it is short; a sentence end inside it costs more than a segment that is
 * not short.
 */
function costOf(length: number, sentences: number): number {
  const shortness = Math.max(0, 1 - length / 20);
  return 1 + 1.2 * sentences + 0.8 * shortness;
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
/** A full stop that ends no sentence: an initial, or a common abbreviation. */
const abbreviation = /^["'“‘«(]*(\p{L}|Mr|Mrs|Ms|Dr|Prof|St|vs|No|Nr|bzw|ca|Sr|Sra|Mme)\.$/u;

/**
 * The cost of a break after a word: 0 after a sentence, less after a comma, and less the longer the pause, up
 * to 0.4 s.
 */
function breakAfter(word: TimedWord, next: TimedWord | undefined): Break {
  if (!next) return { forced: true, sentence: true, cost: 0 };
  const pause = next.start_seconds - word.end_seconds;
  const sentence =
    sentenceEnd.test(word.text) && !abbreviation.test(word.text) && !/^\p{Ll}/u.test(next.text);
  const comma = clauseEnd.test(word.text);
  const pauseShare = Math.min(1, Math.max(0, pause) / 0.4);
  const cost = sentence ? 0 : Math.min(comma ? 0.5 : 1.5, 1.5 - pauseShare);
  return {
    forced: pause >= PAUSE_SECONDS,
    sentence,
    cost: Math.max(0, cost - (comma ? 0.3 * pauseShare : 0)),
  };
}
