// Clusters speaker embeddings: which of them are one speaker, and how many speakers there are.
import {
  cluster,
  type Groups,
  type Linkage,
  labelsAfter,
  type Merge,
  type PldaModel,
  precluster,
  renumbered,
  similarityOf,
  sumByLabel,
} from './clustering.ts';
import type { SpeakerCount } from './contract.ts';
import { mergeAdjacent } from './merge-adjacent.ts';
import { resegment } from './resegment.ts';

/** Embeddings in the order of time, channel after channel. */
export interface Embeddings {
  /** n×d, each of length 1 or all zeros. */
  readonly vectors: Float32Array;
  /** Seconds of sound behind each embedding. */
  readonly seconds: Float32Array;
  /** The region of speech of each embedding. */
  readonly regions: ArrayLike<number>;
  readonly dimensions: number;
  /** Seconds from the start of one embedding to that of the next in the same region; they overlap by the rest. */
  readonly hop: number;
}

export interface ClusteringOptions {
  readonly linkage: Linkage;
  /** Groups are one speaker from this similarity on. */
  readonly similarity: number;
  /** With a PLDA model: the part of an embedding's evidence that its overlapping neighbours have not given yet, 0 to 1. */
  readonly news: number;
  /** Seconds a speaker has to speak to be counted, */
  readonly minSeconds: number;
  /** or the part of all speech that is enough in a short recording. */
  readonly minShare: number;
  /** Mean cosine of all pairs from which two clusters are one speaker, whatever their likelihood ratio says. */
  readonly alike: number;
}

interface SpeakerLimits {
  readonly min: number;
  readonly max: number;
}

/** How many speakers `speaker_count` allows. */
export function speakerLimits(count: SpeakerCount): SpeakerLimits {
  if (count === 'auto') return { min: 1, max: 24 };
  if (count === '5+') return { min: 5, max: 12 };
  return { min: count, max: count };
}

/**
 * The speaker of each embedding, numbered from 0; -1 for a zero vector. There are as many speakers as asked for unless
 * there are fewer turns. A generator: it yields often, so that its thread can answer messages.
 */
export function* clusterSpeakers(
  embeddings: Embeddings,
  count: SpeakerCount,
  options: ClusteringOptions,
): Generator<void, Int32Array> {
  const { vectors, dimensions, regions } = embeddings;
  const known = [...embeddings.seconds.keys()].filter((at) => hasDirection(vectors, at, dimensions));
  const labels = new Int32Array(embeddings.seconds.length).fill(-1);
  if (known.length === 0) return labels;
  const { linkage } = options;
  const items = weightedItems(embeddings, known, options);
  const limits = speakerLimits(count);
  const itemRegions = known.map((at) => regions[at]!);
  const turns =
    typeof linkage === 'string'
      ? Int32Array.from(known.keys())
      : initialTurns(items, itemRegions, linkage, limits.min);
  const turnSums = sumByLabel(items, turns);
  const preclusters = yield* precluster(turnSums, linkage);
  const groups = sumByLabel(turnSums, preclusters);
  yield;
  const merges = cluster(typeof linkage === 'string' ? groups : tempered(groups), linkage);
  const minWeight = minSpeakerWeight(items, options, embeddings.hop);
  const clusters = cutMerges(groups, merges, limits, options, minWeight);
  const first = renumbered(turns.map((turn) => clusters[preclusters[turn]!]!));
  yield;
  const found =
    typeof linkage === 'string'
      ? mergeSimilar(items, first, options.alike, limits)
      : yield* refined({
          items,
          regions: itemRegions,
          labels: first,
          model: linkage,
          minWeight,
          alike: options.alike,
          limits,
        });
  known.forEach((at, place) => {
    labels[at] = found[place]!;
  });
  return labels;
}

/**
 * Likelihoods between turns are tempered by half: within a turn embeddings vary less than the same speaker does between
 * turns, so they overstate how sure it is that two turns differ.
 */
function tempered({ sums, weights, dimensions }: Groups): Groups {
  return { sums: sums.map((x) => x / 2), weights: weights.map((weight) => weight / 2), dimensions };
}

/** Above this number of speakers nothing is resegmented before similar ones are merged: its cost grows with the number. */
const maxResegmented = 64;

interface Refinement {
  readonly items: Groups;
  readonly regions: readonly number[];
  readonly labels: Int32Array;
  readonly model: PldaModel;
  readonly minWeight: number;
  readonly alike: number;
  readonly limits: SpeakerLimits;
}

/** Resegments, drops speakers that say too little, merges those that are alike, and resegments with what is left. */
function* refined(refinement: Refinement): Generator<void, Int32Array> {
  const { items, regions, labels, model, minWeight, alike, limits } = refinement;
  const resegmented = (now: Int32Array) => {
    const speakers = speakersIn(now);
    if (speakers > maxResegmented) return now;
    const next = renumbered(resegment(items, regions, now, speakers, model));
    return speakersIn(next) < Math.min(speakers, limits.min) ? now : next;
  };
  const first = resegmented(labels);
  yield;
  const large = sumByLabel(items, first).weights.filter((weight) => weight >= minWeight).length;
  const counted = large < limits.min ? first : reassignSmall(items, first, minWeight, model);
  let found = mergeSimilar(items, counted, alike, limits);
  for (let pass = 0; pass < 2; pass++) {
    yield;
    found = resegmented(found);
  }
  return found;
}

