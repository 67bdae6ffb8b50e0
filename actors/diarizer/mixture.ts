// A model of a conversation: each voice is a point in the space of voice vectors, each window a point near its voice,
// and a voice goes on speaking more likely than not (variational Bayes over a hidden Markov model, "VBx": Landini,
// Profant, Diez, Burget 2022). It sharpens a first clustering and says how well that many voices explain what was heard.

/** How voices lie in the space of a model: between voices and within one, each dimension by itself. */
export interface VoiceSpace {
  readonly dimensions: number;
  /** Mean of all voices. */
  readonly mean: Float32Array;
  /** Variance of one voice's windows around it. */
  readonly within: Float32Array;
  /** Variance of voices around the mean. */
  readonly between: Float32Array;
}

/** Windows in the order of time, channel after channel. */
export interface Evidence {
  readonly count: number;
  readonly dimensions: number;
  /** n×d: vectors, without the mean, over the deviation within, times that between: what tells voices apart. */
  readonly points: Float32Array;
  /** Between over within, for each dimension. */
  readonly spread: Float64Array;
  /** How much of a window nobody has heard before: 1 for a window by itself. */
  readonly weights: Float32Array;
  /** Probability that the voice of the window before goes on; 0 for the first one of a channel. */
  readonly stay: Float32Array;
}

export interface MixtureOptions {
  /** How much a voice has to explain to be worth having: the weight of the prior. */
  readonly price: number;
  /** False keeps every voice of the first clustering. */
  readonly prune: boolean;
  readonly rounds: number;
}

export interface Mixture {
  /** n×voices: how likely each voice is in each window. */
  readonly shares: Float64Array;
  readonly voices: number;
  /** Evidence lower bound: of two explanations of the same evidence, the higher one is better. */
  readonly bound: number;
}

/** `vectors`: n×d. */
export function evidenceOf(
  vectors: Float32Array,
  space: VoiceSpace,
  weights: Float32Array,
  stay: Float32Array,
): Evidence {
  const { dimensions, mean, within, between } = space;
  const spread = Float64Array.from(within, (value, i) => between[i]! / value);
  const scale = Float64Array.from(within, (value, i) => Math.sqrt(spread[i]! / value));
  const count = weights.length;
  const points = vectors.slice(0, count * dimensions);
  for (let at = 0; at < points.length; at++) {
    const i = at % dimensions;
    points[at] = (points[at]! - mean[i]!) * scale[i]!;
  }
  return { count, dimensions, points, spread, weights, stay };
}

/** Starts from the cluster of each window; a generator: it pauses after every round. */
export function* fitMixture(
  evidence: Evidence,
  labels: ArrayLike<number>,
  { price, prune, rounds }: MixtureOptions,
): Generator<void, Mixture> {
  let voices = 0;
  for (let n = 0; n < evidence.count; n++) voices = Math.max(voices, labels[n]! + 1);
  let shares: Float64Array = firstShares(evidence.count, voices, labels);
  let chances: Float64Array = new Float64Array(voices).fill(1 / voices);
  let bound = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const fit = likelihoods(evidence, shares, voices, price);
    const walked = walk(evidence, fit.likelihood, chances, voices);
    const before = bound;
    bound = walked.bound + fit.prior;
    shares = walked.shares;
    if (prune) {
      chances = walked.chances;
      const kept = [...chances.keys()].filter((voice) => chances[voice]! > 1e-4);
      if (kept.length < voices) {
        shares = columns(shares, voices, kept);
        chances = normalised(Float64Array.from(kept, (voice) => chances[voice]!));
        voices = kept.length;
        bound = Number.NEGATIVE_INFINITY;
      }
    }
    yield;
    if (bound - before < 1e-4 * Math.abs(bound) && bound > before - 1e-9) break;
  }
  return { shares, voices, bound };
}

/** The likeliest voice of each window. */
export function likeliest({ shares, voices }: Mixture): Int32Array {
  return Int32Array.from({ length: shares.length / voices }, (_, n) => {
    let best = 0;
    for (let voice = 1; voice < voices; voice++) {
      if (shares[n * voices + voice]! > shares[n * voices + best]!) best = voice;
    }
    return best;
  });
}

/** Nearly sure of the first clustering, so that windows can still leave it. */
function firstShares(count: number, voices: number, labels: ArrayLike<number>): Float64Array {
  const sure = 0.9;
  const shares = new Float64Array(count * voices).fill(voices > 1 ? (1 - sure) / (voices - 1) : 1);
  for (let n = 0; n < count; n++) shares[n * voices + labels[n]!] = voices > 1 ? sure : 1;
  return shares;
}

