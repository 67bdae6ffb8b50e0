// Cues that say again what was said: captions that roll up repeat the line above, scripts that move a sign over the picture
// have a cue for every frame of it. Pure.
import type { Cue } from './cue.ts';

/** Seconds between cues that follow each other without a pause. */
const TOUCH = 0.05;
/** A cue shorter than this is a frame of something that moves, not a thing to be read. */
const FRAME = 0.25;

/** A picture has no room for more. */
const MOST_LINES = 8;

export type Timed = Cue & { readonly end: number };

/** In order of start. The same words at the same time once; what rolls up once; what moves as one cue. */
export function withoutRepeats(cues: readonly Timed[]): Timed[] {
  return unrolled(unmoved(cues));
}

function unmoved(cues: readonly Timed[]): Timed[] {
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

/** Only where it is how the whole file is made: two people may well say the same after each other. */
function unrolled(cues: readonly Timed[]): Timed[] {
  const repeated = cues.map((cue, i) => (i === 0 ? 0 : sharedLines(cues[i - 1]!, cue)));
  // Only cues that say something new below the old show it; a line that stands alone twice was said twice.
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

/** How many of the last lines of the one the other begins with, when it follows at once. */
function sharedLines(before: Timed, after: Timed): number {
  if (Math.abs(after.start - before.end) > TOUCH && after.start > before.end) return 0;
  const said = before.text.split('\n');
  const now = after.text.split('\n');
  for (let count = Math.min(said.length, now.length, MOST_LINES); count > 0; count--) {
    if (said.slice(-count).every((line, i) => line === now[i])) return count;
  }
  return 0;
}
