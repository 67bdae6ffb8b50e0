// Clusters speaker embeddings: which of them are one speaker, and how many speakers there are.
import {
  cluster,
  type Groups,
  type Linkage,
  labelsAfter,
  type Merge,
  type PldaLinkage,
  precluster,
  renumbered,
  similarityOf,
  sumByLabel,
} from './clustering.ts';
import type { SpeakerCount } from './contract.ts';
import { mergeAdjacent } from './merge-adjacent.ts';
import { inPldaSpace, type Plda } from './plda.ts';
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
  readonly linkage: 'average' | 'centroid' | PldaClustering;
  /** Groups are one speaker from this similarity on. */
  readonly similarity: number;
  /** Seconds a speaker has to speak to be counted, */
  readonly minSeconds: number;
  /** or the part of all speech that is enough in a short recording. */
  readonly minShare: number;
}

export interface PldaClustering {
  readonly plda: Plda;
  /** The part of an embedding's evidence that its overlapping neighbours have not given yet, 0 to 1. */
  readonly news: number;
  /** How fast the evidence of a group saturates: see `PldaLinkage`. */
  readonly saturation: number;
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
  const linkage = linkageOf(options);
  const items = yield* weightedItems(embeddings, known, options);
  yield;
  const limits = speakerLimits(count);
  const itemRegions = known.map((at) => regions[at]!);
  const turns =
    typeof linkage === 'string'
      ? Int32Array.from(known.keys())
      : initialTurns(items, itemRegions, linkage, limits.min);
  yield;
  const turnSums = sumByLabel(items, turns);
  const preclusters = yield* precluster(turnSums, linkage);
  const groups = sumByLabel(turnSums, preclusters);
  yield;
  const merges = cluster(groups, linkage);
  yield;
  const minWeight = minSpeakerWeight(items, options, embeddings.hop);
  const cut = { linkage, similarity: options.similarity, limits, minWeight };
  const clusters = cutMerges(groups, merges, cut);
  const first = renumbered(turns.map((turn) => clusters[preclusters[turn]!]!));
  yield;
  const found =
    typeof linkage === 'string'
      ? joinedDownTo(items, first, limits.max, linkage)
      : yield* refined({ items, regions: itemRegions, labels: first, model: linkage, minWeight, limits });
  const counted = typeof linkage === 'string' || limits.min > 1 ? found : oneWhereLikely(items, found, cut);
  known.forEach((at, place) => {
    labels[at] = counted[place]!;
  });
  return labels;
}

function linkageOf({ linkage }: ClusteringOptions): Linkage {
  if (typeof linkage === 'string') return linkage;
  return { between: linkage.plda.between, saturation: linkage.saturation };
}

/** How much less alike the last two may be and still be one: somebody who speaks alone is not rare. */
const lessForOne = 6;

/** Two speakers who are all there are become one where that is likely enough. */
function oneWhereLikely(items: Groups, labels: Int32Array, { linkage, similarity }: Cut): Int32Array {
  const two = sumByLabel(items, labels);
  if (two.weights.length !== 2) return labels;
  const { own, of } = similarityOf(linkage);
  const likelihood = of(two, 0, own(two, 0), two, 1, own(two, 1));
  return likelihood >= similarity - lessForOne ? labels.map(() => 0) : labels;
}

/** Above this number of speakers nothing is resegmented before small ones are reassigned: its cost grows with the number. */
const maxResegmented = 64;

interface Refinement {
  readonly items: Groups;
  readonly regions: readonly number[];
  readonly labels: Int32Array;
  readonly model: PldaLinkage;
  readonly minWeight: number;
  readonly limits: SpeakerLimits;
}

