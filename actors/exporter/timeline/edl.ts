// A timeline as an EDL in the form of CMX 3600: one line for each edit, times as timecode.
import { basename } from 'node:path';
import { oneLine } from '../rows.ts';
import { editsOf } from './edits.ts';
import { type SourceTimes, sourceTimes } from './edl-times.ts';
import { type Clip, counterText, dropsFrames, type Source, type Timeline } from './model.ts';
import { framesPerSecond } from './rate.ts';
import { reelNames } from './reels.ts';

/** Characters of a name in a comment that old readers take. */
const MOST_NAME = 32;
/** Characters of a title. */
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
      ...clip.markers.map((one) => `* LOC: ${counterText(timecode, one.start)} GREEN   ${one.name}`),
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

function comments({ name }: Clip, { path, timecode }: Source, { own }: SourceTimes): string[] {
  const whole = [...name].length > MOST_NAME ? [`* FULL CLIP NAME: ${name}`] : [];
  const counted =
    own === null ? [] : [`* SOURCE TIMECODE: ${own} AT ${framesPerSecond(timecode.rate)} FRAMES PER SECOND`];
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
