// From the probabilities of overlap to the times in which two surely speak.
import { fbankHop, fbankSize } from '../../acoustics/fbank.ts';
import { soundRate } from '../../decoder/contract.ts';
import type { LabelledTurn, Subsegment } from '../turns.ts';
import { overlapStep } from './channel.ts';

/** Half-open, in seconds. */
export type OverlapSpan = readonly [start: number, end: number];

interface OverlapRules {
  /** 0 to 1: a span has a frame of at least `sure`, and goes on while frames are at least `likely`. */
  readonly sure: number;
  readonly likely: number;
  /** Seconds: a gap up to `bridge` is part of a span, and a span under `shortest` is none. */
  readonly bridge: number;
  readonly shortest: number;
}

/** Chosen on voices of the training data that the network never heard. */
const overlapRules: OverlapRules = { sure: 0.87, likely: 0.6, bridge: 0.1, shortest: 0.3 };

/** Samples from one probability to the next. */
const overlapHop = overlapStep * fbankHop;
/**
 * Samples from the start of the features' first frame to that of the 20 ms for which the first probability
 * stands.
 */
const overlapLead = (fbankSize - overlapHop) / 2;

/** `probabilities`: 0 to 255 for every 20 ms from sample `start` on. Ascending, apart. */
export function overlapSpans(
  probabilities: Uint8Array,
  start: number,
  { sure, likely, bridge, shortest }: OverlapRules = overlapRules,
): OverlapSpan[] {
  const spans: { from: number; to: number; most: number }[] = [];
  const gap = (bridge * soundRate) / overlapHop;
  probabilities.forEach((probability, at) => {
    if (probability < 255 * likely) return;
    const last = spans.at(-1);
    if (last && at - last.to <= gap) {
      last.to = at + 1;
      last.most = Math.max(last.most, probability);
    } else {
      spans.push({ from: at, to: at + 1, most: probability });
    }
  });
  const seconds = (frame: number) => (start + frame * overlapHop + overlapLead) / soundRate;
  return spans
    .filter(({ from, to, most }) => most >= 255 * sure && (to - from) * overlapHop >= shortest * soundRate)
    .map(({ from, to }): OverlapSpan => [seconds(from), seconds(to)]);
}

/**
 * For each part of the channel (samples, half-open) the share in which one speaks alone, but at least
 * `least`. `parts` ascending by start, `spans` ascending and apart.
 */
export function clearShares(
  parts: readonly { readonly from: number; readonly to: number }[],
  spans: readonly OverlapSpan[],
  least: number,
): number[] {
  let first = 0;
  return parts.map(({ from, to }) => {
    while (first < spans.length && spans[first]![1] * soundRate <= from) first++;
    let overlapped = 0;
    for (let at = first; at < spans.length && spans[at]![0] * soundRate < to; at++) {
      const [start, end] = spans[at]!;
      overlapped += Math.min(to, end * soundRate) - Math.max(from, start * soundRate);
    }
    return Math.max(least, 1 - overlapped / (to - from));
  });
}

// Adjusts the probabilities of overlap once the turns of a recording are known. Hoarse or filtered voices
// sound a little like two throughout, so a speaker's usual value is subtracted. Overlap occurs mostly where
// one speaker takes over from another without a pause, so elsewhere the bound is higher.

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
  const adjusted = probabilities.slice();
  for (const [index, turn] of turns.entries()) {
    const { here, far } = tables.get(turn.label)!;
    const first = isBorder(turns[index - 1], turn) ? place(turn.start + near) : 0;
    const last = isBorder(turn, turns[index + 1]) ? place(turn.end - near) : probabilities.length;
    for (let at = place(turn.start); at < place(turn.end); at++) {
      adjusted[at] = (at < first || at >= last ? here : far)[probabilities[at]!]!;
    }
  }
  return adjusted;
}

/** True if one speaker takes over from another at this point. */
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

/** Table of all values with log odds lowered by `offset`. */
function lowered(offset: number): Uint8Array {
  return Uint8Array.from(logOdds, (odds, value) =>
    offset > 0 ? Math.round(255 / (1 + Math.exp(offset - odds))) : value,
  );
}

// Identifies the second voice where two speak at once: the known speaker with a turn nearby whose voice is in
// the sound.

