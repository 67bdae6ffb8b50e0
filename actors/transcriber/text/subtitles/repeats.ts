// Removes repeated cues: roll-up captions repeat the line above, and typesetting scripts have a cue for every frame of a
// moving text.
import type { Cue } from './cue.ts';

/** Seconds between cues that follow each other without a pause. */
const TOUCH = 0.05;
/** A shorter cue is a frame of a moving text. */
const FRAME = 0.25;

/** Lines that are compared, at most. */
const MOST_LINES = 8;

export type Timed = Cue & { readonly end: number };

/** In order of start. Equal cues at the same time are one, so are the frames of a moving text; repeated lines are dropped. */
export function withoutRepeats(cues: readonly Timed[]): Timed[] {
  return withoutRollUp(joinFrames(cues));
}

function joinFrames(cues: readonly Timed[]): Timed[] {
  const kept: Timed[] = [];
  /** Place in `kept` of the last cue with these words. */
  const last = new Map<string, number>();
  for (const cue of cues) {
    const key = `${cue.speaker ?? ''}\n${cue.text}`;
    const at = last.get(key);
    const before = at === undefined ? undefined : kept[at];
    const isSame = before && before.start === cue.start && before.end === cue.end;
    const isFrame = before && cue.start <= before.end + TOUCH && cue.end - cue.start <= FRAME;
    if (isSame || isFrame) kept[at!] = { ...before, end: Math.max(before.end, cue.end) };
    else {
      last.set(key, kept.length);
      kept.push(cue);
    }
  }
  return kept;
}

/** Only where roll-up is the style of the whole file: two people may well say the same one after the other. */
function withoutRollUp(cues: readonly Timed[]): Timed[] {
  const repeated = cues.map((cue, i) => (i === 0 ? 0 : sharedLines(cues[i - 1]!, cue)));
  // Roll-up cues add a new line below the repeated ones; a line that is repeated alone was said twice.
  const rolling = cues.filter(({ text }, i) => repeated[i]! > 0 && text.split('\n').length > repeated[i]!);
  if (rolling.length < 2 || rolling.length < 0.25 * cues.length) return [...cues];
  const kept: Timed[] = [];
  cues.forEach((cue, i) => {
    const lines = cue.text.split('\n').slice(repeated[i]);
    if (lines.length > 0) kept.push({ ...cue, text: lines.join('\n') });
    else kept.push({ ...kept.pop()!, end: cue.end });
  });
  return kept;
}

/** How many of the last lines of one cue the next one begins with, when it follows at once. */
function sharedLines(before: Timed, after: Timed): number {
  if (Math.abs(after.start - before.end) > TOUCH && after.start > before.end) return 0;
  const said = before.text.split('\n');
  const now = after.text.split('\n');
  for (let count = Math.min(said.length, now.length, MOST_LINES); count > 0; count--) {
    if (said.slice(-count).every((line, i) => line === now[i])) return count;
  }
  return 0;
}
