// A timeline as FCPXML 1.8, for Final Cut Pro and DaVinci Resolve: the lowest track of pictures is the
// storyline, everything else hangs on what lies there. Times are exact fractions of a second.
import type { Rational } from '../../decoder/contract.ts';
import { type Element, element, xmlDocument } from '../xml.ts';
import {
  type Clip,
  dropsFrames,
  framesPerSecond,
  isSameRate,
  type Marker,
  pathUrl,
  type Timeline,
  type TimelineSource,
} from './model.ts';

export function fcpxml(timeline: Timeline): string {
  const { name, rate, width, height, timecode, duration } = timeline;
  const formats = new Formats();
  const format = formats.of({ rate, width, height });
  const assets = timeline.sources.map((source, i) => asset(source, i, formats));
  const sequence = element(
    'sequence',
    {
      format,
      duration: shownSeconds(secondsOf(duration, rate)),
      tcStart: shownSeconds(secondsOf(timecode.frame, rate)),
      tcFormat: dropsFrames(timecode) ? 'DF' : 'NDF',
      audioLayout: 'stereo',
      audioRate: '48k',
    },
    element('spine', {}, ...storyline(timeline, formats)),
  );
  return xmlDocument(
    element(
      'fcpxml',
      { version: '1.8' },
      element('resources', {}, ...formats.elements, ...assets),
      element('library', {}, element('event', { name }, element('project', { name }, sequence))),
    ),
  );
}

type Shape = Pick<Timeline, 'rate' | 'width' | 'height'>;

class Formats {
  readonly elements: Element[] = [];
  readonly #ids = new Map<string, string>();

  of({ rate, width, height }: Shape): string {
    const frameDuration = shownSeconds(secondsOf(1, rate));
    return this.#id(`${frameDuration} ${width} ${height}`, { frameDuration, width, height });
  }

  /** Format of a still, which has no rate. */
  ofStill({ width, height }: TimelineSource): string {
    return this.#id(`still ${width} ${height}`, { name: 'FFVideoFormatRateUndefined', width, height });
  }

  #id(key: string, attributes: Readonly<Record<string, string | number>>): string {
    const existingId = this.#ids.get(key);
    if (existingId !== undefined) return existingId;
    const id = `r${this.elements.length + 1}`;
    this.elements.push(element('format', { id, ...attributes }));
    this.#ids.set(key, id);
    return id;
  }
}

const assetId = (source: number) => `a${source + 1}`;

/** A source begins at its timecode. */
function startOf({ timecode: { frame, rate } }: TimelineSource): Seconds {
  return secondsOf(frame, rate);
}

function asset(source: TimelineSource, number: number, formats: Formats): Element {
  const { name, path, kind, frames, rate, sound } = source;
  const format =
    kind === 'audio' ? undefined : kind === 'image' ? formats.ofStill(source) : formats.of(source);
  return element('asset', {
    id: assetId(number),
    name,
    src: pathUrl(path, ''),
    start: shownSeconds(startOf(source)),
    duration: kind === 'image' ? '0s' : shownSeconds(secondsOf(frames, rate)),
    hasVideo: kind === 'audio' ? undefined : 1,
    format,
    hasAudio: sound ? 1 : undefined,
    audioSources: sound?.streams,
    audioChannels: sound?.channels,
    audioRate: sound?.sampleRate,
  });
}

interface Hanging {
  readonly clip: Clip;
  /** Above the storyline from 1, below it from −1. */
  readonly lane: number;
}

/** Gaps and clips that follow each other, with what begins while they last. */
function storyline(timeline: Timeline, formats: Formats): Element[] {
  const { video, audio, duration, sources } = timeline;
  const hanging = [
    ...video.slice(1).flatMap(({ clips }, i) => clips.map((clip) => ({ clip, lane: i + 1 }))),
    ...audio.flatMap(({ clips }, i) => clips.map((clip) => ({ clip, lane: -1 - i }))),
  ].toSorted((a, b) => a.clip.start - b.clip.start);
  const story: Element[] = [];
  let [at, next] = [0, 0];
  const until = (end: number): Hanging[] => {
    const first = next;
    while (next < hanging.length && hanging[next]!.clip.start < end) next++;
    return hanging.slice(first, next);
  };
  const add = (end: number, clip: Clip | null) => {
    const parentStart = clip ? clipStart(clip, sources[clip.source]!) : secondsOf(0, timeline.rate);
    const hung = until(end).map(({ clip: connectedClip, lane }) => {
      const offset = sum(parentStart, secondsOf(connectedClip.start - at, timeline.rate));
      return clipElement(timeline, formats, connectedClip, { lane, offset, isSound: lane < 0 }, []);
    });
    const offset = sum(secondsOf(timeline.timecode.frame, timeline.rate), secondsOf(at, timeline.rate));
    if (clip) story.push(clipElement(timeline, formats, clip, { offset, isSound: false }, hung));
    else if (end > at) story.push(gap(offset, end - at, timeline.rate, hung));
    at = end;
  };
  for (const clip of video[0]?.clips ?? []) {
    add(clip.start, null);
    add(clip.end, clip);
  }
  add(duration, null);
  return story;
}

