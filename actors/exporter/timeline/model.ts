// A timeline as every format writes it. All times are whole frames: they were rounded when the items were
// placed, and no writer rounds again.
import type { Rational } from '../../decoder/contract.ts';
import { nominalRate, timecode } from '../../decoder/timecode.ts';
import { mostFramesPerSecond } from './contract.ts';

// Frame rates that editing programs count at, and frames of one rate in another: exact, rounded half up.

/** Nominal rates that have an NTSC form, a thousandth slower: 23.976, 29.97, 59.94. */
const withNtsc: ReadonlySet<number> = new Set([15, 24, 30, 48, 60, 120, 240]);
/** How far a rate may be off one of those and still be it: 23.98 for 23.976. */
const TOLERANCE = 2e-4;

interface Conformed {
  /** A whole number of frames per second, or 1000/1001 of one. */
  readonly rate: Rational;
  /** False where it was taken for want of a better one: the rate of the file is variable or odd. */
  readonly isOwn: boolean;
}

/** The nearest rate that editing programs count at; null for what is no rate of frames at all. */
export function conformedRate({ num, den }: Rational): Conformed | null {
  const fps = num / den;
  if (!(fps >= 0.5 && fps <= mostFramesPerSecond + 0.5)) return null;
  const nominal = Math.max(1, Math.round(fps));
  const rates: Rational[] = [{ num: nominal, den: 1 }];
  if (withNtsc.has(nominal)) rates.push({ num: nominal * 1000, den: 1001 });
  const error = (rate: Rational) => Math.abs(rate.num / rate.den / fps - 1);
  const rate = rates.reduce((best, candidate) => (error(candidate) < error(best) ? candidate : best));
  return { rate, isOwn: error(rate) <= TOLERANCE };
}

/** Standard rate for an odd one: that on whose frames most of its frames begin, as 25 for 12.5. */
export function countingRate({ num, den }: Rational): Conformed | null {
  const supportedRate = conformedRate({ num, den });
  if (!supportedRate || supportedRate.isOwn) return supportedRate;
  const many = Array.from({ length: MOST_TIMES }, (_, i) => conformedRate({ num: num * (i + 1), den }));
  return { rate: many.find((candidate) => candidate?.isOwn)?.rate ?? supportedRate.rate, isOwn: false };
}

/** Rates that people edit at. */
const usual: readonly Rational[] = [24, 25, 30, 48, 50, 60, 100, 120].flatMap((nominal) => [
  { num: nominal, den: 1 },
  ...(withNtsc.has(nominal) ? [{ num: nominal * 1000, den: 1001 }] : []),
]);
/** A film of few frames a second is shown frame by frame where the sequence has so many times its rate. */
const MOST_TIMES = 4;

/** The rate of a sequence for films of this rate: one that people edit at, its own where it is one. */
export function editingRate(film: Rational): Rational {
  const fps = film.num / film.den;
  const error = ({ num, den }: Rational) => {
    const times = Math.min(MOST_TIMES, Math.max(1, Math.round(num / den / fps)));
    // Among rates that fit, the nearest wins.
    return Math.abs(num / den / (times * fps) - 1) + times * 1e-6;
  };
  return usual.reduce((best, rate) => (error(rate) < error(best) ? rate : best));
}

/** Rate from frames per second in the usual notation: 25, 29.97, 23.976. */
export function rateOfNumber(fps: number): Rational {
  return { num: Math.round(fps * 1e6), den: 1_000_000 };
}

export function isNtsc({ den }: Rational): boolean {
  return den === 1001;
}

/** Drop-frame timecode is defined for 29.97 and its multiples. */
export function canDropFrames(rate: Rational): boolean {
  return isNtsc(rate) && nominalRate(rate) % 30 === 0;
}

export function isSameRate(a: Rational, b: Rational): boolean {
  return a.num * b.den === b.num * a.den;
}

/** To a thousandth, as people write it. */
export function framesPerSecond({ num, den }: Rational): number {
  return Math.round((1000 * num) / den) / 1000;
}

const NANO = 1_000_000_000;

/**
 * Seconds as whole nanoseconds: sums of them are exact, and what clients add up a little off comes to the
 * same.
 */
export function nanoseconds(seconds: number): number {
  return Math.round(seconds * NANO);
}

/**
 * Times this far apart are the same: programs write times to a microsecond, rounded down or to the nearest.
 */
const SLACK = 1000;

export function isSameTime(a: number, b: number): boolean {
  return Math.abs(a - b) <= SLACK;
}

/** The frame boundary nearest to a time; half up, also where the half was written a little short. */
export function frameAt(nanos: number, { num, den }: Rational): number {
  return quotient(BigInt(nanos + SLACK) * BigInt(num), BigInt(den) * BigInt(NANO));
}

/**
 * The first frame at or behind a time. Where pictures come at unequal times, an editing program shows at each
 * frame the picture of its time: so frames of a half-open part show nothing of what lies around it.
 */
export function frameFrom(nanos: number, { num, den }: Rational): number {
  const [part, whole] = [BigInt(Math.max(0, nanos - SLACK)) * BigInt(num), BigInt(den) * BigInt(NANO)];
  return Number((part + whole - 1n) / whole);
}

export function secondsOf(frames: number, { num, den }: Rational): number {
  return (frames * den) / num;
}

