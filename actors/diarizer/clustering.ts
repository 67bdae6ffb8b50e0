// Agglomerative hierarchical clustering: the two most similar groups are merged, again and again. A group is
// the sum of its vectors, so that the mean dot product of all pairs between two groups is one dot product.
import type { PldaModel } from './plda.ts';

export interface Groups {
  /** n×d: each row the sum of the unit vectors of its group. */
  readonly sums: Float32Array;
  /** The weight of each group: the sum of the weights of its vectors. */
  readonly weights: Float32Array;
  readonly dimensions: number;
}

/**
 * average: mean cosine of all pairs. centroid: cosine of the two sums. A PLDA model, for groups in its space:
 * the log-likelihood ratio of both groups being one speaker rather than two.
 */
export type Linkage = 'average' | 'centroid' | PldaLinkage;

export interface PldaLinkage extends PldaModel {
  /**
   * A group of weight w counts as tanh(saturation · w) / saturation: nearly as w while it is short, and never
   * more than 1 / saturation. Otherwise likelihoods grow with the length of what was said, and in the end
   * separate a speaker from himself wherever his voice has changed a little. With 0 it counts as w.
   */
  readonly saturation: number;
}

/** Group `from` joins group `into` (places in the list that was given, `into` < `from`). */
export interface GroupMerge {
  readonly into: number;
  readonly from: number;
  readonly similarity: number;
}

/**
 * All n-1 merges in the order in which they happen, ending earlier when no similarity is at least `stop`.
 * n² memory: for lists of a few thousand, see `precluster`.
 */
export function cluster(groups: Groups, linkage: Linkage, stop = Number.NEGATIVE_INFINITY): GroupMerge[] {
  const matrix = new SimilarityMatrix(groups, linkage);
  const merges: GroupMerge[] = [];
  for (let merge = matrix.best(); merge && merge.similarity >= stop; merge = matrix.best()) {
    matrix.merge(merge);
    merges.push(merge);
  }
  return merges;
}

/** The cluster of each of `count` items after the first merges, numbered from 0 by first appearance. */
export function labelsAfter(count: number, merges: readonly GroupMerge[]): Int32Array {
  const parent = Int32Array.from({ length: count }, (_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parent[root] !== root) root = parent[root]!;
    for (let step = at; step !== root; ) {
      const next = parent[step]!;
      parent[step] = root;
      step = next;
    }
    return root;
  };
  for (const { into, from } of merges) parent[rootOf(from)] = rootOf(into);
  return renumbered(Int32Array.from({ length: count }, (_, at) => rootOf(at)));
}

/** The same clusters, numbered from 0 by first appearance; negative ones stay. */
export function renumbered(labels: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  return labels.map((label) => {
    if (label < 0) return label;
    const number = numbers.get(label) ?? numbers.size;
    numbers.set(label, number);
    return number;
  });
}

/** One group for each label: the sum of the groups that have it; negative labels are left out. */
export function sumByLabel(groups: Groups, labels: Int32Array): Groups {
  const { dimensions } = groups;
  const count = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const sums = new Float32Array(count * dimensions);
  const weights = new Float32Array(count);
  labels.forEach((label, at) => {
    if (label < 0) return;
    weights[label]! += groups.weights[at]!;
    for (let i = 0; i < dimensions; i++) sums[label * dimensions + i]! += groups.sums[at * dimensions + i]!;
  });
  return { sums, weights, dimensions };
}

/** Adds group `from` of a list to group `into`, which *changes*. */
export function join({ sums, weights, dimensions }: Groups, into: number, from: number): void {
  weights[into]! += weights[from]!;
  for (let i = 0; i < dimensions; i++) sums[into * dimensions + i]! += sums[from * dimensions + i]!;
}

/** Items that are compared with each other at a time. */
const block = 600;

/**
 * Merges a long list down to at most `most` groups, block by block, so that the work grows with the length
 * and not with its square. Answers the group of each item. A generator: it yields after every block.
 */
