// A cue: what a subtitle shows and when, after its format has been read and before it becomes a piece of a transcript.
// Also the times of cues, which every format writes in nearly the same way. Pure.

export interface Cue {
  /** Seconds; may be negative or in the wrong order, as the file has it. */
  readonly start: number;
  /** Null where the file does not say it, or says it in a way that cannot be read. */
  readonly end: number | null;
  /** Plain text, markup gone; lines as the author broke them. */
  readonly text: string;
  /** Who speaks, where the format has a place for it (`<v Name>`, the Name of ASS, an agent of TTML). */
  readonly speaker: string | null;
}

export interface Parsed {
  readonly cues: readonly Cue[];
  /** Cues of which not even the start could be read. */
  readonly skipped: number;
  /** As the file itself says it. */
  readonly language: string | null;
}

const clock = /^([-−]?)(?:(\d{1,9})\s*:\s*)?(\d{1,9})\s*:\s*(\d{1,9})(?:\s*[,.:;]\s*(\d{1,9}))?$/;

/**
 * Seconds of `HH:MM:SS,mmm` and what authors make of it: without hours, with a point or a colon before the fraction,
 * with blanks, with more than 59 minutes, negative. Digits after the sign are a fraction: `1,5` is one and a half.
 * Null for what is no time.
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

/** Times stand at the start of a line; of a longer one the rest is not looked at. */
const TIMING_LENGTH = 200;

/** The two times of a line `start --> end settings`; null for any other line. The start alone makes a timing line. */
export function timingLine(line: string): { start: number; end: number | null } | null {
  // Most lines of a file are text.
  if (!line.includes('>')) return null;
  const found = timing.exec(line.slice(0, TIMING_LENGTH));
  if (!found) return null;
  const start = clockSeconds(found[1]!);
  return start === null ? null : { start, end: found[2] === undefined ? null : clockSeconds(found[2]) };
}

/** True for a line that was meant as a timing line: its start cannot be read. */
export function isBrokenTiming(line: string): boolean {
  if (!line.includes('-->')) return false;
  const head = line.slice(0, TIMING_LENGTH);
  return /^\s*\S{0,16}\s*-->/.test(head) && /\d/.test(head) && timingLine(line) === null;
}

/** Lines of a text, whichever way they end; a stray `\r\r\n` is one end. */
export function linesOf(text: string): string[] {
  return text.replaceAll('\0', '').split(/\r*\n|\r|\u2028|\u2029/);
}
