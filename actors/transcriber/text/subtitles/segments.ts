// Turns cues into segments: times repaired, lines joined, speakers extracted, repeats dropped.
//
// Cues are not split, even those longer than 7 s or 84 characters: the times inside one are not known.
import type { Segment } from '../../contract.ts';
import { type Cue, name, type ParsedCues } from './cue.ts';

export interface SubtitleTranscript {
  readonly segments: Segment[];
  /** Cues that could not be used: no time, over before the media begins, or later than any recording. */
  readonly skipped: number;
  /**
   * Cues whose end was missing, not after their start or implausibly late, or that began before the media.
   */
  readonly repaired: number;
}

/** Latest time in seconds; the store counts milliseconds in 32 bits. */
const LATEST = 4_000_000;

/** Reading time of a text whose cue has no end. */
const readSeconds = (text: string) => Math.min(7, Math.max(1, text.length / 15));

export function segmentsOfCues({ cues, skipped }: Pick<ParsedCues, 'cues' | 'skipped'>): SubtitleTranscript {
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

// Removes repeated cues: roll-up captions repeat the line above, and typesetting scripts have a cue for every
// frame of a moving text.

/** Seconds between cues that follow each other without a pause. */
const TOUCH = 0.05;
/** A shorter cue is a frame of a moving text. */
const FRAME = 0.25;

/** Lines that are compared, at most. */
const MOST_LINES = 8;

type Timed = Cue & { readonly end: number };

/**
 * In order of start. Equal cues at the same time are one, so are the frames of a moving text; repeated lines
 * are dropped.
 */
function withoutRepeats(cues: readonly Timed[]): Timed[] {
  return withoutRollUp(joinFrames(cues));
}

function joinFrames(cues: readonly Timed[]): Timed[] {
  const result: Timed[] = [];
  /** Place in `result` of the last cue with these words. */
  const last = new Map<string, number>();
  for (const cue of cues) {
    const key = `${cue.speaker ?? ''}\n${cue.text}`;
    const at = last.get(key);
    const before = at === undefined ? undefined : result[at];
    const isSame = before && before.start === cue.start && before.end === cue.end;
    const isFrame = before && cue.start <= before.end + TOUCH && cue.end - cue.start <= FRAME;
    if (isSame || isFrame) result[at!] = { ...before, end: Math.max(before.end, cue.end) };
    else {
      last.set(key, result.length);
      result.push(cue);
    }
  }
  return result;
}

/**
 * Only where roll-up is the style of the whole file: two people may well say the same one after the other.
 */
function withoutRollUp(cues: readonly Timed[]): Timed[] {
  const repeated = cues.map((cue, i) => (i === 0 ? 0 : sharedLines(cues[i - 1]!, cue)));
  // Roll-up cues add a new line below the repeated ones; a line that is repeated alone was said twice.
  const rolling = cues.filter(({ text }, i) => repeated[i]! > 0 && text.split('\n').length > repeated[i]!);
  if (rolling.length < 2 || rolling.length < 0.25 * cues.length) return [...cues];
  const result: Timed[] = [];
  cues.forEach((cue, i) => {
    const lines = cue.text.split('\n').slice(repeated[i]);
    if (lines.length > 0) result.push({ ...cue, text: lines.join('\n') });
    else result.push({ ...result.pop()!, end: cue.end });
  });
  return result;
}

/** How many of the last lines of one cue the next one begins with, when it follows at once. */
function sharedLines(before: Timed, after: Timed): number {
  if (Math.abs(after.start - before.end) > TOUCH && after.start > before.end) return 0;
  const said = before.text.split('\n');
  const now = after.text.split('\n');
  for (let count = Math.min(said.length, now.length, MOST_LINES); count > 0; count--) {
    if (said.slice(-count).every((line, i) => line === now[i])) return count;
  }
  return 0;
}

// Extracts speakers written before the text: `MARY: Come in.`, `>> JOHN: Good evening.`
//
// Most colons follow no speaker: `Note: ...`, `10:30`, `https://...`, `He said: go.` So a name counts when it
// is in capitals in a text that is not, or when it occurs several times and looks like a name.

/** How often a name in mixed case, or in a text of capitals, has to occur. */
const OFTEN = 3;

/**
 * Dash or chevrons of a change of speaker, the name, a remark in brackets, a colon with a blank or nothing
 * after it.
 */
const prefix =
  /^\s*(?:[-–—]\s*|>{2,3}\s*)?(?:\[([^\][:]{1,40})\]|(\p{L}[\p{L}\p{M}\p{N} .'’_#&-]{0,38}))(?:\s*\([^()]{1,30}\))?\s*(?::(?=\s|$)|：)\s*/u;

const noNames = new Set(
  (
    'note notes warning caution update edit correction translation translator subtitles subtitle subs captions caption ' +
    'synced sync transcript source sources website web url http https www mail email tel phone date time place location ' +
    'chapter part episode scene title example answer question ps p.s am pm tip fact summary result results lyrics music ' +
    'singing am: today tomorrow yesterday also but so and or then first second third finally now ps'
  ).split(' '),
);

interface Prefix {
  readonly name: string;
  readonly remainder: string;
}

/**
 * The same cues with the names removed; a cue in which several speak becomes one for each, at the same time.
 */
function extractSpeakers(cues: readonly Cue[]): Cue[] {
  const lines = cues.filter(({ speaker }) => speaker === null).flatMap(({ text }) => text.split('\n'));
  const counts = new Map<string, number>();
  for (const line of lines) {
    const key = read(line)?.name;
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (counts.size === 0) return [...cues];
  const capitals = isMostlyCapitals(lines.map((line) => read(line)?.remainder ?? line));
  const isSpeaker = (name: string) =>
    !noNames.has(name.toLowerCase()) &&
    ((!capitals && isInCapitals(name)) ||
      ((counts.get(name) ?? 0) >= OFTEN && (capitals || looksLikeName(name))));
  return cues.flatMap((cue) => (cue.speaker === null ? split(cue, isSpeaker) : [cue]));
}

function split(cue: Cue, isSpeaker: (name: string) => boolean): Cue[] {
  const pieces: { speaker: string | null; lines: string[] }[] = [];
  const lines = cue.text.split('\n');
  lines.forEach((line, i) => {
    const prefixMatch = read(line);
    // A name without text after it is itself the text.
    const isNamed =
      prefixMatch &&
      isSpeaker(prefixMatch.name) &&
      (prefixMatch.remainder.trim() !== '' || goesOn(lines[i + 1]));
    if (isNamed) pieces.push({ speaker: prefixMatch.name, lines: [prefixMatch.remainder] });
    else if (pieces.length === 0) pieces.push({ speaker: null, lines: [line] });
    else pieces.at(-1)!.lines.push(line);
  });
  return pieces.map((piece) => ({ ...cue, speaker: piece.speaker, text: piece.lines.join('\n') }));

  function goesOn(next: string | undefined): boolean {
    if (next === undefined || next.trim() === '') return false;
    const nextPrefix = read(next);
    return !(nextPrefix && isSpeaker(nextPrefix.name));
  }
}

function read(line: string): Prefix | null {
  // A quick test before the regular expression: most lines have no colon.
  if (!line.includes(':') && !line.includes('：')) return null;
  const match = prefix.exec(line);
  const said = match && name(match[1] ?? match[2]!);
  if (!said || said.split(' ').length > 4) return null;
  return { name: said, remainder: line.slice(match[0].length) };
}

function isInCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.length >= 2 && letters.every((letter) => /\p{Lu}/u.test(letter));
}

/** Every word begins with a capital or a digit; scripts without capitals have only short names. */
function looksLikeName(text: string): boolean {
  const words = text.split(' ');
  const capital = words.every((word) => /^[\p{Lu}\p{N}]/u.test(word));
  return capital || (/^\p{Lo}/u.test(text) && [...text].length <= 8 && words.length <= 2);
}

/** Broadcast captions are often all in capitals, which then do not mark names. */
function isMostlyCapitals(lines: readonly string[]): boolean {
  let capitals = 0;
  let cased = 0;
  for (const line of lines) {
    capitals += line.match(/\p{Lu}/gu)?.length ?? 0;
    cased += line.match(/[\p{Lu}\p{Ll}]/gu)?.length ?? 0;
  }
  return cased > 0 && capitals > 0.7 * cased;
}
