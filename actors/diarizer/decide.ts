// Decides which windows belong together and how many voices there are.
import {
  cluster,
  type Groups,
  gather,
  type Linkage,
  labelsAfter,
  type Merge,
  renumbered,
  similarityOf,
  summed,
  type VoiceModel,
} from './clustering.ts';
import type { SpeakerCount } from './contract.ts';
import { resegment } from './resegment.ts';
import { joinNeighbours } from './stretches.ts';

/** Windows in the order of time, channel after channel. */
export interface Windows {
  /** n×d, each of length 1 or all zeros. */
  readonly vectors: Float32Array;
  /** Seconds of each window. */
  readonly seconds: Float32Array;
  /** The stretch of speech of each window. */
  readonly regions: ArrayLike<number>;
  readonly dimensions: number;
  /** Seconds from a window to the next one of the same stretch: the rest of it is heard twice. */
  readonly hop: number;
}

export interface Clustering {
  readonly linkage: Linkage;
  /** Groups become one voice from this similarity on. */
  readonly similarity: number;
  /** With a model of voices: how much of what a window says is news, from 0 to 1. */
  readonly news: number;
  /** Seconds somebody has to speak to be counted as a voice, */
  readonly least: number;
  /** or the part of all speech that is enough where there is little. */
  readonly share: number;
  /** Mean cosine of all pairs of windows from which two clusters are one voice whatever else speaks against it. */
  readonly alike: number;
}

/** How many voices there may be: from, to; to make of `speaker_count`. */
export function voiceLimits(count: SpeakerCount): { least: number; most: number } {
  if (count === 'auto') return { least: 1, most: 24 };
  if (count === '5+') return { least: 5, most: 12 };
  return { least: count, most: count };
}

/**
 * The voice of each window, numbered from 0; -1 where the vector says nothing. There are as many voices as asked for
 * unless there are fewer turns. A generator: it pauses often, so that its thread can answer.
 */
export function* decideVoices(
  windows: Windows,
  count: SpeakerCount,
  clustering: Clustering,
): Generator<void, Int32Array> {
  const { vectors, dimensions, regions } = windows;
  const known = [...windows.seconds.keys()].filter((at) => hasDirection(vectors, at, dimensions));
  const labels = new Int32Array(windows.seconds.length).fill(-1);
  if (known.length === 0) return labels;
  const { linkage } = clustering;
  const each = picked(windows, known, clustering);
  const limits = voiceLimits(count);
  const where = known.map((at) => regions[at]!);
  const turns =
    typeof linkage === 'string' ? Int32Array.from(known.keys()) : turnsOf(each, where, linkage, limits.least);
  const sums = summed(each, turns);
  const gathered = yield* gather(sums, linkage);
  const few = summed(sums, gathered);
  yield;
  const merges = cluster(typeof linkage === 'string' ? few : restrained(few), linkage);
  const small = smallest(each, clustering, windows.hop);
  const clusters = cut(few, merges, limits, clustering, small);
  const split = renumbered(turns.map((turn) => clusters[gathered[turn]!]!));
  yield;
  const found =
    typeof linkage === 'string'
      ? joinAlike(each, split, clustering.alike, limits)
      : yield* revised({
          each,
          where,
          labels: split,
          model: linkage,
          small,
          alike: clustering.alike,
          limits,
        });
  known.forEach((at, place) => {
    labels[at] = found[place]!;
  });
  return labels;
}

type Limits = ReturnType<typeof voiceLimits>;

/**
 * What turns say against each other counts less than what is said within one: what a voice says later differs more from
 * what it said before than one window differs from the next.
 */
function restrained({ sums, weights, dimensions }: Groups): Groups {
  return { sums: sums.map((x) => x / 2), weights: weights.map((weight) => weight / 2), dimensions };
}

/** More voices than that are left as they are until those that are alike have joined: the work grows with the number. */
const mostRevised = 64;

interface Split {
  readonly each: Groups;
  readonly where: readonly number[];
  readonly labels: Int32Array;
  readonly model: VoiceModel;
  readonly small: number;
  readonly alike: number;
  readonly limits: Limits;
}

/** Gives every window to the voice it is most like, and joins those voices that are one when that has made them clear. */
function* revised({ each, where, labels, model, small, alike, limits }: Split): Generator<void, Int32Array> {
  const again = (now: Int32Array) => {
    const voices = voicesOf(now);
    if (voices > mostRevised) return now;
    const next = renumbered(resegment(each, where, now, voices, model));
    return voicesOf(next) < Math.min(voices, limits.least) ? now : next;
  };
  const traced = again(labels);
  yield;
  const large = summed(each, traced).weights.filter((weight) => weight >= small).length;
  const counted = large < limits.least ? traced : withoutSmall(each, traced, small, model);
  let found = joinAlike(each, counted, alike, limits);
  for (let time = 0; time < 2; time++) {
    yield;
    found = again(found);
  }
  return found;
}

