// Turns cues into segments: times repaired, lines joined, speakers extracted, repeats dropped.
//
// Cues are not split, even those longer than 7 s or 84 characters: the times inside one are not known.
import type { Segment } from '../../contract.ts';
import type { Cue, Parsed } from './cue.ts';
import { type Timed, withoutRepeats } from './repeats.ts';
import { extractSpeakers } from './speakers.ts';

export interface Transcript {
  readonly segments: Segment[];
  /** Cues that could not be used: no time, over before the media begins, or later than any recording. */
  readonly skipped: number;
  /** Cues whose end was missing, not after their start or implausibly late, or that began before the media. */
  readonly repaired: number;
}

/** Latest time in seconds; the store counts milliseconds in 32 bits. */
const LATEST = 4_000_000;

/** Reading time of a text whose cue has no end. */
const readSeconds = (text: string) => Math.min(7, Math.max(1, text.length / 15));

export function segmentsOfCues({ cues, skipped }: Pick<Parsed, 'cues' | 'skipped'>): Transcript {
  const { timed, lost, repaired } = repair(cues.map((cue) => ({ ...cue, text: cleanLines(cue.text) })));
  const segments = extractSpeakers(withoutRepeats(timed)).map((cue) => ({
    start_seconds: cue.start,
    end_seconds: (cue as Timed).end,
    text: ` ${joined(cue.text)}`,
    speaker: cue.speaker,
  }));
  return { segments, skipped: skipped + lost, repaired };
}

/** In order of start, each with an end after it, none before the media begins or later than any recording. */
function repair(cues: readonly Cue[]): { timed: Timed[]; lost: number; repaired: number } {
  const ordered = cues.toSorted((a, b) => a.start - b.start);
  const next = laterStarts(ordered);
  const timed: Timed[] = [];
  let repaired = 0;
  let lost = 0;
  ordered.forEach((cue, i) => {
    // A cue without text only ends the one before.
    if (cue.text === '') return;
    const { start } = cue;
    const isEnd = cue.end !== null && cue.end > start && cue.end < LATEST;
    const end = isEnd ? cue.end : endWithout(cue, next[i]!);
    // A cue that ends before the media begins, or starts after the latest time, cannot be repaired.
    if (!(end > 0) || !(end < LATEST)) {
      lost++;
      return;
    }
    if (end !== cue.end || start < 0) repaired++;
    timed.push({ ...cue, start: Math.max(0, start), end });
  });
  return { timed, lost, repaired };
}

/** For each cue the start of the next one that starts later; Infinity where there is none. */
function laterStarts(ordered: readonly Cue[]): number[] {
  const starts = new Array<number>(ordered.length).fill(Number.POSITIVE_INFINITY);
  for (let at = ordered.length - 2; at >= 0; at--) {
    const next = ordered[at + 1]!.start;
    starts[at] = next > ordered[at]!.start ? next : starts[at + 1]!;
  }
  return starts;
}

/** Its reading time, or the start of the next later cue if that is earlier. */
function endWithout({ start, text }: Cue, nextStart: number): number {
  return Math.min(start + readSeconds(text), nextStart);
}

/** Lines trimmed, without empty ones and without control or format characters. */
function cleanLines(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\ufffe\uffff]/gu, (character) =>
      /\s/.test(character) || isJoiner(character) ? character : '',
    )
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Zero-width joiners belong to words of Persian and Hindi, and to emoji. */
function isJoiner(character: string): boolean {
  return character === '\u200c' || character === '\u200d' || /[\u{e0020}-\u{e007f}]/u.test(character);
}

const ideographic = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff00-\uff60ー]$/u;

/** One line; between ideographic lines there is no space. */
function joined(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const parts = lines.map((line, i) => {
    if (i === 0) return line;
    const isIdeographic =
      ideographic.test([...lines[i - 1]!.slice(-2)].at(-1)!) && ideographic.test([...line.slice(0, 2)][0]!);
    return isIdeographic ? line : ` ${line}`;
  });
  return parts.join('').trim();
}