function speakersIn(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label + 1), 0);
}

/** Log-likelihood ratio from which neighbours are one turn. Below 0: a change that is not there costs more than a late one. */
const turnThreshold = -2;

/** Every embedding is a turn of its own where merging would leave fewer turns than speakers were asked for. */
function initialTurns(
  items: Groups,
  regions: readonly number[],
  model: PldaModel,
  minSpeakers: number,
): Int32Array {
  const turns = mergeAdjacent(items, regions, model, turnThreshold);
  const enough = turns.at(-1)! + 1 >= minSpeakers;
  return enough ? turns : Int32Array.from(items.weights.keys());
}

function hasDirection(vectors: Float32Array, at: number, dimensions: number): boolean {
  for (let i = at * dimensions; i < (at + 1) * dimensions; i++) if (vectors[i] !== 0) return true;
  return false;
}

/** The known embeddings as groups of one, weighted by their length; the longest weighs `news`. */
function weightedItems(
  { vectors, seconds, dimensions }: Embeddings,
  known: readonly number[],
  { news }: ClusteringOptions,
): Groups {
  const longest = known.reduce((most, at) => Math.max(most, seconds[at]!), 0);
  const weights = Float32Array.from(known, (at) => (news * seconds[at]!) / longest);
  const sums = new Float32Array(known.length * dimensions);
  known.forEach((at, place) => {
    for (let i = 0; i < dimensions; i++) {
      sums[place * dimensions + i] = vectors[at * dimensions + i]! * weights[place]!;
    }
  });
  return { sums, weights, dimensions };
}

/** In a long recording a speaker has to speak for this part of all speech to be counted, but for no more than so long. */
const longShare = 0.04;
const longSeconds = 10;

/** The weight from which a cluster is a speaker: smaller ones are coughs, or embeddings of two who speak at once. */
function minSpeakerWeight(
  { weights }: Groups,
  { news, minSeconds, minShare }: ClusteringOptions,
  hop: number,
): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const second = news / hop;
  const usual = Math.max(minSeconds * second, Math.min(longSeconds * second, total * longShare));
  return Math.min(usual, total * minShare);
}

/** Labels after the merges down to the threshold; more than `max` speakers may be left, which `mergeSimilar` joins. */
function cutMerges(
  groups: Groups,
  merges: readonly Merge[],
  { min }: SpeakerLimits,
  { linkage, similarity }: ClusteringOptions,
  minWeight: number,
): Int32Array {
  const total = groups.weights.length;
  const below = merges.findIndex((merge) => merge.similarity < similarity);
  const atThreshold = below < 0 ? merges.length : below;
  const speakersAfter = (steps: number) => {
    const { weights } = sumByLabel(groups, labelsAfter(total, merges.slice(0, steps)));
    return weights.filter((one) => one >= minWeight).length;
  };
  let steps = atThreshold;
  // Undoing merges gives more clusters, of which the small ones are reassigned; that is better than keeping a tiny one.
  if (speakersAfter(steps) < min)
    while (steps > 0 && speakersAfter(steps) < min && steps > atThreshold - 200) steps--;
  if (speakersAfter(steps) < min) return labelsAfter(total, merges.slice(0, Math.max(0, total - min)));
  return reassignSmall(groups, labelsAfter(total, merges.slice(0, steps)), minWeight, linkage);
}

/**
 * Merges clusters whose embeddings are alike on average. A likelihood ratio grows with every embedding, so over hours it
 * separates a speaker from himself where his voice has changed; a mean cosine does not grow.
 */
function mergeSimilar(
  groups: Groups,
  labels: Int32Array,
  alike: number,
  { min, max }: SpeakerLimits,
): Int32Array {
  const clusters = sumByLabel(groups, labels);
  const count = clusters.weights.length;
  const merges = cluster(clusters, 'average');
  const below = merges.findIndex((merge) => merge.similarity < alike);
  const atThreshold = count - (below < 0 ? merges.length : below);
  const speakers = Math.max(Math.min(count, min), Math.min(atThreshold, max));
  const merged = labelsAfter(count, merges.slice(0, count - speakers));
  return renumbered(labels.map((label) => merged[label]!));
}

/** Gives every group of a small cluster to the large cluster it is most like; all to one when none is large. */
function reassignSmall(groups: Groups, labels: Int32Array, minWeight: number, linkage: Linkage): Int32Array {
  const clusters = sumByLabel(groups, labels);
  const large = [...clusters.weights.keys()].filter((at) => clusters.weights[at]! >= minWeight);
  if (large.length === 0) return labels.map(() => 0);
  const measure = similarityOf(linkage);
  const d = groups.dimensions;
  const dot = (one: Groups, at: number, other: Groups, place: number) => {
    let sum = 0;
    for (let i = 0; i < d; i++) sum += one.sums[at * d + i]! * other.sums[place * d + i]!;
    return sum;
  };
  const squares = large.map((at) => dot(clusters, at, clusters, at));
  const next = labels.map((label, at) => {
    if (clusters.weights[label]! >= minWeight) return label;
    const square = dot(groups, at, groups, at);
    const similarities = large.map((place, index) =>
      measure(
        dot(groups, at, clusters, place),
        square,
        squares[index]!,
        groups.weights[at]!,
        clusters.weights[place]!,
      ),
    );
    return large[similarities.indexOf(Math.max(...similarities))]!;
  });
  return renumbered(next);
}
