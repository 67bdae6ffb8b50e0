// What an EDL can say of a timeline: edits one after the other, and the limits of the form.
import { framesPerDay, nominalRate } from '../../decoder/timecode.ts';
import { timelineErrors } from './contract.ts';
import type { Clip, Timeline } from './model.ts';

/** Edits have three digits; sound has two channels that every reader knows. */
const MOST_EDITS = 999;
const MOST_CHANNELS = 2;
/** Frame numbers have two digits. */
const MOST_FRAMES = 100;

export interface Edit {
  readonly clip: Clip;
  readonly channels: string;
}

/**
 * In order of time, pictures before the sound that begins with them. Throws FORMAT_UNFIT for what an EDL
 * cannot say.
 */
export function editsOf(timeline: Timeline): Edit[] {
  const { video, audio } = timeline;
  expectDay(timeline);
  if (nominalRate(timeline.rate) > MOST_FRAMES)
    throw unfit(`supports at most ${MOST_FRAMES} frames per second, and this timeline has more; set fps`);
  if (video.length > 1) throw unfit('supports one video track, but these clips overlap');
  const most = audio.reduce((sum, { channels }) => sum + channels, 0);
  if (most > MOST_CHANNELS)
    throw unfit(`supports ${MOST_CHANNELS} audio channels, but these clips need ${most}`);
  let before = 0;
  const sound = audio.flatMap(({ clips, channels }) => {
    const name = channels === MOST_CHANNELS ? 'AA' : before === 0 ? 'A' : 'A2';
    before += channels;
    return clips.map((clip) => ({ clip, channels: name }));
  });
  const edits = [...(video[0]?.clips ?? []).map((clip) => ({ clip, channels: 'V' })), ...sound];
  if (edits.length > MOST_EDITS)
    throw unfit(`supports at most ${MOST_EDITS} edits, but these are ${edits.length}`);
  return edits.toSorted((a, b) => a.clip.start - b.clip.start);
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
