// A cue, the text of a subtitle with its times, as the parsers of all formats answer it. Also the parsing of
// times, which most formats write in nearly the same way.

export interface Cue {
  /** Seconds; may be negative or in the wrong order, as the file has it. */
  readonly start: number;
  /** Null where it is missing or cannot be parsed. */
  readonly end: number | null;
  /** Plain text, markup gone; lines as the author broke them. */
  readonly text: string;
  /** Who speaks, where the format has a place for it (`<v Name>`, the Name of ASS, an agent of TTML). */
  readonly speaker: string | null;
}

export interface Parsed {
  readonly cues: readonly Cue[];
  /** Cues whose start could not be parsed. */
  readonly skipped: number;
  /** As the file has it. */
  readonly language: string | null;
}

const clock = /^([-−]?)(?:(\d{1,9})\s*:\s*)?(\d{1,9})\s*:\s*(\d{1,9})(?:\s*[,.:;]\s*(\d{1,9}))?$/;

/**
 * Seconds of `HH:MM:SS,mmm` and what authors make of it: without hours, with a point or a colon before the
 * fraction, with blanks, with more than 59 minutes, negative. Digits after the sign are a fraction: `1,5` is
 * one and a half. Null for text that is no time.
 */
export function clockSeconds(text: string): number | null {
  const found = clock.exec(text.trim());
  if (!found) return null;
  const [, sign = '', hours = '0', minutes = '0', seconds = '0', fraction = '0'] = found;
  const value =
    Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction) / 10 ** fraction.length;
  // Whole microseconds, so that what was written exactly is read exactly.
  const exact = Math.round(value * 1e6) / 1e6;
  return sign === '' || exact === 0 ? exact : -exact;
}

const timing = /^\s*([-−]?\d[\d\s:.,;]*?)\s*(?:-{1,3}\s?>|[–—]>)\s*([-−]?\d[\d\s:.,;]*(?=\s|$))?(.*)$/;

/** Only the start of a line is matched, so that long lines of text cost little. */
const TIMING_LENGTH = 200;

/**
 * The two times of a line `start --> end settings`; null for any other line. The start alone makes a timing
 * line.
 */
export function timingLine(line: string): { start: number; end: number | null } | null {
  // Most lines of a file are text.
  if (!line.includes('>')) return null;
  const found = timing.exec(line.slice(0, TIMING_LENGTH));
  if (!found) return null;
  const start = clockSeconds(found[1]!);
  return start === null ? null : { start, end: found[2] === undefined ? null : clockSeconds(found[2]) };
}

/** True for a timing line whose start cannot be parsed. */
export function isBrokenTiming(line: string): boolean {
  if (!line.includes('-->')) return false;
  const head = line.slice(0, TIMING_LENGTH);
  return /^\s*\S{0,16}\s*-->/.test(head) && /\d/.test(head) && timingLine(line) === null;
}

/** Lines of a text, whichever way they end; a stray `\r\r\n` is one end. */
export function linesOf(text: string): string[] {
  // The lookbehind searches a run of \r for its \n once, not again from every \r of it.
  return text.replaceAll('\0', '').split(/(?<!\r)\r*\n|[\r\u2028\u2029]/);
}
