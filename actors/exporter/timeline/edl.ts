// A timeline as an EDL in the form of CMX 3600: one line for each edit, times as timecode.
import { basename } from 'node:path';
import { framesPerDay, nominalRate, timecode } from '../../decoder/timecode.ts';
import { oneLine } from '../rows.ts';
import { timelineErrors } from './contract.ts';
import {
  type Clip,
  counterText,
  dropsFrames,
  framesIn,
  framesPerSecond,
  isSameRate,
  sourceTimecode,
  type Timeline,
  type TimelineSource,
} from './model.ts';

// A timeline as an EDL: edits one after the other, within the limits of the format.

/** Edits have three digits; sound has two channels that every reader knows. */
const MOST_EDITS = 999;
const MOST_CHANNELS = 2;
/** Frame numbers have two digits. */
const MOST_FRAMES = 100;

export interface EdlEdit {
  readonly clip: Clip;
  readonly channels: string;
}

/**
 * In order of time, pictures before the sound that begins with them. Throws FORMAT_UNFIT for what an EDL
 * cannot say.
 */
export function editsOf(timeline: Timeline): EdlEdit[] {
  const { video, audio } = timeline;
  expectDay(timeline);
  if (nominalRate(timeline.rate) > MOST_FRAMES)
    throw unfit(`supports at most ${MOST_FRAMES} frames per second, and this timeline has more; set fps`);
  if (video.length > 1) throw unfit('supports one video track, but these clips overlap');
  const pictures = (video[0]?.clips ?? []).map((clip) => ({ clip, channels: 'V' }));
  const edits = [...pictures, ...soundEdits(audio)];
  if (edits.length > MOST_EDITS)
    throw unfit(`supports at most ${MOST_EDITS} edits, but these are ${edits.length}`);
  return edits.toSorted((a, b) => a.clip.start - b.clip.start);
}

/**
 * Each clip on channels that are free while it plays: mono on the first one, or on the second beside another
 * mono clip, and two channels on both. So mono and stereo that follow each other share the two channels.
 */
function soundEdits(tracks: Timeline['audio']): EdlEdit[] {
  const clips = tracks.flatMap((track) => track.clips.map((clip) => ({ clip, count: track.channels })));
  const playing: { readonly end: number; readonly channels: readonly number[] }[] = [];
  return clips
    .toSorted((a, b) => a.clip.start - b.clip.start)
    .map(({ clip, count }) => {
      const busyChannels = playing.flatMap(({ end, channels }) => (end > clip.start ? channels : []));
      if (busyChannels.length + count > MOST_CHANNELS)
        throw unfit(
          `supports ${MOST_CHANNELS} audio channels, but these clips need ${busyChannels.length + count}`,
        );
      const channels = [1, 2].filter((channel) => !busyChannels.includes(channel)).slice(0, count);
      playing.push({ end: clip.end, channels });
      return { clip, channels: count === MOST_CHANNELS ? 'AA' : channels[0] === 1 ? 'A' : 'A2' };
    });
}

/** A timecode comes round after a day: even the end of the day would be taken for its beginning. */
function expectDay({ timecode: { frame, ...counting }, duration }: Timeline): void {
  if (frame + duration >= framesPerDay(counting)) throw unfit('does not support times after 24 hours');
}

function unfit(what: string) {
  return timelineErrors.FORMAT_UNFIT(`format: edl ${what}; xmeml, fcpxml and otio have no such limit`, {
    field: 'format',
  });
}

/** Characters of a name in a comment that old readers take. */
const MOST_NAME = 32;
const MOST_TITLE = 70;

/** Throws FORMAT_UNFIT for what an EDL cannot say. */
export function edl(timeline: Timeline): string {
  const { name, timecode, sources } = timeline;
  const edits = editsOf(timeline);
  const reels = reelNames(sources);
  const lines = edits.flatMap(({ clip, channels }, i) => {
    const source = sources[clip.source]!;
    const times = sourceTimes(clip, source, timeline);
    const { first, last } = times;
    const placed = `${first} ${last} ${counterText(timecode, clip.start)} ${counterText(timecode, clip.end)}`;
    const number = String(i + 1).padStart(3, '0');
    const reel = reels[clip.source]!.padEnd(8);
    return [
      '',
      `${number}  ${reel} ${channels.padEnd(5)} C        ${placed}`,
      ...motion(reel, times),
      ...comments(clip, source, times),
      ...clip.markers.map((marker) => `* LOC: ${counterText(timecode, marker.start)} GREEN   ${marker.name}`),
    ];
  });
  const mode = dropsFrames(timecode) ? 'DROP FRAME' : 'NON-DROP FRAME';
  return `${[`TITLE: ${beginning(name, MOST_TITLE)}`, `FCM: ${mode}`, ...lines].join('\n')}\n`;
}