export function* precluster(groups: Groups, linkage: Linkage, most = 800): Generator<void, Int32Array> {
  let labels = Int32Array.from({ length: groups.weights.length }, (_, at) => at);
  let now = groups;
  while (now.weights.length > most) {
    const { dimensions } = now;
    const next = new Int32Array(now.weights.length);
    let position = 0;
    for (let from = 0; from < next.length; from += block) {
      const to = Math.min(next.length, from + block);
      const part = {
        sums: now.sums.subarray(from * dimensions, to * dimensions),
        weights: now.weights.subarray(from, to),
        dimensions,
      };
      const merges = cluster(part, linkage).slice(0, Math.floor((to - from) * 0.75));
      const inside = labelsAfter(to - from, merges);
      inside.forEach((label, at) => {
        next[from + at] = position + label;
      });
      position += to - from - merges.length;
      yield;
    }
    now = sumByLabel(now, next);
    labels = labels.map((label) => next[label]!);
  }
  return labels;
}

/** How similar two groups are. */
export interface GroupSimilarity {
  /** Term of a group in all its comparisons, computed once. */
  termOf(groups: Groups, at: number): number;
  of(groups: Groups, at: number, term: number, others: Groups, other: number, otherTerm: number): number;
}

export function similarityOf(linkage: Linkage): GroupSimilarity {
  if (typeof linkage !== 'string') return likelihoodRatio(linkage);
  const ownTerm = (groups: Groups, at: number) => dotOf(groups, at, groups, at);
  if (linkage === 'centroid') {
    return {
      termOf: ownTerm,
      of: (groups, at, square, others, other, otherSquare) =>
        dotOf(groups, at, others, other) / Math.sqrt(Math.max(square * otherSquare, 1e-24)),
    };
  }
  return {
    termOf: ownTerm,
    of: (groups, at, _, others, other) =>
      dotOf(groups, at, others, other) / (groups.weights[at]! * others.weights[other]!),
  };
}

/** The dot product of the sums of two groups. */
function dotOf(groups: Groups, at: number, others: Groups, other: number): number {
  const { sums, dimensions: d } = groups;
  const otherSums = others.sums;
  const [a, b] = [at * d, other * d];
  let dot = 0;
  for (let i = 0; i < d; i++) dot += sums[a + i]! * otherSums[b + i]!;
  return dot;
}

/**
 * Factors of a determinant multiplied before their logarithm is taken: that they stay below the largest
 * number.
 */
const factorsOfLogarithm = 16;

/**
 * The log-likelihood of a group being one speaker, against all being at the mean, is the sum over the
 * directions of ½ s²/(r + w) - ½ ln(1 + w/r), with the sum s, the weight w, and r one over the variance of
 * speakers.
 */
function likelihoodRatio({ between, saturation }: PldaLinkage): GroupSimilarity {
  const k = between.length;
  const r = between.map((variance) => 1 / variance);
  const logs = r.reduce((sum, x) => sum + Math.log(x), 0);
  const none = new Float32Array(k);
  const damping = (weight: number) =>
    saturation * weight > 0 ? Math.tanh(saturation * weight) / (saturation * weight) : 1;
  /**
   * Log-likelihood of the sums `sums` from `a` on and `others` from `b` on, each times its factor, with the
   * weight of both.
   */
  const logLikelihood = (
    sums: Float32Array,
    a: number,
    factor: number,
    others: Float32Array,
    b: number,
    otherFactor: number,
    weight: number,
  ) => {
    let squares = 0;
    let logProduct = -logs;
    for (let from = 0; from < k; from += factorsOfLogarithm) {
      const to = Math.min(k, from + factorsOfLogarithm);
      let product = 1;
      for (let i = from; i < to; i++) {
        const sum = factor * sums[a + i]! + otherFactor * others[b + i]!;
        const variance = r[i]! + weight;
        squares += (sum * sum) / variance;
        product *= variance;
      }
      logProduct += Math.log(product);
    }
    return 0.5 * (squares - logProduct);
  };
  return {
    termOf: ({ sums, weights }, at) => {
      const factor = damping(weights[at]!);
      return logLikelihood(sums, at * k, factor, none, 0, 0, factor * weights[at]!);
    },
    of: (groups, at, term, others, other, otherTerm) => {
      const weight = groups.weights[at]!;
      const otherWeight = others.weights[other]!;
      const [factor, otherFactor] = [damping(weight), damping(otherWeight)];
      const both = factor * weight + otherFactor * otherWeight;
      const joint = logLikelihood(groups.sums, at * k, factor, others.sums, other * k, otherFactor, both);
      return joint - term - otherTerm;
    },
  };
}

