// Merges the transcripts of several channels. Microphones pick up each other's speakers (crosstalk): a
// segment is left out when a louder channel has the same words at the same time. Words that differ stay.
import type { Segment } from '../contract.ts';

export interface LeveledSegment extends Segment {
  /** Level of its channel during the segment, dB; −Infinity for digital silence. */
  readonly level_db: number;
}

/**
 * Edit distance in words for each word that still counts as the same; one letter in a long word costs a half.
 */
const MAX_DISTANCE = 0.1;
/** Both have to overlap in time for this share of the shorter one. */
const MIN_OVERLAP = 0.5;
/** How far before and after a segment another channel is searched. */
const SLACK_SECONDS = 0.25;

interface Candidate {
  readonly channel: number;
  readonly segment: LeveledSegment;
  readonly words: readonly string[];
}

/**
 * `channels`: each ascending by start. Answers the segments that stay, unchanged, ascending by start, then
 * channel.
 */
export function mergeChannels(channels: readonly (readonly LeveledSegment[])[]): Segment[] {
  const candidates = channels.flatMap((segments, channel) =>
    segments.map((segment): Candidate => ({ channel, segment, words: wordsOf(segment.text) })),
  );
  const timelines = channels.map(() => new Timeline());
  const loudestFirst = [...candidates].sort(
    (a, b) => level(b) - level(a) || a.channel - b.channel || earlier(a, b),
  );
  for (const candidate of loudestFirst) {
    const isCrosstalk = timelines.some(
      (timeline, channel) =>
        channel !== candidate.channel && isWithin(candidate, timeline.around(candidate.segment)),
    );
    if (!isCrosstalk) timelines[candidate.channel]!.add(candidate);
  }
  return timelines
    .flatMap((timeline) => timeline.all)
    .sort((a, b) => earlier(a, b) || a.channel - b.channel)
    .map(({ segment: { level_db: _, ...segment } }) => segment);
}

const level = ({ segment: { level_db } }: Candidate) => (level_db > -1000 ? level_db : -1000);
const earlier = (a: Candidate, b: Candidate) =>
  a.segment.start_seconds - b.segment.start_seconds || a.segment.end_seconds - b.segment.end_seconds;

/** The kept segments of a channel, indexed by second. */
class Timeline {
  readonly #seconds = new Map<number, Candidate[]>();
  readonly all: Candidate[] = [];

  add(candidate: Candidate): void {
    this.all.push(candidate);
    for (const second of secondsOf(candidate.segment, 0)) {
      const there = this.#seconds.get(second);
      if (there) there.push(candidate);
      else this.#seconds.set(second, [candidate]);
    }
  }

  /** Ascending by start. */
  around(segment: Segment): Candidate[] {
    const candidates = new Set<Candidate>();
    for (const second of secondsOf(segment, SLACK_SECONDS)) {
      for (const candidate of this.#seconds.get(second) ?? []) candidates.add(candidate);
    }
    return [...candidates].sort(earlier);
  }
}

function* secondsOf({ start_seconds, end_seconds }: Segment, slack: number): Generator<number> {
  const last = Math.floor(end_seconds + slack);
  for (let at = Math.max(0, Math.floor(start_seconds - slack)); at <= last; at += 1) yield at;
}

/** A word with its time, as if all words of a segment were equally long. */
interface TimedWord {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/**
 * True if `others` contain the words of `candidate` at the same time, in order and without other words
 * between them.
 */
function isWithin(candidate: Candidate, others: readonly Candidate[]): boolean {
  if (candidate.words.length === 0 || others.length === 0) return false;
  const text = others.flatMap(timedWords);
  const allowed = MAX_DISTANCE * candidate.words.length;
  const present = new Set(text.map(({ word }) => word));
  // A quick bound that decides most pairs: each word that is missing costs at least a half.
  const missing = candidate.words.filter((word) => !present.has(word)).length;
  if (missing / 2 > allowed) return false;
  return matches(candidate.words, text, allowed).some(([from, to]) =>
    overlaps(candidate.segment, text, from, to),
  );
}

function timedWords({ segment: { start_seconds, end_seconds }, words }: Candidate): TimedWord[] {
  const each = (end_seconds - start_seconds) / words.length;
  return words.map((word, at) => ({
    word,
    from: start_seconds + at * each,
    to: start_seconds + (at + 1) * each,
  }));
}

function overlaps(
  { start_seconds, end_seconds }: Segment,
  text: readonly TimedWord[],
  from: number,
  to: number,
): boolean {
  const start = text[from]!.from;
  const end = text[to - 1]!.to;
  const both = Math.min(end, end_seconds) - Math.max(start, start_seconds);
  return both > 0 && both >= MIN_OVERLAP * Math.min(end - start, end_seconds - start_seconds);
}

/**
 * Where in `text` the words are with an edit distance of at most `allowed`: half-open, not empty. Approximate
 * matching of a pattern (Sellers 1980), which remembers for every end where its best match begins.
 */
function matches(
  words: readonly string[],
  text: readonly TimedWord[],
  allowed: number,
): (readonly [from: number, to: number])[] {
  let costs = words.map((_, at) => at + 1);
  let starts = words.map(() => 0);
  const ranges: (readonly [number, number])[] = [];
  for (const [column, { word }] of text.entries()) {
    const nextCosts: number[] = [];
    const nextStarts: number[] = [];
    for (const [row, patternWord] of words.entries()) {
      const [upCost, upStart] = row === 0 ? [0, column] : [costs[row - 1]!, starts[row - 1]!];
      const changed = upCost + difference(patternWord, word);
      const added = costs[row]! + 1;
      const [leftCost, leftStart] = row === 0 ? [0, column + 1] : [nextCosts[row - 1]!, nextStarts[row - 1]!];
      const skip = leftCost + 1;
      const cost = Math.min(changed, added, skip);
      nextCosts.push(cost);
      nextStarts.push(cost === changed ? upStart : cost === added ? starts[row]! : leftStart);
    }
    costs = nextCosts;
    starts = nextStarts;
    const from = starts.at(-1)!;
    if (costs.at(-1)! <= allowed && from <= column) ranges.push([from, column + 1]);
  }
  return ranges;
}

/** 0: the same. ½: one letter of a long word. 1: another word. Numbers are the same or they are not. */
function difference(a: string, b: string): number {
  if (a === b) return 0;
  return Math.min(a.length, b.length) >= 5 && !/\p{N}/u.test(a + b) && isOneLetterApart(a, b) ? 0.5 : 1;
}

function isOneLetterApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let head = 0;
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return Math.max(a.length, b.length) - head - tail <= 1;
}

const unspacedLetter =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*)/gu;

/** Lower case, without punctuation; in scripts without spaces every letter is a word. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(unspacedLetter, ' $1 ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}