/** A source of another speed is slowed or hastened, or it would not last as long as its edit. */
function motion(reel: string, { speed, first }: SourceTimes): string[] {
  if (speed === null) return [];
  return [`M2   ${reel}      ${speed.toFixed(3).padStart(7, '0').padEnd(22)} ${first}`];
}

function comments(
  { name }: Clip,
  { path, timecode }: TimelineSource,
  { startTimecode }: SourceTimes,
): string[] {
  const whole = [...name].length > MOST_NAME ? [`* FULL CLIP NAME: ${name}`] : [];
  const counted =
    startTimecode === null
      ? []
      : [`* SOURCE TIMECODE: ${startTimecode} AT ${framesPerSecond(timecode.rate)} FRAMES PER SECOND`];
  return [
    `* FROM CLIP NAME: ${beginning(name, MOST_NAME)}`,
    ...whole,
    `* SOURCE FILE: ${oneLine(basename(path))}`,
    ...counted,
  ];
}

function beginning(text: string, most: number): string {
  return [...text].slice(0, most).join('').trimEnd();
}

// Reel names of an EDL: eight capital letters and digits, another one for each file.

const LENGTH = 8;
/** Names with another meaning in EDLs than a reel. */
const reservedNames: readonly string[] = ['', 'AX', 'BL', 'NONE'];

/**
 * Reel names by index of the source: the first letters of the file name, with a number if that name is taken.
 */
export function reelNames(sources: readonly Pick<TimelineSource, 'name'>[]): string[] {
  const used = new Set(reservedNames);
  // Where the search for a free number went on to, so that many files of one name take no longer.
  const next = new Map<string, number>();
  return sources.map(({ name }) => {
    const stem = name
      .replace(/\.[^.]*$/, '')
      .normalize('NFKD')
      .toUpperCase()
      .replace(/[^A-Z0-9]/g, '');
    const plain = stem.slice(0, LENGTH);
    let reel = plain;
    let number = next.get(plain) ?? (plain === '' ? 1 : 2);
    for (; used.has(reel); number++) {
      const digits = String(number);
      reel = (plain || 'REEL').slice(0, LENGTH - digits.length) + digits;
    }
    next.set(plain, number);
    used.add(reel);
    return reel;
  });
}

// Times of a source in an EDL, which has one count for everything: its readers take every timecode for one of
// the sequence.

interface SourceTimes {
  readonly first: string;
  readonly last: string;
  /** The first one as the source counts it, where that is another count. */
  readonly startTimecode: string | null;
  /**
   * Frames per second of a source that has as many numbers a second as the sequence, and is slower or faster.
   */
  readonly speed: number | null;
}

function sourceTimes(clip: Clip, source: TimelineSource, { rate }: Timeline): SourceTimes {
  const { timecode: counter } = source;
  const length = clip.end - clip.start;
  if (nominalRate(counter.rate) !== nominalRate(rate)) return converted(clip, source, rate);
  const first = sourceTimecode(source, clip.in);
  if (!isSameRate(counter.rate, rate)) {
    const speed = framesPerSecond(counter.rate);
    return { first, last: sourceTimecode(source, clip.out), startTimecode: null, speed };
  }
  const from = framesIn(clip.in, source.rate, counter.rate);
  return { first, last: counterText(counter, from + length), startTimecode: null, speed: null };
}

/**
 * The same hours, minutes and seconds, so that a reader finds the place in a file that it knows the timecode
 * of.
 */
function converted(clip: Clip, source: TimelineSource, rate: Timeline['rate']): SourceTimes {
  const startTimecode = sourceTimecode(source, clip.in);
  const [hours, minutes, seconds, frame] = startTimecode.split(/[:;]/).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const count = nominalRate(rate);
  const second = (hours * 60 + minutes) * 60 + seconds;
  const number = second * count + Math.round((frame * count) / nominalRate(source.timecode.rate));
  const text = (at: number) => timecode(at, { rate: { num: count, den: 1 }, dropFrame: false });
  return { first: text(number), last: text(number + clip.end - clip.start), startTimecode, speed: null };
}
