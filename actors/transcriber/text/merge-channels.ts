// The transcripts of several channels as one. A microphone also hears who speaks into another one: what a louder channel
// says at the same time, in the same words, is left out. Words that differ stay, whoever says them.
import type { Segment } from '../contract.ts';

export interface LeveledSegment extends Segment {
  /** Loudness of its channel while it is said, dB; −Infinity for silence. */
  readonly level_db: number;
}

/** Share of the words that may differ in what counts as the same; a missing word costs 1, a letter in a long one half. */
const DIFFERENT = 0.1;
/** The same words have to be said together for this share of the shorter time. */
const TOGETHER = 0.5;
/** A channel is never searched further from a segment than the longest segment lasts. */
const SLACK_SECONDS = 0.25;

interface Said {
  readonly channel: number;
  readonly segment: LeveledSegment;
  readonly words: readonly string[];
}

/** `channels`: each ascending by start. Answers the segments that stay, unchanged, ascending by start, then channel. */
export function mergeChannels(channels: readonly (readonly LeveledSegment[])[]): Segment[] {
  const said = channels.flatMap((segments, channel) =>
    segments.map((segment): Said => ({ channel, segment, words: wordsOf(segment.text) })),
  );
  const staying = channels.map(() => new Timeline());
  const loudestFirst = [...said].sort(
    (a, b) => level(b) - level(a) || a.channel - b.channel || earlier(a, b),
  );
  for (const one of loudestFirst) {
    const heardLouder = staying.some(
      (timeline, channel) => channel !== one.channel && isSaidIn(one, timeline.around(one.segment)),
    );
    if (!heardLouder) staying[one.channel]!.add(one);
  }
  return staying
    .flatMap((timeline) => timeline.all)
    .sort((a, b) => earlier(a, b) || a.channel - b.channel)
    .map(({ segment: { start_seconds, end_seconds, text, speaker } }) => {
      return { start_seconds, end_seconds, text, speaker };
    });
}

const level = ({ segment: { level_db } }: Said) => (level_db > -1000 ? level_db : -1000);
const earlier = (a: Said, b: Said) =>
  a.segment.start_seconds - b.segment.start_seconds || a.segment.end_seconds - b.segment.end_seconds;

/** What stays of a channel, found by time without looking at all of it. */
class Timeline {
  readonly #seconds = new Map<number, Said[]>();
  readonly all: Said[] = [];

  add(one: Said): void {
    this.all.push(one);
    for (const second of secondsOf(one.segment, 0)) {
      const there = this.#seconds.get(second);
      if (there) there.push(one);
      else this.#seconds.set(second, [one]);
    }
  }

  /** Ascending by start. */
  around(segment: Segment): Said[] {
    const found = new Set<Said>();
    for (const second of secondsOf(segment, SLACK_SECONDS)) {
      for (const one of this.#seconds.get(second) ?? []) found.add(one);
    }
    return [...found].sort(earlier);
  }
}

function* secondsOf({ start_seconds, end_seconds }: Segment, slack: number): Generator<number> {
  const last = Math.floor(end_seconds + slack);
  for (let at = Math.max(0, Math.floor(start_seconds - slack)); at <= last; at += 1) yield at;
}

/** A word with the time in which it is said, if every word of its segment takes as long. */
interface TimedWord {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** Whether the words of `one` are, in order and without others between them, among those of `others`, at its time. */
function isSaidIn(one: Said, others: readonly Said[]): boolean {
  if (one.words.length === 0 || others.length === 0) return false;
  const line = others.flatMap(timedWords);
  const allowed = DIFFERENT * one.words.length;
  const present = new Set(line.map(({ word }) => word));
  // Words that are not there at all cost at least half each: most pairs end here.
  const missing = one.words.filter((word) => !present.has(word)).length;
  if (missing / 2 > allowed) return false;
  return matches(one.words, line, allowed).some(([from, to]) => together(one.segment, line, from, to));
}

function timedWords({ segment: { start_seconds, end_seconds }, words }: Said): TimedWord[] {
  const each = (end_seconds - start_seconds) / words.length;
  return words.map((word, at) => ({
    word,
    from: start_seconds + at * each,
    to: start_seconds + (at + 1) * each,
  }));
}

function together(
  { start_seconds, end_seconds }: Segment,
  line: readonly TimedWord[],
  from: number,
  to: number,
): boolean {
  const start = line[from]!.from;
  const end = line[to - 1]!.to;
  const both = Math.min(end, end_seconds) - Math.max(start, start_seconds);
  return both > 0 && both >= TOGETHER * Math.min(end - start, end_seconds - start_seconds);
}

/**
 * Where in `line` the words stand with a distance of at most `allowed`: half-open, not empty. The edit distance of a
 * pattern in a text (Sellers 1980), which remembers for every end where its best match begins.
 */
function matches(
  words: readonly string[],
  line: readonly TimedWord[],
  allowed: number,
): (readonly [from: number, to: number])[] {
  let costs = words.map((_, at) => at + 1);
  let starts = words.map(() => 0);
  const found: (readonly [number, number])[] = [];
  for (const [column, { word }] of line.entries()) {
    const nextCosts: number[] = [];
    const nextStarts: number[] = [];
    for (const [row, wanted] of words.entries()) {
      const [upCost, upStart] = row === 0 ? [0, column] : [costs[row - 1]!, starts[row - 1]!];
      const changed = upCost + difference(wanted, word);
      const added = costs[row]! + 1;
      const [leftCost, leftStart] = row === 0 ? [0, column + 1] : [nextCosts[row - 1]!, nextStarts[row - 1]!];
      const left = leftCost + 1;
      const cost = Math.min(changed, added, left);
      nextCosts.push(cost);
      nextStarts.push(cost === changed ? upStart : cost === added ? starts[row]! : leftStart);
    }
    costs = nextCosts;
    starts = nextStarts;
    const from = starts.at(-1)!;
    if (costs.at(-1)! <= allowed && from <= column) found.push([from, column + 1]);
  }
  return found;
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

/** Lower case, without marks; in scripts without spaces every letter is a word. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(unspacedLetter, ' $1 ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}