/** Resegments, drops speakers that say too little or are too many, and resegments with what is left. */
function* refined(refinement: Refinement): Generator<void, Int32Array> {
  const { items, regions, labels, model, minWeight, limits } = refinement;
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
  const joined = joinedDownTo(items, counted, limits.max, model);
  yield;
  return resegmented(joined);
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
  model: PldaLinkage,
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

/** Embeddings that are moved into the space of a PLDA between two yields: about 30 ms of work. */
const movedPerStep = 2000;

/** The known embeddings as groups of one, weighted by their length; in the space of the PLDA where there is one. */
function* weightedItems(
  { vectors, seconds, dimensions: d }: Embeddings,
  known: readonly number[],
  { linkage }: ClusteringOptions,
): Generator<void, Groups> {
  const plain = typeof linkage === 'string';
  const dimensions = plain ? d : linkage.plda.between.length;
  const sums = new Float32Array(known.length * dimensions);
  for (let from = 0; from < known.length; from += movedPerStep) {
    const part = known.slice(from, from + movedPerStep);
    const chosen = new Float32Array(part.length * d);
    part.forEach((at, place) => {
      chosen.set(vectors.subarray(at * d, (at + 1) * d), place * d);
    });
    sums.set(plain ? chosen : inPldaSpace(chosen, linkage.plda), from * dimensions);
    yield;
  }
  const longest = known.reduce((most, at) => Math.max(most, seconds[at]!), 0);
  const full = (plain ? 1 : linkage.news) / longest;
  const weights = Float32Array.from(known, (at) => full * seconds[at]!);
  weights.forEach((weight, place) => {
    for (let i = place * dimensions; i < (place + 1) * dimensions; i++) sums[i]! *= weight;
  });
  return { sums, weights, dimensions };
}

/** In a long recording a speaker has to speak for this part of all speech to be counted, but for no more than so long. */
const longShare = 0.04;
const longSeconds = 10;

/** The weight from which a cluster is a speaker: smaller ones are coughs, or embeddings of two who speak at once. */
function minSpeakerWeight(
  { weights }: Groups,
  { linkage, minSeconds, minShare }: ClusteringOptions,
  hop: number,
): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const second = (typeof linkage === 'string' ? 1 : linkage.news) / hop;
  const usual = Math.max(minSeconds * second, Math.min(longSeconds * second, total * longShare));
  return Math.min(usual, total * minShare);
}

interface Cut {
  readonly linkage: Linkage;
  readonly similarity: number;
  readonly limits: SpeakerLimits;
  readonly minWeight: number;
}

/** Labels after the merges down to the threshold; more than `max` speakers may be left, which are joined later. */
function cutMerges(
  groups: Groups,
  merges: readonly Merge[],
  { linkage, similarity, limits: { min }, minWeight }: Cut,
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

/** Merges the most similar clusters until there are at most `most`. */
function joinedDownTo(groups: Groups, labels: Int32Array, most: number, linkage: Linkage): Int32Array {
  const clusters = sumByLabel(groups, labels);
  const count = clusters.weights.length;
  if (count <= most) return labels;
  const merged = labelsAfter(count, cluster(clusters, linkage).slice(0, count - most));
  return renumbered(labels.map((label) => merged[label]!));
}

/** Gives every group of a small cluster to the large cluster it is most like; all to one when none is large. */
function reassignSmall(groups: Groups, labels: Int32Array, minWeight: number, linkage: Linkage): Int32Array {
  const clusters = sumByLabel(groups, labels);
  const large = [...clusters.weights.keys()].filter((at) => clusters.weights[at]! >= minWeight);
  if (large.length === 0) return labels.map(() => 0);
  const { own, of } = similarityOf(linkage);
  const owns = large.map((at) => own(clusters, at));
  const next = labels.map((label, at) => {
    if (clusters.weights[label]! >= minWeight) return label;
    const alone = own(groups, at);
    const similarities = large.map((place, index) => of(groups, at, alone, clusters, place, owns[index]!));
    return large[similarities.indexOf(Math.max(...similarities))]!;
  });
  return renumbered(next);
}