/** Where each voice lies given its windows, and from that the log-likelihood of each window, n×voices. */
function likelihoods(
  { count, dimensions, points, spread, weights }: Evidence,
  shares: Float64Array,
  voices: number,
  price: number,
): { likelihood: Float64Array; prior: number } {
  const centres = new Float64Array(voices * dimensions);
  const amounts = new Float64Array(voices);
  for (let n = 0; n < count; n++) {
    for (let voice = 0; voice < voices; voice++) {
      const share = (shares[n * voices + voice]! * weights[n]!) / price;
      if (share < 1e-8) continue;
      amounts[voice]! += share;
      for (let i = 0; i < dimensions; i++) {
        centres[voice * dimensions + i]! += share * points[n * dimensions + i]!;
      }
    }
  }
  let prior = 0;
  const constants = new Float64Array(voices);
  for (let voice = 0; voice < voices; voice++) {
    for (let i = 0; i < dimensions; i++) {
      const unsure = 1 / (1 + amounts[voice]! * spread[i]!);
      const centre = unsure * centres[voice * dimensions + i]!;
      centres[voice * dimensions + i] = centre;
      constants[voice]! -= 0.5 * (unsure + centre * centre) * spread[i]!;
      prior += 0.5 * price * (Math.log(unsure) - unsure - centre * centre + 1);
    }
  }
  const likelihood = new Float64Array(count * voices);
  for (let n = 0; n < count; n++) {
    for (let voice = 0; voice < voices; voice++) {
      let dot = constants[voice]!;
      for (let i = 0; i < dimensions; i++) {
        dot += centres[voice * dimensions + i]! * points[n * dimensions + i]!;
      }
      likelihood[n * voices + voice] = weights[n]! * dot;
    }
  }
  return { likelihood, prior };
}

/** Forward and backward over the windows. `chances`: of each voice to be the next one to begin. */
function walk(
  { count, stay }: Evidence,
  likelihood: Float64Array,
  chances: Float64Array,
  voices: number,
): { shares: Float64Array; chances: Float64Array; bound: number } {
  const emitted = new Float64Array(count * voices);
  const forward = new Float64Array(count * voices);
  const scales = new Float64Array(count);
  let bound = 0;
  for (let n = 0; n < count; n++) {
    const row = n * voices;
    let most = Number.NEGATIVE_INFINITY;
    for (let s = 0; s < voices; s++) most = Math.max(most, likelihood[row + s]!);
    let sum = 0;
    for (let s = 0; s < voices; s++) {
      emitted[row + s] = Math.exp(likelihood[row + s]! - most);
      const before = n > 0 ? forward[row - voices + s]! : 0;
      forward[row + s] = emitted[row + s]! * (stay[n]! * before + (1 - stay[n]!) * chances[s]!);
      sum += forward[row + s]!;
    }
    for (let s = 0; s < voices; s++) forward[row + s]! /= sum;
    scales[n] = sum;
    bound += most + Math.log(sum);
  }
  const begun = new Float64Array(voices);
  const shares = forward;
  let after = new Float64Array(voices).fill(1);
  for (let n = count - 1; n >= 0; n--) {
    const row = n * voices;
    let jumped = 0;
    const weighed = new Float64Array(voices);
    let sum = 0;
    for (let s = 0; s < voices; s++) {
      weighed[s] = (emitted[row + s]! * after[s]!) / scales[n]!;
      jumped += chances[s]! * weighed[s]!;
      begun[s]! += (1 - stay[n]!) * chances[s]! * weighed[s]!;
      shares[row + s]! *= after[s]!;
      sum += shares[row + s]!;
    }
    for (let s = 0; s < voices; s++) shares[row + s]! /= sum;
    after = weighed.map((value) => stay[n]! * value + (1 - stay[n]!) * jumped);
  }
  return { shares, chances: normalised(begun), bound };
}

function normalised(values: Float64Array): Float64Array<ArrayBuffer> {
  const sum = values.reduce((total, value) => total + value, 0);
  return Float64Array.from(values, (value) => value / sum);
}

/** The kept columns, each row summing to 1 again. */
function columns(shares: Float64Array, voices: number, kept: readonly number[]): Float64Array<ArrayBuffer> {
  const count = shares.length / voices;
  const next = new Float64Array(count * kept.length);
  for (let n = 0; n < count; n++) {
    let sum = 0;
    for (const voice of kept) sum += shares[n * voices + voice]!;
    kept.forEach((voice, at) => {
      next[n * kept.length + at] = sum > 0 ? shares[n * voices + voice]! / sum : 1 / kept.length;
    });
  }
  return next;
}
