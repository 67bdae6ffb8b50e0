// Clusters speaker embeddings: which of them are one speaker, and how many speakers there are.
import {
  cluster,
  type GroupMerge,
  type Groups,
  join,
  type Linkage,
  labelsAfter,
  type PldaLinkage,
  precluster,
  renumbered,
  similarityOf,
  sumByLabel,
} from './clustering.ts';
import type { SpeakerCount } from './contract.ts';
import { inPldaSpace, type Plda } from './plda.ts';
import { mergeAdjacent, resegment } from './resegment.ts';

/** Embeddings in the order of time, channel after channel. */
export interface Embeddings {
  /** n×d, each of length 1 or all zeros. */
  readonly vectors: Float32Array;
  /** Seconds of sound behind each embedding. */
  readonly seconds: Float32Array;
  /** The region of speech of each embedding. */
  readonly regions: ArrayLike<number>;
  readonly dimensions: number;
  /**
   * Seconds from the start of one embedding to that of the next in the same region; they overlap by the rest.
   */
  readonly hop: number;
}

export interface ClusteringOptions {
  readonly linkage: 'average' | 'centroid' | PldaClustering;
  /** Groups are one speaker from this similarity on; with a PLDA, from this score on. */
  readonly similarity: number;
  /** Seconds a speaker has to speak to be counted, */
  readonly minSeconds: number;
  /** or the part of all speech that is enough in a short recording. */
  readonly minShare: number;
}

interface PldaClustering {
  readonly plda: Plda;
  readonly score: MergeScore;
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

export interface ClusteredSpeakers {
  /** The speaker of each embedding, numbered from 0; -1 for a zero vector. */
  readonly labels: Int32Array;
  /** How many speakers there are at each of the other similarities. */
  readonly counts: readonly number[];
}

/**
 * There are as many speakers as asked for unless there are fewer turns. `others`: similarities with which the
 * speakers are counted as well. A generator: it yields often, so that its thread can answer messages.
 */
export function* clusterSpeakers(
  embeddings: Embeddings,
  count: SpeakerCount,
  options: ClusteringOptions,
  others: readonly number[] = [],
): Generator<void, ClusteredSpeakers> {
  const { vectors, dimensions, regions } = embeddings;
  const usable = [...embeddings.seconds.keys()].filter((at) => hasDirection(vectors, at, dimensions));
  const labels = new Int32Array(embeddings.seconds.length).fill(-1);
  if (usable.length === 0) return { labels, counts: others.map(() => 0) };
  const linkage = linkageOf(options);
  const { items, units } = yield* weightedItems(embeddings, usable, options);
  yield;
  const limits = speakerLimits(count);
  const itemRegions = usable.map((at) => regions[at]!);
  const turns =
    typeof linkage === 'string'
      ? Int32Array.from(usable.keys())
      : initialTurns(items, itemRegions, linkage, limits.min);
  yield;
  const turnSums = sumByLabel(items, turns);
  const preclusters = yield* precluster(turnSums, linkage);
  const groups = sumByLabel(turnSums, preclusters);
  yield;
  const merges = cluster(groups, linkage);
  yield;
  const minWeight = minSpeakerWeight(items, options, embeddings.hop);
  const groupUnits = sumByLabel(
    units,
    turns.map((turn) => preclusters[turn]!),
  );
  const itemsAt = function* (similarity: number): Generator<void, Int32Array> {
    const stop = mergesToKeep(groupUnits, merges, minWeight, { ...options, similarity });
    const clusters = cutMerges(groups, merges, { linkage, stop, limits, minWeight });
    const first = renumbered(turns.map((turn) => clusters[preclusters[turn]!]!));
    yield;
    return typeof linkage === 'string'
      ? joinedDownTo(items, first, limits.max, linkage)
      : yield* refined({ items, regions: itemRegions, labels: first, model: linkage, minWeight, limits });
  };
  const itemLabels = yield* itemsAt(options.similarity);
  usable.forEach((at, place) => {
    labels[at] = itemLabels[place]!;
  });
  const counts: number[] = [];
  for (const similarity of others) {
    const otherLabels = similarity === options.similarity ? itemLabels : yield* itemsAt(similarity);
    counts.push(speakersIn(otherLabels));
  }
  return { labels, counts };
}

function linkageOf({ linkage }: ClusteringOptions): Linkage {
  if (typeof linkage === 'string') return linkage;
  return { between: linkage.plda.between, saturation: linkage.saturation };
}

/**
 * How many of the merges join what is one speaker. `units`: the sum of the embeddings of each group that was
 * clustered.
 */
function mergesToKeep(
  units: Groups,
  merges: readonly GroupMerge[],
  minWeight: number,
  { linkage, similarity }: ClusteringOptions,
): number {
  if (typeof linkage !== 'string') return firstRejected(units, merges, linkage.score, similarity, minWeight);
  const below = merges.findIndex((merge) => merge.similarity < similarity);
  return below < 0 ? merges.length : below;
}

/**
 * Above this number of speakers nothing is resegmented before small ones are reassigned: its cost grows with
 * the number.
 */
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

/**
 * Log-likelihood ratio from which neighbours are one turn. Below 0: a change that is not there costs more
 * than a late one.
 */
const turnThreshold = -2;

/**
 * Every embedding is a turn of its own where merging would leave fewer turns than speakers were asked for.
 */
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

/** The same embeddings twice, as groups of one that are weighted by their length. */
interface WeightedItems {
  /** In the space of the PLDA; without one the same as `units`. */
  readonly items: Groups;
  /** Embeddings of the model. */
  readonly units: Groups;
}

function* weightedItems(
  { vectors, seconds, dimensions }: Embeddings,
  usable: readonly number[],
  { linkage }: ClusteringOptions,
): Generator<void, WeightedItems> {
  const plain = typeof linkage === 'string';
  const longest = usable.reduce((most, at) => Math.max(most, seconds[at]!), 0);
  const full = (plain ? 1 : linkage.news) / longest;
  const weights = Float32Array.from(usable, (at) => full * seconds[at]!);
  const chosen = new Float32Array(usable.length * dimensions);
  usable.forEach((at, place) => {
    chosen.set(vectors.subarray(at * dimensions, (at + 1) * dimensions), place * dimensions);
  });
  const units = weighted(chosen, weights, dimensions);
  if (plain) return { items: units, units };
  const space = linkage.plda.between.length;
  const moved = new Float32Array(usable.length * space);
  for (let from = 0; from < usable.length; from += movedPerStep) {
    const part = chosen.subarray(from * dimensions, (from + movedPerStep) * dimensions);
    moved.set(inPldaSpace(part, linkage.plda), from * space);
    yield;
  }
  return { items: weighted(moved, weights, space), units };
}

function weighted(vectors: Float32Array, weights: Float32Array, dimensions: number): Groups {
  const sums = vectors.slice();
  weights.forEach((weight, place) => {
    for (let i = place * dimensions; i < (place + 1) * dimensions; i++) sums[i]! *= weight;
  });
  return { sums, weights, dimensions };
}

/**
 * In a long recording a speaker has to speak for this part of all speech to be counted, but for no more than
 * so long.
 */
const longShare = 0.04;
const longSeconds = 10;

/**
 * The weight from which a cluster is a speaker: smaller ones are coughs, or embeddings of two who speak at
 * once.
 */
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
  /** Number of merges that join pieces of one speaker. */
  readonly stop: number;
  readonly limits: SpeakerLimits;
  readonly minWeight: number;
}