interface SecondSpeakerRules {
  /** Seconds to the nearest turn of a speaker, at most. */
  readonly reach: number;
  /** Cosine that a second of distance costs. */
  readonly perSecond: number;
}

const secondSpeakerRules: SecondSpeakerRules = { reach: 10, perSecond: 0.1 };

/** The cosine of each speaker with the sound of a span; null where nothing of it was embedded. */
type Likeness = (span: OverlapSpan) => Float64Array | null;

/**
 * The turns of second speakers within `spans`. `turns`: of one channel, ascending and apart; both sides of a
 * border that lies in a span speak in all of it. A span in which nobody speaks, or with no other speaker
 * near, has no second one.
 */
export function secondTurns(
  turns: readonly LabelledTurn[],
  spans: readonly OverlapSpan[],
  likeness: Likeness,
  rules: SecondSpeakerRules = secondSpeakerRules,
): LabelledTurn[] {
  const added: LabelledTurn[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    while (at < turns.length && turns[at]!.end <= start) at++;
    const cosines = likeness([start, end]);
    for (let index = at; index < turns.length && turns[index]!.start < end; index++) {
      const { start: from, end: to, label } = turns[index]!;
      const piece: OverlapSpan = [Math.max(start, from), Math.min(end, to)];
      const second = secondOf(turns, index, piece, cosines, rules);
      if (second !== null && second !== label) added.push({ start: piece[0], end: piece[1], label: second });
    }
  }
  return added;
}

function secondOf(
  turns: readonly LabelledTurn[],
  index: number,
  [start, end]: OverlapSpan,
  cosines: Float64Array | null,
  { reach, perSecond }: SecondSpeakerRules,
): number | null {
  const ownLabel = turns[index]!.label;
  let best: number | null = null;
  let most = Number.NEGATIVE_INFINITY;
  const consider = (label: number, distance: number) => {
    if (label === ownLabel) return;
    const score = (cosines?.[label] ?? 0) - perSecond * distance;
    if (score <= most) return;
    most = score;
    best = label;
  };
  for (let at = index - 1; at >= 0 && start - turns[at]!.end <= reach; at--) {
    consider(turns[at]!.label, start - turns[at]!.end);
  }
  for (let at = index + 1; at < turns.length && turns[at]!.start - end <= reach; at++) {
    consider(turns[at]!.label, turns[at]!.start - end);
  }
  return best;
}

/**
 * k×d: the direction of each speaker, from the subsegments that are his, the more the clearer; `weights`: 0
 * to 1.
 */
export function voicesOf(
  vectors: Float32Array,
  labels: Int32Array,
  weights: ArrayLike<number>,
  dimensions: number,
): Float64Array {
  const speakers = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const voices = new Float64Array(speakers * dimensions);
  labels.forEach((label, at) => {
    if (label < 0) return;
    for (let i = 0; i < dimensions; i++) {
      voices[label * dimensions + i]! += weights[at]! * vectors[at * dimensions + i]!;
    }
  });
  for (let start = 0; start < voices.length; start += dimensions) {
    const voice = voices.subarray(start, start + dimensions);
    const length = Math.hypot(...voice);
    if (length > 0) for (let i = 0; i < dimensions; i++) voice[i]! /= length;
  }
  return voices;
}

/**
 * `vectors`: of the subsegments, which ascend by start. A span is like a speaker as the subsegments that
 * share it are, the more they share the more. Spans are asked for in the order of time.
 */
export function likenessOf(
  subsegments: readonly Subsegment[],
  vectors: Float32Array,
  voices: Float64Array,
  dimensions: number,
): Likeness {
  let first = 0;
  return ([start, end]) => {
    const [from, to] = [start * soundRate, end * soundRate];
    while (first < subsegments.length && subsegments[first]!.to <= from) first++;
    const cosines = new Float64Array(voices.length / dimensions);
    let total = 0;
    for (let at = first; at < subsegments.length && subsegments[at]!.from < to; at++) {
      const shared = Math.min(to, subsegments[at]!.to) - Math.max(from, subsegments[at]!.from);
      total += shared;
      for (let i = 0; i < voices.length; i++) {
        const product = vectors[at * dimensions + (i % dimensions)]! * voices[i]!;
        cosines[Math.floor(i / dimensions)]! += shared * product;
      }
    }
    return total > 0 ? cosines.map((sum) => sum / total) : null;
  };
}
