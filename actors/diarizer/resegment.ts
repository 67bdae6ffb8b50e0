// Once voices are known, every window is asked again whose it is: a turn that was cut at the wrong place, or swallowed by
// its neighbour, goes to its voice.
import type { Groups, VoiceModel } from './clustering.ts';

/** What it costs, as a logarithm of likelihood, that another voice goes on within a stretch of speech. */
const change = 2;

/**
 * The likeliest course of the conversation. `groups`: windows in the order of time, with what each weighs; `regions`: the
 * stretch of speech of each; `labels`: the voice of each so far, from 0 to `voices` - 1. A voice may be left with none.
 */
export function resegment(
  groups: Groups,
  regions: ArrayLike<number>,
  labels: Int32Array,
  voices: number,
  model: VoiceModel,
): Int32Array {
  const scoresOf = likelihoods(groups, labels, voices, model);
  const count = labels.length;
  /** The voice before, on the best course that ends with a voice in a window. */
  const from = new Uint16Array(count * voices);
  let best = new Float64Array(voices);
  for (let at = 0; at < count; at++) {
    const cost = at > 0 && regions[at] === regions[at - 1] ? change : 0;
    const leader = highest(best);
    const scores = scoresOf(at);
    best = scores.map((score, voice) => {
      const stays = best[voice]! >= best[leader]! - cost;
      from[at * voices + voice] = stays ? voice : leader;
      return score + (stays ? best[voice]! : best[leader]! - cost);
    });
  }
  const traced = new Int32Array(count);
  for (let at = count - 1, voice = highest(best); at >= 0; at--) {
    traced[at] = voice;
    voice = from[at * voices + voice]!;
  }
  return traced;
}

/** For a window, the logarithm of its likelihood with each voice, up to a term that is the same for all. */
function likelihoods(
  { sums, weights, dimensions: d }: Groups,
  labels: Int32Array,
  voices: number,
  { same, freedom }: VoiceModel,
): (at: number) => Float64Array {
  const spread = same / (1 - same);
  const centres = new Float64Array(voices * d);
  const heard = new Float64Array(voices);
  labels.forEach((voice, at) => {
    heard[voice]! += weights[at]!;
    for (let i = 0; i < d; i++) centres[voice * d + i]! += sums[at * d + i]!;
  });
  // The point at which a voice most likely is: nearer to the middle of all voices the less was heard of it.
  const squares = heard.map((weight, voice) => {
    let square = 0;
    for (let i = voice * d; i < (voice + 1) * d; i++) {
      centres[i]! *= spread / (1 + weight * spread);
      square += centres[i]! ** 2;
    }
    return square;
  });
  return (at) =>
    squares.map((square, voice) => {
      let dot = 0;
      for (let i = 0; i < d; i++) dot += sums[at * d + i]! * centres[voice * d + i]!;
      return ((dot - 0.5 * weights[at]! * square) * freedom) / (1 - same);
    });
}

function highest(values: Float64Array): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) if (values[at]! > values[best]!) best = at;
  return best;
}