/** How many frames of `to` last as long as so many of `from`. */
export function framesIn(count: number, from: Rational, to: Rational): number {
  return quotient(BigInt(count) * BigInt(from.den) * BigInt(to.num), BigInt(from.num) * BigInt(to.den));
}

/** How many frames of `to` fit into so many of `from`. */
export function wholeFrames(count: number, from: Rational, to: Rational): number {
  return Number((BigInt(count) * BigInt(from.den) * BigInt(to.num)) / (BigInt(from.num) * BigInt(to.den)));
}

/** Rounded half up; neither is negative. */
function quotient(part: bigint, whole: bigint): number {
  return Number((2n * part + whole) / (2n * whole));
}

/**
 * A timecode that counts: the frame number it begins with, the rate it counts at, and whether it drops
 * numbers.
 */
export interface TimecodeCounter {
  readonly frame: number;
  readonly rate: Rational;
  readonly dropFrame: boolean;
}

export interface SoundFormat {
  /** Channels of all streams together. */
  readonly channels: number;
  readonly streams: number;
  /** One stream of two channels: left and right belong together. */
  readonly isStereo: boolean;
  readonly sampleRate: number;
}

/** A file, however many clips are made of it. */
export interface TimelineSource {
  readonly path: string;
  readonly name: string;
  readonly kind: 'video' | 'audio' | 'image';
  /** At which its frames are counted; that of the sequence for stills and sound. */
  readonly rate: Rational;
  /** Length in frames. A still has that of its longest clip. */
  readonly frames: number;
  readonly timecode: TimecodeCounter;
  /** Displayed size, px; 0 for sound. */
  readonly width: number;
  readonly height: number;
  readonly sound: SoundFormat | null;
}

/** A chapter, as far as a clip shows it. */
export interface Marker {
  /** One line, never empty. */
  readonly name: string;
  /** Half-open, in frames of the sequence from its beginning; at least one. */
  readonly start: number;
  readonly end: number;
}

export interface Clip {
  readonly name: string;
  /** Place in `sources`. */
  readonly source: number;
  /** Half-open, in frames of the sequence from its beginning. */
  readonly start: number;
  readonly end: number;
  /** Half-open, in frames of the source from its beginning. */
  readonly in: number;
  readonly out: number;
  /** In order of time, within the clip. What another clip has at the same time is not repeated. */
  readonly markers: readonly Marker[];
}

/** Clips of one track follow each other: they never overlap. */
export interface TimelineTrack {
  readonly clips: readonly Clip[];
}

export interface SoundTrack extends TimelineTrack {
  /** All clips of a track have as many channels. */
  readonly channels: number;
  readonly isStereo: boolean;
}

export interface Timeline {
  readonly name: string;
  readonly rate: Rational;
  readonly width: number;
  readonly height: number;
  readonly timecode: TimecodeCounter;
  /** The latest end, in frames. */
  readonly duration: number;
  readonly sources: readonly TimelineSource[];
  /** From the lowest to the one that covers the others. */
  readonly video: readonly TimelineTrack[];
  readonly audio: readonly SoundTrack[];
}

/** Markers of all clips, in order of time. */
export function markersOf({ video, audio }: Timeline): Marker[] {
  const tracks: readonly TimelineTrack[] = [...video, ...audio];
  // Picture and sound of one item have the same ones.
  const all = new Set(tracks.flatMap(({ clips }) => clips.flatMap(({ markers }) => markers)));
  return [...all].sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * `01:00:00:00`, with a semicolon before the frames where numbers are dropped. `frame`: counted from the
 * first one.
 */
export function counterText({ frame: first, rate, dropFrame }: TimecodeCounter, frame: number): string {
  const text = timecode(first + frame, { rate, dropFrame });
  return dropsFrames({ rate, dropFrame }) ? text.replace(/:(\d+)$/, ';$1') : text;
}

export function dropsFrames({ rate, dropFrame }: Pick<TimecodeCounter, 'rate' | 'dropFrame'>): boolean {
  return dropFrame && canDropFrames(rate);
}

/**
 * The timecode of a source that starts before its frame `frame`: its timecode may count at another rate than
 * its frames.
 */
export function sourceTimecode({ timecode: counter, rate }: TimelineSource, frame: number): string {
  return counterText(counter, framesIn(frame, rate, counter.rate));
}

/** Frames a timecode counts per second. */
export const timebase = nominalRate;

// The address of a file as editing programs write it. Pure: it knows a path of Windows on any system.

/** `host`: the XMEML of editing programs says `localhost`, other formats leave it out. */
export function pathUrl(given: string, host: '' | 'localhost'): string {
  const path = withoutPrefix(given);
  const isWindows = /^([A-Za-z]:[\\/]|\\\\)/.test(path);
  const parts = (isWindows ? path.replaceAll('\\', '/') : path).split('/').map(encoded);
  // A share: its server is the host.
  if (isWindows && path.startsWith('\\\\')) return `file:${parts.join('/')}`;
  return `file://${host}${isWindows ? '/' : ''}${parts.join('/')}`;
}

/** Windows has a second form of long paths: `\\?\C:\a` is `C:\a`, and `\\?\UNC\nas\a` is `\\nas\a`. */
function withoutPrefix(path: string): string {
  return path.replace(/^\\\\[?.]\\UNC\\/i, '\\\\').replace(/^\\\\[?.]\\(?=[A-Za-z]:)/, '');
}

/** Everything but letters, digits and `-._~`, so that no reader takes it for something of its own. */
function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
