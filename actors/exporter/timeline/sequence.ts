// The frame of a timeline before anything lies on it: its name, rate, size and timecode.

import { basename } from 'node:path';
import type { Probe, Rational } from '../../decoder/contract.ts';
import { frames, nominalRate, saysDropFrame } from '../../decoder/timecode.ts';
import { oneLine } from '../rows.ts';
import { type TimelineBody, timelineErrors } from './contract.ts';
import {
  canDropFrames,
  conformedRate,
  counterText,
  dropsFrames,
  editingRate,
  framesPerSecond,
  isSameRate,
  rateOfNumber,
  type SoundFormat,
  type TimecodeCounter,
  type Timeline,
} from './model.ts';

/** Where neither the request nor a picture says it. */
const USUAL: Rational = { num: 25, den: 1 };
const USUAL_SIZE = { width: 1920, height: 1080 };

type Sequence = Pick<Timeline, 'name' | 'rate' | 'width' | 'height' | 'timecode'>;

/**
 * The rate and the size are those of most clips. `pictures`: the sources of the video items, in their order.
 * Throws SEQUENCE_INVALID naming the field.
 */
export function sequenceOf(request: TimelineBody, pictures: readonly SourceFacts[]): Sequence {
  const name = oneLine(request.sequence_name);
  if (name === '') throw refused('sequence_name', 'has no printable characters');
  const films = pictures.filter(({ rate }) => rate !== null && conformedRate(rate) !== null);
  const film = mostFrequent(films, (source) => framesPerSecond(editingRate(source.rate!)));
  const rate = request.fps === undefined ? (rateOf(film) ?? USUAL) : rateAsked(request.fps);
  const sized = pictures.filter(({ width }) => width > 0);
  // Before the rotation of stills: a film says best what the sequence looks like.
  const shown = sized.filter(({ kind }) => kind === 'video');
  const size = mostFrequent(shown.length > 0 ? shown : sized, sizeText) ?? USUAL_SIZE;
  const { width = even(size.width), height = even(size.height) } = request;
  return { name, rate, width, height, timecode: counterAsked(request.start_timecode, rate, film) };
}

const sizeText = ({ width, height }: SourceFacts) => `${even(width)}×${even(height)}`;

/** The first source of the most frequent key; of equally frequent keys the first one. */
function mostFrequent(
  pictures: readonly SourceFacts[],
  keyOf: (source: SourceFacts) => string | number,
): SourceFacts | undefined {
  const groups = [...Map.groupBy(pictures, keyOf).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0];
}

function rateAsked(fps: number): Rational {
  const supportedRate = conformedRate(rateOfNumber(fps));
  if (supportedRate?.isOwn) return supportedRate.rate;
  const near = supportedRate && `; the nearest is ${framesPerSecond(supportedRate.rate)}`;
  throw refused('fps', `must be a frame rate that editing programs support, not ${fps}${near ?? ''}`);
}

function rateOf(film: SourceFacts | undefined): Rational | null {
  return film?.rate ? editingRate(film.rate) : null;
}

/** Codecs want even sides, and a sequence is rendered by one. */
function even(side: number): number {
  return Math.max(2, 2 * Math.round(side / 2));
}

/** A sequence drops frame numbers where `film` does, unless its first timecode is told. */
function counterAsked(
  text: string | undefined,
  rate: Rational,
  film: SourceFacts | undefined,
): Timeline['timecode'] {
  if (text === undefined) {
    const counter = film?.timecode ?? null;
    const dropFrame = counter !== null && dropsFrames(counter) && isSameRate(counter.rate, rate);
    return { frame: 0, rate, dropFrame };
  }
  const dropFrame = saysDropFrame(text);
  if (dropFrame && !canDropFrames(rate)) {
    throw refused(
      'start_timecode',
      `drop-frame timecode is not possible at ${framesPerSecond(rate)} frames per second`,
    );
  }
  const counter = { frame: frames(text, { rate, dropFrame }) ?? 0, rate, dropFrame };
  // Other text, hours after the day, and numbers that are dropped come out as another timecode.
  if (counterText(counter, 0) !== text) {
    const what = dropFrame
      ? 'with a frame number that is not dropped'
      : `at ${nominalRate(rate)} frames per second`;
    throw refused('start_timecode', `must be HH:MM:SS:FF ${what}, not ${oneLine(text)}`);
  }
  return counter;
}

function refused(field: string, what: string) {
  return timelineErrors.SEQUENCE_INVALID(`${field} ${what}`, { field });
}

// Facts about a source that a timeline needs, derived from its probe.

export interface SourceFacts {
  readonly path: string;
  readonly name: string;
  readonly kind: 'video' | 'audio' | 'image';
  /** 0 for stills, and for sound that does not say. */
  readonly seconds: number;
  /** Rate that the file states; null if it states none, and for stills and sound. */
  readonly rate: Rational | null;
  /** Pictures come at unequal times; the rate is that of most of them, or an average. */
  readonly varies: boolean;
  readonly width: number;
  readonly height: number;
  /** Null when the file has none. */
  readonly timecode: TimecodeCounter | null;
  readonly sound: SoundFormat | null;
}

export function sourceFacts(path: string, probe: Probe): SourceFacts {
  const { kind, duration_seconds, width, height, video } = probe;
  const rate = kind === 'video' && video !== null && video.frame_rate.num > 0 ? video.frame_rate : null;
  return {
    path,
    name: oneLine(basename(path)) || 'media',
    kind,
    seconds: kind === 'image' ? 0 : duration_seconds,
    rate,
    varies: video?.rate_varies ?? false,
    width,
    height,
    timecode: kind === 'video' ? counterOf(probe) : null,
    sound: soundOf(probe),
  };
}

function counterOf({ timecode: { text, drop_frame: dropFrame, rate } }: Probe): TimecodeCounter | null {
  const counted = conformedRate(rate);
  const frame = counted && frames(text, { rate: counted.rate, dropFrame });
  // A file without one counts as its frames do, and those of an odd rate count at another one.
  if (frame === null || (frame === 0 && !counted!.isOwn)) return null;
  return { frame, rate: counted!.rate, dropFrame };
}

function soundOf({ audio }: Probe): SoundFormat | null {
  const [first] = audio;
  if (!first) return null;
  const channels = audio.reduce((sum, { channels: of }) => sum + Math.max(1, of), 0);
  const isStereo = audio.length === 1 && first.channels === 2;
  return { channels, streams: audio.length, isStereo, sampleRate: first.sample_rate };
}
