// A timeline as every format writes it. All times are whole frames: they were rounded when the items were
// placed, and no writer rounds again.
import type { Rational } from '../../decoder/contract.ts';
import { nominalRate, timecode } from '../../decoder/timecode.ts';
import { canDropFrames, framesIn } from './rate.ts';

/**
 * A timecode that counts: the frame number it begins with, the rate it counts at, and whether it drops
 * numbers.
 */
export interface Counter {
  readonly frame: number;
  readonly rate: Rational;
  readonly dropFrame: boolean;
}

export interface Sound {
  /** Of all streams together. */
  readonly channels: number;
  readonly streams: number;
  /** One stream of two channels: left and right belong together. */
  readonly isStereo: boolean;
  readonly sampleRate: number;
}

/** A file, however many clips are made of it. */
export interface Source {
  readonly path: string;
  readonly name: string;
  readonly kind: 'video' | 'audio' | 'image';
  /** At which its frames are counted; that of the sequence for stills and sound. */
  readonly rate: Rational;
  /** Of a still: as many as its longest clip shows. */
  readonly frames: number;
  readonly timecode: Counter;
  /** As shown, in px; 0 for sound. */
  readonly width: number;
  readonly height: number;
  readonly sound: Sound | null;
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
export interface Track {
  readonly clips: readonly Clip[];
}

export interface SoundTrack extends Track {
  /** All clips of a track have as many channels. */
  readonly channels: number;
  readonly isStereo: boolean;
}

export interface Timeline {
  readonly name: string;
  readonly rate: Rational;
  readonly width: number;
  readonly height: number;
  readonly timecode: Counter;
  /** The latest end, in frames. */
  readonly duration: number;
  readonly sources: readonly Source[];
  /** From the lowest to the one that covers the others. */
  readonly video: readonly Track[];
  readonly audio: readonly SoundTrack[];
}

/** Those of all clips, in order of time. */
export function markersOf({ video, audio }: Timeline): Marker[] {
  const tracks: readonly Track[] = [...video, ...audio];
  // Picture and sound of one item have the same ones.
  const all = new Set(tracks.flatMap(({ clips }) => clips.flatMap(({ markers }) => markers)));
  return [...all].sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * `01:00:00:00`, with a semicolon before the frames where numbers are dropped. `frame`: counted from the
 * first one.
 */
export function counterText({ frame: first, rate, dropFrame }: Counter, frame: number): string {
  const text = timecode(first + frame, { rate, dropFrame });
  return dropsFrames({ rate, dropFrame }) ? text.replace(/:(\d+)$/, ';$1') : text;
}

export function dropsFrames({ rate, dropFrame }: Pick<Counter, 'rate' | 'dropFrame'>): boolean {
  return dropFrame && canDropFrames(rate);
}

/**
 * The timecode of a source that starts before its frame `frame`: its timecode may count at another rate than
 * its frames.
 */
export function sourceTimecode({ timecode: counter, rate }: Source, frame: number): string {
  return counterText(counter, framesIn(frame, rate, counter.rate));
}

/** Frames a timecode counts per second. */
export const timebase = nominalRate;
