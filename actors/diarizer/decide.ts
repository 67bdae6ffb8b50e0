// Decides which windows belong together and how many voices there are.
import type { SpeakerSide } from '../models/contract.ts';
import {
  agglomerate,
  type Groups,
  gather,
  labelsAfter,
  type Merge,
  renumbered,
  summed,
} from './agglomerate.ts';
import type { SpeakerCount } from './contract.ts';

export type Clustering = NonNullable<SpeakerSide['clustering']>;

export interface Windows {
  /** n×d, each of length 1 or all zeros. */
  readonly vectors: Float32Array;
  /** Seconds of each window. */
  readonly seconds: Float32Array;
  readonly dimensions: number;
}

/** How many voices there may be: from, to; to make of `speaker_count`. */
export function voiceLimits(count: SpeakerCount): { least: number; most: number } {
  if (count === 'auto') return { least: 1, most: 24 };
  if (count === '5+') return { least: 5, most: 12 };
  return { least: count, most: count };
}

/**
 * The voice of each window, numbered from 0; -1 where the vector says nothing. There are as many voices as asked for
 * unless there are fewer windows. A generator: it pauses often, so that its thread can answer.
 */
export function* decideVoices(
  windows: Windows,
  count: SpeakerCount,
  clustering: Clustering,
): Generator<void, Int32Array> {
  const { dimensions } = windows;
  const known = [...windows.seconds.keys()].filter((at) => windows.vectors[at * dimensions] !== 0);
  const labels = new Int32Array(windows.seconds.length).fill(-1);
  if (known.length === 0) return labels;
  const groups = picked(windows, known);
  const gathered = yield* gather(groups, clustering.linkage);
  const few = summed(groups, gathered);
  const merges = agglomerate(few, clustering.linkage);
  const { least, most } = voiceLimits(count);
  const voices = countVoices(few, merges, clustering.likeness, least, most);
  const clusters = labelsAfter(few.weights.length, merges.slice(0, few.weights.length - voices));
  const found = renumbered(gathered.map((group) => clusters[group]!));
  known.forEach((at, place) => {
    labels[at] = found[place]!;
  });
  return labels;
}

function picked({ vectors, seconds, dimensions }: Windows, known: readonly number[]): Groups {
  const sums = new Float32Array(known.length * dimensions);
  known.forEach((at, place) => {
    const vector = vectors.subarray(at * dimensions, (at + 1) * dimensions);
    for (let i = 0; i < dimensions; i++) sums[place * dimensions + i] = vector[i]! * seconds[at]!;
  });
  return { sums, weights: Float32Array.from(known, (at) => seconds[at]!), dimensions };
}

/** Voices left when no two groups are alike enough, without those that hardly speak; within the limits. */
function countVoices(
  few: Groups,
  merges: readonly Merge[],
  likeness: number,
  least: number,
  most: number,
): number {
  const total = few.weights.length;
  const apart = merges.findIndex((merge) => merge.likeness < likeness);
  const labels = labelsAfter(total, apart < 0 ? merges : merges.slice(0, apart));
  const { weights } = summed(few, labels);
  const spoken = weights.reduce((sum, seconds) => sum + seconds, 0);
  const real = weights.filter((seconds) => seconds >= Math.min(3, spoken * 0.1)).length;
  return Math.min(total, Math.max(least, Math.min(most, Math.max(1, real))));
}
