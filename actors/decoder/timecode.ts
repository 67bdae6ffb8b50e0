// SMPTE timecode: converts between frame numbers and hours, minutes, seconds and frames. Drop-frame timecode
// (SMPTE ST 12-1) skips the first 2 (at 29.97) or 4 (at 59.94) frame numbers of every minute except each
// tenth, so that it stays in step with real time.
import type { Rational } from './contract.ts';

/** The rate at which a timecode counts, and whether it drops frame numbers. */
export interface Counting {
  readonly rate: Rational;
  readonly dropFrame: boolean;
}

/** Frames a timecode counts per second: 24 for 23.976, 30 for 29.97 and 179/6. */
export function nominalRate({ num, den }: Rational): number {
  return Math.max(1, Math.round(num / den));
}

/** Frame numbers dropped per minute; 0 without drop-frame, or where it is not defined for the rate. */
function droppedPerMinute({ rate, dropFrame }: Counting): number {
  const nominal = nominalRate(rate);
  return dropFrame && nominal % 30 === 0 ? nominal / 15 : 0;
}

/** Frames in 24 hours, after which a timecode wraps around. */
export function framesPerDay(counting: Counting): number {
  return 24 * 6 * framesPerTenMinutes(counting);
}

function framesPerTenMinutes(counting: Counting): number {
  return nominalRate(counting.rate) * 600 - 9 * droppedPerMinute(counting);
}

/** `HH:MM:SS:FF` of a frame number; it wraps around after a day. */
export function timecode(frame: number, counting: Counting): string {
  const nominal = nominalRate(counting.rate);
  const dropped = droppedPerMinute(counting);
  const day = framesPerDay(counting);
  const inDay = ((frame % day) + day) % day;
  const tens = Math.floor(inDay / framesPerTenMinutes(counting));
  const remainder = inDay % framesPerTenMinutes(counting);
  // The first of ten minutes has all its numbers; the nine after it are shorter.
  const minutes =
    remainder < nominal * 60 ? 0 : 1 + Math.floor((remainder - nominal * 60) / (nominal * 60 - dropped));
  const number = inDay + dropped * (9 * tens + minutes);
  const pad = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(number / nominal);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60, number % nominal];
  return parts.map(pad).join(':');
}

/**
 * The frame number of a timecode; null for other text. Any of `:`, `;`, `.` and `,` may separate the frames.
 */
export function frames(text: string, counting: Counting): number | null {
  const match = /^(\d{1,2}):(\d{2}):(\d{2})[:;.,](\d{2,3})$/.exec(text.trim());
  if (!match) return null;
  const [hours, minutes, seconds, frame] = match.slice(1).map(Number) as [number, number, number, number];
  const nominal = nominalRate(counting.rate);
  if (minutes > 59 || seconds > 59 || frame >= nominal) return null;
  const total = hours * 60 + minutes;
  const droppedNumbers = droppedPerMinute(counting) * (total - Math.floor(total / 10));
  return (total * 60 + seconds) * nominal + frame - droppedNumbers;
}

/** True when the frames are separated by a semicolon, full stop or comma, which means drop-frame. */
export function saysDropFrame(text: string): boolean {
  return /[;.,]\d+\s*$/.test(text);
}
