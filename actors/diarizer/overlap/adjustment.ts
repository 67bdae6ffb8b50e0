// What is known of a recording once it is known who speaks when, put into the probabilities of overlap. Some
// voices, hoarse or filtered ones, sound a little like two throughout: a speaker's usual value is taken out.
// And two speak at once mostly where one takes over from another without a pause: elsewhere more is asked
// for.
import { soundRate } from '../../decoder/contract.ts';
import type { LabelledTurn } from '../turns.ts';
import { overlapHop, overlapLead } from './spans.ts';

/**
 * Log odds that are usual in the turns of one voice; of a speaker whose median is higher, this part of the
 * rest is taken out.
 */
const usual = -4;
const part = 0.7;
/** Seconds around a border that are near it, and of silence that are a pause between two speakers. */
const near = 2;
const pause = 0.1;
/** Overlap far from a border is taken to be ten times rarer. */
const rarer = Math.log(10);

/** Log odds of each value of a probability, 0 to 255. */
const logOdds = Float64Array.from({ length: 256 }, (_, value) => {
  const share = Math.min(254.5, Math.max(0.5, value)) / 255;
  return Math.log(share / (1 - share));
});

/**
 * `probabilities`: 0 to 255 for every 20 ms from sample `start` on; `turns`: of this channel, ascending and
 * apart. The median holds as long as a speaker is alone in more than half of his turns.
 */
export function adjustedProbabilities(
  probabilities: Uint8Array,
  start: number,
  turns: readonly LabelledTurn[],
): Uint8Array {
  const place = (seconds: number) => {
    const at = Math.round((seconds * soundRate - start - overlapLead) / overlapHop);
    return Math.max(0, Math.min(probabilities.length, at));
  };
  const counts = new Map<number, Uint32Array>();
  for (const turn of turns) {
    const values = counts.get(turn.label) ?? new Uint32Array(256);
    counts.set(turn.label, values);
    for (let at = place(turn.start); at < place(turn.end); at++) values[probabilities[at]!]! += 1;
  }
  const offsets = [...counts].map(
    ([label, values]) => [label, part * Math.max(0, logOdds[medianOf(values)]! - usual)] as const,
  );
  const tables = new Map(
    offsets.map(([label, offset]) => [label, { here: lowered(offset), far: lowered(offset + rarer) }]),
  );
  const found = probabilities.slice();
  for (const [index, turn] of turns.entries()) {
    const { here, far } = tables.get(turn.label)!;
    const first = isBorder(turns[index - 1], turn) ? place(turn.start + near) : 0;
    const last = isBorder(turn, turns[index + 1]) ? place(turn.end - near) : probabilities.length;
    for (let at = place(turn.start); at < place(turn.end); at++) {
      found[at] = (at < first || at >= last ? here : far)[probabilities[at]!]!;
    }
  }
  return found;
}

/** Whether one speaker takes over from another there. */
function isBorder(before: LabelledTurn | undefined, after: LabelledTurn | undefined): boolean {
  if (!before || !after || before.label === after.label) return false;
  return after.start - before.end <= pause;
}

/** The value that half of all do not exceed; `counts`: of each value. */
function medianOf(counts: Uint32Array): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let value = 0;
  for (let below = counts[0]!; below * 2 < total; below += counts[value]!) value++;
  return value;
}

/** What each value becomes when its log odds are lowered by that much. */
function lowered(offset: number): Uint8Array {
  return Uint8Array.from(logOdds, (odds, value) =>
    offset > 0 ? Math.round(255 / (1 + Math.exp(offset - odds))) : value,
  );
}
