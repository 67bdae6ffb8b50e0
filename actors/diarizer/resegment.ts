// Resegmentation: a Viterbi pass over all embeddings with the speakers found by clustering. It moves the
// borders of turns and gives back turns that clustering had joined with their neighbours.
import { type Groups, join, type PldaLinkage, similarityOf } from './clustering.ts';
import type { PldaModel } from './plda.ts';

/** Log-likelihood that a change of speaker within a region of speech costs. */
const changePenalty = 2;

/**
 * The likeliest sequence of speakers. `groups`: weighted embeddings in the order of time; `regions`: the
 * region of speech of each; `labels`: the speaker of each so far, from 0 to `speakers` - 1. A speaker may be
 * left with none.
 */
export function resegment(
  groups: Groups,
  regions: ArrayLike<number>,
  labels: Int32Array,
  speakers: number,
  model: PldaModel,
): Int32Array {
  const scoresOf = likelihoods(groups, labels, speakers, model);
  const count = labels.length;
  /** Back pointers: the speaker before, on the best path that ends with each speaker. */
  const from = new Uint16Array(count * speakers);
  let best = new Float64Array(speakers);
  for (let at = 0; at < count; at++) {
    const cost = at > 0 && regions[at] === regions[at - 1] ? changePenalty : 0;
    const leader = argmax(best);
    const scores = scoresOf(at);
    best = scores.map((score, speaker) => {
      const stays = best[speaker]! >= best[leader]! - cost;
      from[at * speakers + speaker] = stays ? speaker : leader;
      return score + (stays ? best[speaker]! : best[leader]! - cost);
    });
  }
  const path = new Int32Array(count);
  for (let at = count - 1, speaker = argmax(best); at >= 0; at--) {
    path[at] = speaker;
    speaker = from[at * speakers + speaker]!;
  }
  return path;
}

/** The log-likelihood of an embedding with each speaker, up to a term that is the same for all. */
function likelihoods(
  { sums, weights, dimensions: d }: Groups,
  labels: Int32Array,
  speakers: number,
  { between }: PldaModel,
): (at: number) => Float64Array {
  const centres = new Float64Array(speakers * d);
  const totals = new Float64Array(speakers);
  labels.forEach((speaker, at) => {
    totals[speaker]! += weights[at]!;
    for (let i = 0; i < d; i++) centres[speaker * d + i]! += sums[at * d + i]!;
  });
  // Posterior means: the less there is of a speaker, the nearer to the mean of all speakers.
  const squares = totals.map((weight, speaker) => {
    let square = 0;
    for (let i = 0; i < d; i++) {
      centres[speaker * d + i]! *= between[i]! / (1 + weight * between[i]!);
      square += centres[speaker * d + i]! ** 2;
    }
    return square;
  });
  return (at) =>
    squares.map((square, speaker) => {
      let dot = 0;
      for (let i = 0; i < d; i++) dot += sums[at * d + i]! * centres[speaker * d + i]!;
      return dot - 0.5 * weights[at]! * square;
    });
}

function argmax(values: Float64Array): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) if (values[at]! > values[best]!) best = at;
  return best;
}

// Merges adjacent embeddings of a region of speech while they are likelier one speaker than two. What is left
// are turns, which are long enough to be clustered well.

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
  const { termOf, of } = similarityOf(model);
  const groups: Groups = {
    sums: all.sums.slice(from * dimensions, to * dimensions),
    weights: all.weights.slice(from, to),
    dimensions,
  };
  /** The places of the turns in `groups`: each is the sum of the groups up to the next one. */
  const turns = Array.from({ length: to - from }, (_, at) => at);
  const terms = turns.map((at) => termOf(groups, at));
  const gain = (place: number) => {
    const [first, second] = [turns[place]!, turns[place + 1]!];
    return of(groups, first, terms[first]!, groups, second, terms[second]!);
  };
  const gains = turns.slice(1).map((_, place) => gain(place));
  for (;;) {
    let best = -1;
    for (let place = 0; place < gains.length; place++) {
      if (gains[place]! >= (best < 0 ? stop : gains[best]!)) best = place;
    }
    if (best < 0) return [...turns.slice(1).map((at) => from + at), to];
    const [first, second] = [turns[best]!, turns[best + 1]!];
    join(groups, first, second);
    terms[first] = termOf(groups, first);
    turns.splice(best + 1, 1);
    gains.splice(best, 1);
    if (best > 0) gains[best - 1] = gain(best - 1);
    if (best < gains.length) gains[best] = gain(best);
  }
}