/** The similarities of all pairs of groups that are left, with the nearest group of each. */
class SimilarityMatrix {
  readonly #count: number;
  readonly #groups: Groups;
  readonly #terms: Float64Array;
  readonly #measure: GroupSimilarity;
  readonly #similarity: Float32Array;
  readonly #active: Int32Array;
  #activeCount: number;
  /** For each group the most similar one after it in the list; -1 for none. */
  readonly #nearest: Int32Array;

  constructor({ sums, weights, dimensions }: Groups, linkage: Linkage) {
    this.#count = weights.length;
    this.#groups = { sums: sums.slice(), weights: weights.slice(), dimensions };
    this.#measure = similarityOf(linkage);
    this.#terms = Float64Array.from(weights, (_, at) => this.#measure.termOf(this.#groups, at));
    this.#similarity = new Float32Array(this.#count * this.#count);
    this.#active = Int32Array.from({ length: this.#count }, (_, at) => at);
    this.#activeCount = this.#count;
    this.#nearest = new Int32Array(this.#count).fill(-1);
    for (let first = 0; first < this.#count; first++) {
      for (let second = first + 1; second < this.#count; second++) this.#compare(first, second);
    }
    for (let group = 0; group < this.#count; group++) this.#findNearest(group, group + 1);
  }

  best(): GroupMerge | null {
    let into = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < this.#activeCount; at++) {
      const group = this.#active[at]!;
      const neighbour = this.#nearest[group]!;
      if (neighbour < 0) continue;
      const similarity = this.#similarity[group * this.#count + neighbour]!;
      if (similarity > most) {
        most = similarity;
        into = group;
      }
    }
    return into < 0 ? null : { into, from: this.#nearest[into]!, similarity: most };
  }

  merge({ into, from }: GroupMerge): void {
    const position = this.#active.subarray(0, this.#activeCount).indexOf(from);
    this.#active.copyWithin(position, position + 1, this.#activeCount);
    this.#activeCount--;
    join(this.#groups, into, from);
    this.#terms[into] = this.#measure.termOf(this.#groups, into);
    for (let at = 0; at < this.#activeCount; at++) {
      const group = this.#active[at]!;
      if (group !== into) this.#compare(Math.min(group, into), Math.max(group, into));
    }
    for (let at = 0; at < this.#activeCount; at++) {
      const group = this.#active[at]!;
      const nearest = this.#nearest[group]!;
      if (group === into || nearest === into || nearest === from) this.#findNearestActive(at);
      else if (group < into && this.#at(group, into) > this.#at(group, nearest)) this.#nearest[group] = into;
    }
  }

  #at(first: number, second: number): number {
    return second < 0 ? Number.NEGATIVE_INFINITY : this.#similarity[first * this.#count + second]!;
  }

  #findNearestActive(place: number): void {
    const group = this.#active[place]!;
    let nearest = -1;
    for (let at = place + 1; at < this.#activeCount; at++) {
      const candidate = this.#active[at]!;
      if (this.#at(group, candidate) > this.#at(group, nearest)) nearest = candidate;
    }
    this.#nearest[group] = nearest;
  }

  #findNearest(group: number, from: number): void {
    let nearest = -1;
    for (let candidate = from; candidate < this.#count; candidate++) {
      if (this.#at(group, candidate) > this.#at(group, nearest)) nearest = candidate;
    }
    this.#nearest[group] = nearest;
  }

  #compare(first: number, second: number): void {
    const [firstTerm, secondTerm] = [this.#terms[first]!, this.#terms[second]!];
    const { of } = this.#measure;
    this.#similarity[first * this.#count + second] = of(
      this.#groups,
      first,
      firstTerm,
      this.#groups,
      second,
      secondTerm,
    );
  }
}
