// Merges adjacent embeddings of a region of speech while they are likelier one speaker than two. What is left are turns,
// which are long enough to be clustered well.
import { type Groups, type PldaModel, similarityOf } from './clustering.ts';

/** Groups merged together, since the work grows with their square: ten minutes of speech without a pause. */
const maxGroups = 1200;

/**
 * `regions`: the region of speech of each group; groups are in the order of time. Answers the turn of each group, numbered
 * from 0 in the order of time. `stop`: the log-likelihood ratio from which neighbours are merged. Very long regions are
 * taken in parts.
 */
export function mergeAdjacent(
  groups: Groups,
  regions: ArrayLike<number>,
  model: PldaModel,
  stop: number,
): Int32Array {
  const count = groups.weights.length;
  const labels = new Int32Array(count);
  let turns = 0;
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && to < from + maxGroups && regions[to] === regions[from]) to++;
    for (const end of turnsIn(groups, from, to, model, stop)) {
      labels.fill(turns, from, end);
      turns += 1;
      from = end;
    }
  }
  return labels;
}

interface Turn {
  readonly end: number;
  readonly sum: Float32Array;
  readonly square: number;
  readonly weight: number;
}

/** The ends of the turns among the groups [from, to). */
function turnsIn(
  { sums, weights, dimensions }: Groups,
  from: number,
  to: number,
  model: PldaModel,
  stop: number,
): number[] {
  const similarity = similarityOf(model);
  const turns: Turn[] = Array.from({ length: to - from }, (_, at) => {
    const sum = sums.slice((from + at) * dimensions, (from + at + 1) * dimensions);
    return { end: from + at + 1, sum, square: product(sum, sum), weight: weights[from + at]! };
  });
  const gain = (at: number) => {
    const [one, other] = [turns[at]!, turns[at + 1]!];
    return similarity(product(one.sum, other.sum), one.square, other.square, one.weight, other.weight);
  };
  const gains = turns.slice(1).map((_, at) => gain(at));
  for (;;) {
    let best = -1;
    for (let at = 0; at < gains.length; at++) {
      if (gains[at]! >= (best < 0 ? stop : gains[best]!)) best = at;
    }
    if (best < 0) return turns.map(({ end }) => end);
    const [one, other] = [turns[best]!, turns[best + 1]!];
    const sum = one.sum.map((x, i) => x + other.sum[i]!);
    const joined = { end: other.end, sum, square: product(sum, sum), weight: one.weight + other.weight };
    turns.splice(best, 2, joined);
    gains.splice(best, 1);
    if (best > 0) gains[best - 1] = gain(best - 1);
    if (best < gains.length) gains[best] = gain(best);
  }
}

function product(one: Float32Array, other: Float32Array): number {
  let dot = 0;
  for (let i = 0; i < one.length; i++) dot += one[i]! * other[i]!;
  return dot;
}
