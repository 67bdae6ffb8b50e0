// Some voices, hoarse or filtered ones, sound a little like two throughout. Once it is known who speaks when, each speaker's
// usual value is taken out of the probabilities: what stands out for this voice is overlap.
import { soundRate } from '../../decoder/contract.ts';
import type { LabelledTurn } from '../turns.ts';
import { overlapHop, overlapLead } from './spans.ts';

/** Log odds that are usual in the turns of one voice; of a speaker whose median is higher, this part of the rest is taken out. */
const usual = -4;
const part = 0.7;

/** Log odds of each value of a probability, 0 to 255. */
const logOdds = Float64Array.from({ length: 256 }, (_, value) => {
  const share = Math.min(254.5, Math.max(0.5, value)) / 255;
  return Math.log(share / (1 - share));
});

/**
 * `probabilities`: 0 to 255 for every 20 ms from sample `start` on; `turns`: of this channel, ascending and apart. The
 * median holds as long as a speaker is alone in more than half of his turns.
 */
export function lessSpeakerOffset(
  probabilities: Uint8Array,
  start: number,
  turns: readonly LabelledTurn[],
): Uint8Array {
  const place = (seconds: number) =>
    Math.max(
      0,
      Math.min(probabilities.length, Math.round((seconds * soundRate - start - overlapLead) / overlapHop)),
    );
  const counts = new Map<number, Uint32Array>();
  for (const turn of turns) {
    const values = counts.get(turn.label) ?? new Uint32Array(256);
    counts.set(turn.label, values);
    for (let at = place(turn.start); at < place(turn.end); at++) values[probabilities[at]!]! += 1;
  }
  const tables = new Map([...counts].map(([label, values]) => [label, tableFor(medianOf(values))]));
  const found = probabilities.slice();
  for (const turn of turns) {
    const table = tables.get(turn.label)!;
    for (let at = place(turn.start); at < place(turn.end); at++) found[at] = table[probabilities[at]!]!;
  }
  return found;
}

/** The value that half of all do not exceed; `counts`: of each value. */
function medianOf(counts: Uint32Array): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let value = 0;
  for (let below = counts[0]!; below * 2 < total; below += counts[value]!) value++;
  return value;
}

/** What each value becomes for a speaker with that median. */
function tableFor(median: number): Uint8Array {
  const offset = part * Math.max(0, logOdds[median]! - usual);
  return Uint8Array.from(logOdds, (odds, value) =>
    offset > 0 ? Math.round(255 / (1 + Math.exp(offset - odds))) : value,
  );
}