/** Labels after the merges that are kept; more than `max` speakers may be left, which are joined later. */
function cutMerges(
  groups: Groups,
  merges: readonly GroupMerge[],
  { linkage, stop, limits: { min }, minWeight }: Cut,
): Int32Array {
  const total = groups.weights.length;
  const speakersAfter = (steps: number) => {
    const { weights } = sumByLabel(groups, labelsAfter(total, merges.slice(0, steps)));
    return weights.filter((weight) => weight >= minWeight).length;
  };
  let steps = stop;
  // Undoing merges gives more clusters, of which the small ones are reassigned; that is better than keeping a
  // tiny one.
  if (speakersAfter(steps) < min)
    while (steps > 0 && speakersAfter(steps) < min && steps > stop - 200) steps--;
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

/**
 * Gives every group of a small cluster to the large cluster it is most like; all to one when none is large.
 */
function reassignSmall(groups: Groups, labels: Int32Array, minWeight: number, linkage: Linkage): Int32Array {
  const clusters = sumByLabel(groups, labels);
  const large = [...clusters.weights.keys()].filter((at) => clusters.weights[at]! >= minWeight);
  if (large.length === 0) return labels.map(() => 0);
  const { termOf, of } = similarityOf(linkage);
  const terms = large.map((at) => termOf(clusters, at));
  const next = labels.map((label, at) => {
    if (clusters.weights[label]! >= minWeight) return label;
    const alone = termOf(groups, at);
    const similarities = large.map((place, index) => of(groups, at, alone, clusters, place, terms[index]!));
    return large[similarities.indexOf(Math.max(...similarities))]!;
  });
  return renumbered(next);
}

// The stopping criterion of clustering: the first merge that would join two speakers.

/**
 * Terms added to the log-likelihood ratio of two groups: these factors, times the mean cosine of all pairs
 * between the groups and times the cosine of their sums. Likelihoods alone see too much difference between
 * two halves of one speaker, because clustering has put similar pieces into each half.
 */
interface MergeScore {
  readonly average: number;
  readonly centroid: number;
}

/**
 * The place of the first merge whose two groups both have `minWeight` and score below `threshold`; the number
 * of merges where there is none. `units`: of every group in the list that was clustered, the sum of its
 * embeddings of length 1. What a small group is like says too little: it stays where it was merged.
 */
export function firstRejected(
  units: Groups,
  merges: readonly GroupMerge[],
  score: MergeScore,
  threshold: number,
  minWeight: number,
): number {
  const now: Groups = { ...units, sums: units.sums.slice(), weights: units.weights.slice() };
  const [average, centroid] = [similarityOf('average'), similarityOf('centroid')];
  for (const [place, { into, from, similarity }] of merges.entries()) {
    if (now.weights[into]! >= minWeight && now.weights[from]! >= minWeight) {
      const [term, otherTerm] = [centroid.termOf(now, into), centroid.termOf(now, from)];
      const ofPairs = average.of(now, into, term, now, from, otherTerm);
      const ofSums = centroid.of(now, into, term, now, from, otherTerm);
      if (similarity + score.average * ofPairs + score.centroid * ofSums < threshold) return place;
    }
    join(now, into, from);
  }
  return merges.length;
}