function gap(offset: Seconds, frames: number, rate: Rational, hung: readonly Element[]): Element {
  const duration = shownSeconds(secondsOf(frames, rate));
  return element('gap', { name: 'Gap', offset: shownSeconds(offset), start: '0s', duration }, ...hung);
}

/** In the time of its source. */
function clipStart({ in: from }: Clip, source: TimelineSource): Seconds {
  return sum(startOf(source), secondsOf(from, source.rate));
}

interface Place {
  readonly offset: Seconds;
  readonly lane?: number;
  readonly isSound: boolean;
}

function clipElement(
  timeline: Timeline,
  formats: Formats,
  clip: Clip,
  { offset, lane, isSound }: Place,
  hung: readonly Element[],
): Element {
  const source = timeline.sources[clip.source]!;
  const common = {
    ref: assetId(clip.source),
    lane,
    offset: shownSeconds(offset),
    name: clip.name,
    start: shownSeconds(clipStart(clip, source)),
    duration: shownSeconds(secondsOf(clip.end - clip.start, timeline.rate)),
  };
  const markers = clip.markers.map((marker) => chapterMarker(marker, clip, source, timeline.rate));
  if (source.kind === 'image') return element('video', common, ...hung, ...markers);
  const isOther = source.kind === 'video' && !isSameRate(source.rate, timeline.rate);
  const conform = element('conform-rate', {
    scaleEnabled: 0,
    srcFrameRate: shownRate(source.rate),
  });
  return element(
    'asset-clip',
    {
      ...common,
      format: isSound || source.kind === 'audio' ? undefined : formats.of(source),
      tcFormat: dropsFrames(source.timecode) ? 'DF' : 'NDF',
      srcEnable: isSound ? 'audio' : 'video',
    },
    ...(isOther ? [conform] : []),
    ...hung,
    ...markers,
  );
}

/** A moment, in the time of the source of its clip: chapters of Final Cut Pro have no length. */
function chapterMarker({ name, start }: Marker, clip: Clip, source: TimelineSource, rate: Rational): Element {
  const at = sum(clipStart(clip, source), secondsOf(start - clip.start, rate));
  const duration = shownSeconds(secondsOf(1, rate));
  return element('chapter-marker', { start: shownSeconds(at), duration, value: name });
}

/** Rates that version 1.8 has a word for; of others it is left out. */
const rateWords: ReadonlySet<string> = new Set('23.98 24 25 29.97 30 47.95 48 50 59.94 60'.split(' '));

function shownRate(rate: Rational): string | undefined {
  const word = String(Math.round(framesPerSecond(rate) * 100) / 100);
  return rateWords.has(word) ? word : undefined;
}

// Exact seconds as fractions, as FCPXML writes them.

interface Seconds {
  readonly num: bigint;
  readonly den: bigint;
}

export function secondsOf(frames: number, { num, den }: Rational): Seconds {
  return lowest(BigInt(frames) * BigInt(den), BigInt(num));
}

export function sum(a: Seconds, b: Seconds): Seconds {
  return lowest(a.num * b.den + b.num * a.den, a.den * b.den);
}

/** `1001/30000s`, `2s`. */
export function shownSeconds({ num, den }: Seconds): string {
  return den === 1n ? `${num}s` : `${num}/${den}s`;
}

function lowest(num: bigint, den: bigint): Seconds {
  let [a, b] = [num, den];
  while (b > 0n) [a, b] = [b, a % b];
  return { num: num / a, den: den / a };
}
