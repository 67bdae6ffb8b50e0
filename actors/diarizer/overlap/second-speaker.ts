// Who the second voice is where two speak at once: of the speakers that are known, one whose turn is near and
// whose voice is in the sound there.
import { soundRate } from '../../decoder/contract.ts';
import type { Subsegment } from '../subsegments.ts';
import type { LabelledTurn } from '../turns.ts';
import type { Span } from './spans.ts';

export interface SecondSpeakerRules {
  /** Seconds to the nearest turn of a speaker, at most. */
  readonly reach: number;
  /** Cosine that a second of distance costs. */
  readonly perSecond: number;
}

export const secondSpeakerRules: SecondSpeakerRules = { reach: 10, perSecond: 0.1 };

/** The cosine of each speaker with the sound of a span; null where nothing of it was embedded. */
export type Likeness = (span: Span) => Float64Array | null;

/**
 * The turns of second speakers within `spans`. `turns`: of one channel, ascending and apart; both sides of a
 * border that lies in a span speak in all of it. A span in which nobody speaks, or with no other speaker
 * near, has no second one.
 */
export function secondTurns(
  turns: readonly LabelledTurn[],
  spans: readonly Span[],
  likeness: Likeness,
  rules: SecondSpeakerRules = secondSpeakerRules,
): LabelledTurn[] {
  const found: LabelledTurn[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    while (at < turns.length && turns[at]!.end <= start) at++;
    const cosines = likeness([start, end]);
    for (let index = at; index < turns.length && turns[index]!.start < end; index++) {
      const { start: from, end: to, label } = turns[index]!;
      const piece: Span = [Math.max(start, from), Math.min(end, to)];
      const second = secondOf(turns, index, piece, cosines, rules);
      if (second !== null && second !== label) found.push({ start: piece[0], end: piece[1], label: second });
    }
  }
  return found;
}

function secondOf(
  turns: readonly LabelledTurn[],
  index: number,
  [start, end]: Span,
  cosines: Float64Array | null,
  { reach, perSecond }: SecondSpeakerRules,
): number | null {
  const own = turns[index]!.label;
  let best: number | null = null;
  let most = Number.NEGATIVE_INFINITY;
  const consider = (label: number, distance: number) => {
    if (label === own) return;
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
