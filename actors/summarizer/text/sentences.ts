// The sentences of a transcript, with the times at which they are spoken. A sentence may go over several
// segments, and a segment may hold several; no word is lost, added or moved.
import type { Spoken } from '../outline/material.ts';

export interface Sentence {
  /** As it stands in the transcript, white space joined to single spaces; never blank. */
  readonly text: string;
  /**
   * Of a sentence that begins or ends within a segment: its share of the characters of the segment, as a
   * share of its time.
   */
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly speaker: string | null;
  /** The segments it is in, `first` to before `end`. */
  readonly first: number;
  readonly end: number;
}

/** Sentences above are cut: at the longest pause, else after a clause, else between words. */
const longestText = 280;
/** A silence that ends every sentence, in seconds. */
const pause = 2.5;
/**
 * UTF-16 units that are looked at together: a run ends after a sentence from the first on, and anywhere at
 * the second.
 */
const [enough, tooMuch] = [2_000, 8_000];

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}、。！？「」]/u;
const stops = /[.!?…。！？｡؟۔।॥։။።]["'”’»）)\]】」』]*$/u;
/** A full stop that ends no sentence. */
const abbreviation =
  /(?:^|[\s("'“‘«])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|vs|No|Nr|bzw|ca|z\.B|e\.g|i\.e|Sr|Sra|Mme|etc|approx)\.$/u;
const clause = /[,;:،؛、，；：၊–—]$/u;

/** `language`: BCP 47 of what is spoken. O(characters), whatever the length of sentences. */
export function sentencesOf(segments: readonly Spoken[], language = 'und'): Sentence[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  return runsOf(segments).flatMap((run) => {
    const pieces = joinAbbreviations([...segmenter.segment(run.text)].map(({ segment }) => segment));
    let at = 0;
    return pieces.flatMap((piece) => {
      const from = at;
      at += piece.length;
      return cutLong(run, from, at).flatMap(([start, end]) => sentenceOf(run, segments, start, end));
    });
  });
}

/** Text of one speaker without a long pause. */
interface Run {
  readonly text: string;
  /** Of each segment that has text: its number, and where its text begins and ends in `text`. */
  readonly places: readonly { readonly segment: number; readonly from: number; readonly to: number }[];
}

function runsOf(segments: readonly Spoken[]): Run[] {
  const runs: { text: string; places: { segment: number; from: number; to: number }[] }[] = [];
  let last: Spoken | null = null;
  segments.forEach((segment, number) => {
    const text = segment.text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (text === '') return;
    let run = runs.at(-1);
    const goesOn =
      last !== null &&
      run !== undefined &&
      last.speaker === segment.speaker &&
      segment.start_seconds - last.end_seconds < pause &&
      run.text.length < (stops.test(run.text) ? enough : tooMuch);
    if (!run || !goesOn) {
      run = { text: '', places: [] };
      runs.push(run);
    } else if (!(unspaced.test(run.text.at(-1)!) && unspaced.test(text[0]!))) run.text += ' ';
    const from = run.text.length;
    run.text += text;
    run.places.push({ segment: number, from, to: run.text.length });
    last = segment;
  });
  return runs;
}

/** ICU ends a sentence after `Dr.`, and before a small letter. */
export function joinAbbreviations(pieces: readonly string[]): string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1)?.trimEnd();
    if (
      before !== undefined &&
      (abbreviation.test(before) || (before.endsWith('.') && /^\p{Ll}/u.test(piece)))
    )
      joined[joined.length - 1] += piece;
    else joined.push(piece);
  }
  return joined;
}

/** Parts of `from` to before `to` that are not too long. */
function cutLong(run: Run, from: number, to: number): [number, number][] {
  const parts: [number, number][] = [];
  let start = from;
  while (to - start > longestText) {
    const cut = bestCut(run, start, start + longestText);
    parts.push([start, cut]);
    start = cut;
  }
  parts.push([start, to]);
  return parts;
}

/**
 * In the second half of what is allowed: the end of a segment, else of a clause, else of a word, else of a
 * character.
 */
function bestCut({ text, places }: Run, start: number, limit: number): number {
  const least = start + (limit - start) / 2;
  for (let i = places.length - 1; i >= 0; i--) {
    const { to } = places[i]!;
    if (to <= limit && to > least) return to;
  }
  let word = 0;
  for (let at = limit; at > least; at--) {
    if (text[at] !== ' ' && !unspaced.test(text[at] ?? ' ')) continue;
    if (clause.test(text.slice(start, at))) return at;
    if (word === 0) word = at;
  }
  if (word > 0) return word;
  const isHalf = /[\uDC00-\uDFFF]/.test(text[limit] ?? '');
  return isHalf ? limit - 1 : limit;
}

function sentenceOf(run: Run, segments: readonly Spoken[], start: number, end: number): Sentence[] {
  const raw = run.text.slice(start, end);
  const text = raw.trim();
  if (text === '') return [];
  const from = start + raw.length - raw.trimStart().length;
  const to = from + text.length;
  const own = run.places.filter((place) => place.from < to && place.to > from);
  const [first, last] = [own[0]!, own.at(-1)!];
  const start_seconds = timeAt(segments, first, from);
  return [
    {
      text,
      start_seconds,
      end_seconds: Math.max(start_seconds, timeAt(segments, last, to)),
      speaker: segments[first.segment]!.speaker,
      first: first.segment,
      end: last.segment + 1,
    },
  ];
}

function timeAt(
  segments: readonly Spoken[],
  { segment, from, to }: Run['places'][number],
  at: number,
): number {
  const { start_seconds, end_seconds } = segments[segment]!;
  const share = Math.min(1, Math.max(0, (at - from) / (to - from)));
  return start_seconds + share * (end_seconds - start_seconds);
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * The beginning of a text in at most `longest` UTF-16 units, at least 2, `…` included. Cut between words,
 * else between characters.
 */
export function excerptOf(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const space = text.slice(0, longest).lastIndexOf(' ', longest - 1);
  const words = space >= longest / 2 ? text.slice(0, space) : wholeCharacters(text, longest - 1);
  return `${words.replace(/[\s,;:،、，；：—–-]+$/u, '')}…`;
}

function wholeCharacters(text: string, longest: number): string {
  let at = 0;
  for (const { segment } of graphemes.segment(text.slice(0, longest + 32))) {
    if (at + segment.length > longest) break;
    at += segment.length;
  }
  return text.slice(0, at);
}

/** At most `longest` UTF-16 units, `…` included; no half of a character before it. */
export function clipped(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, Math.max(0, longest - 1)).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}