function voicesOf(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label + 1), 0);
}

/** Neighbours are joined also when that is slightly less likely than not: a wrong turn costs more than a late one. */
const goesOn = -2;

/** Where joining leaves fewer turns than voices were asked for, every window stays by itself. */
function turnsOf(each: Groups, where: readonly number[], model: VoiceModel, least: number): Int32Array {
  const turns = joinNeighbours(each, where, model, goesOn);
  const enough = turns.at(-1)! + 1 >= least;
  return enough ? turns : Int32Array.from(each.weights.keys());
}

function hasDirection(vectors: Float32Array, at: number, dimensions: number): boolean {
  for (let i = at * dimensions; i < (at + 1) * dimensions; i++) if (vectors[i] !== 0) return true;
  return false;
}

/** A window weighs what it adds: the seconds until the next one, of a full window at most. */
function picked(
  { vectors, seconds, dimensions }: Windows,
  known: readonly number[],
  { news }: Clustering,
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

/** In a long conversation a voice speaks more than in a short one, or is not counted: this part of it, or so long. */
const longShare = 0.04;
const longSeconds = 10;

/** The weight from which a cluster is a voice: what speaks less is somebody coughing, or two at once. */
function smallest({ weights }: Groups, { news, least, share }: Clustering, hop: number): number {
  const weight = weights.reduce((sum, one) => sum + one, 0);
  const second = news / hop;
  const usual = Math.max(least * second, Math.min(longSeconds * second, weight * longShare));
  return Math.min(usual, weight * share);
}

/** The cluster of each group; more than `most` where they have yet to join. */
function cut(
  few: Groups,
  merges: readonly Merge[],
  { least }: Limits,
  { linkage, similarity }: Clustering,
  small: number,
): Int32Array {
  const total = few.weights.length;
  const apart = merges.findIndex((merge) => merge.similarity < similarity);
  const natural = apart < 0 ? merges.length : apart;
  const voices = (steps: number) => {
    const { weights } = summed(few, labelsAfter(total, merges.slice(0, steps)));
    return weights.filter((one) => one >= small).length;
  };
  let steps = natural;
  // Rather more groups, of which the small ones are then given away, than a voice that is hardly there.
  if (voices(steps) < least) while (steps > 0 && voices(steps) < least && steps > natural - 200) steps--;
  if (voices(steps) < least) return labelsAfter(total, merges.slice(0, Math.max(0, total - least)));
  return withoutSmall(few, labelsAfter(total, merges.slice(0, steps)), small, linkage);
}

/**
 * Evidence grows with every window, also that of a voice which is hoarse an hour later: large clusters are one voice
 * when their windows are alike on average, however sure it is that they differ.
 */
function joinAlike(groups: Groups, labels: Int32Array, alike: number, { least, most }: Limits): Int32Array {
  const clusters = summed(groups, labels);
  const count = clusters.weights.length;
  const merges = cluster(clusters, 'average');
  const apart = merges.findIndex((merge) => merge.similarity < alike);
  const natural = count - (apart < 0 ? merges.length : apart);
  const voices = Math.max(Math.min(count, least), Math.min(natural, most));
  const joined = labelsAfter(count, merges.slice(0, count - voices));
  return renumbered(labels.map((label) => joined[label]!));
}

/** Gives the groups of small clusters to the large ones they are most like; all to one when none is large. */
function withoutSmall(few: Groups, labels: Int32Array, small: number, linkage: Linkage): Int32Array {
  const clusters = summed(few, labels);
  const large = [...clusters.weights.keys()].filter((at) => clusters.weights[at]! >= small);
  if (large.length === 0) return labels.map(() => 0);
  const measure = similarityOf(linkage);
  const d = few.dimensions;
  const dot = (one: Groups, at: number, other: Groups, place: number) => {
    let sum = 0;
    for (let i = 0; i < d; i++) sum += one.sums[at * d + i]! * other.sums[place * d + i]!;
    return sum;
  };
  const squares = large.map((at) => dot(clusters, at, clusters, at));
  const next = labels.map((label, at) => {
    if (clusters.weights[label]! >= small) return label;
    const square = dot(few, at, few, at);
    const similarities = large.map((place, index) =>
      measure(
        dot(few, at, clusters, place),
        square,
        squares[index]!,
        few.weights[at]!,
        clusters.weights[place]!,
      ),
    );
    return large[similarities.indexOf(Math.max(...similarities))]!;
  });
  return renumbered(next);
}
