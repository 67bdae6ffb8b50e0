// Merges adjacent embeddings of a region of speech while they are likelier one speaker than two. What is left
// are turns, which are long enough to be clustered well.
import { type Groups, join, type PldaLinkage, similarityOf } from './clustering.ts';

/** Groups merged together, since the work grows with their square: ten minutes of speech without a pause. */
const maxGroups = 1200;

/**
 * `regions`: the region of speech of each group; groups are in the order of time. Answers the turn of each
 * group, numbered from 0 in the order of time. `stop`: the log-likelihood ratio from which neighbours are
 * merged. Very long regions are taken in parts.
 */
export function mergeAdjacent(
  groups: Groups,
  regions: ArrayLike<number>,
  model: PldaLinkage,
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

/** The ends of the turns among the groups [from, to). */
function turnsIn(all: Groups, from: number, to: number, model: PldaLinkage, stop: number): number[] {
  const { dimensions } = all;
  const { own, of } = similarityOf(model);
  const groups: Groups = {
    sums: all.sums.slice(from * dimensions, to * dimensions),
    weights: all.weights.slice(from, to),
    dimensions,
  };
  /** The places of the turns in `groups`: each is the sum of the groups up to the next one. */
  const turns = Array.from({ length: to - from }, (_, at) => at);
  const owns = turns.map((at) => own(groups, at));
  const gain = (place: number) => {
    const [one, other] = [turns[place]!, turns[place + 1]!];
    return of(groups, one, owns[one]!, groups, other, owns[other]!);
  };
  const gains = turns.slice(1).map((_, place) => gain(place));
  for (;;) {
    let best = -1;
    for (let place = 0; place < gains.length; place++) {
      if (gains[place]! >= (best < 0 ? stop : gains[best]!)) best = place;
    }
    if (best < 0) return [...turns.slice(1).map((at) => from + at), to];
    const [one, other] = [turns[best]!, turns[best + 1]!];
    join(groups, one, other);
    owns[one] = own(groups, one);
    turns.splice(best + 1, 1);
    gains.splice(best, 1);
    if (best > 0) gains[best - 1] = gain(best - 1);
    if (best < gains.length) gains[best] = gain(best);
  }
}
