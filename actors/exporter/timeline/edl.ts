// A timeline as an EDL in the form of CMX 3600: one line for each edit, times as timecode. Pure.
import { basename } from 'node:path';
import { oneLine } from '../rows.ts';
import { editsOf } from './edits.ts';
import { type Clip, counterText, dropsFrames, type Source, sourceTimecode, type Timeline } from './model.ts';
import { reelNames } from './reels.ts';

/** Characters of a name in a comment that old readers take. */
const MOST_NAME = 32;

/** Throws FORMAT_UNFIT for what an EDL cannot say. */
export function edl(timeline: Timeline): string {
  const { name, timecode, sources } = timeline;
  const edits = editsOf(timeline);
  const reels = reelNames(sources);
  const lines = edits.flatMap(({ clip, channels }, i) => {
    const source = sources[clip.source]!;
    const times = [
      sourceTimecode(source, clip.in),
      sourceTimecode(source, clip.out),
      counterText(timecode, clip.start),
      counterText(timecode, clip.end),
    ];
    const number = String(i + 1).padStart(3, '0');
    const reel = reels[clip.source]!.padEnd(8);
    return [
      '',
      `${number}  ${reel} ${channels.padEnd(5)} C        ${times.join(' ')}`,
      ...comments(clip, source),
    ];
  });
  const mode = dropsFrames(timecode) ? 'DROP FRAME' : 'NON-DROP FRAME';
  return `${[`TITLE: ${name}`, `FCM: ${mode}`, ...lines].join('\n')}\n`;
}

function comments({ name }: Clip, { path }: Source): string[] {
  const characters = [...name];
  const short = `* FROM CLIP NAME: ${characters.slice(0, MOST_NAME).join('').trimEnd()}`;
  const whole = characters.length > MOST_NAME ? [`* FULL CLIP NAME: ${name}`] : [];
  return [short, ...whole, `* SOURCE FILE: ${oneLine(basename(path))}`];
}
