// The stopping criterion of clustering: the first merge that would join two speakers.
import { type Groups, join, type Merge, similarityOf } from './clustering.ts';

/**
 * What is added to the log-likelihood ratio of two groups: these, times the mean cosine of all pairs between the groups and
 * times the cosine of their sums. Likelihoods alone find too much between the two halves into which clustering has parted
 * one speaker, since it has put what is alike into each.
 */
export interface MergeScore {
  readonly average: number;
  readonly centroid: number;
}

/**
 * The place of the first merge whose two groups both have `minWeight` and score below `threshold`; the number of merges where
 * there is none. `units`: of every group in the list that was clustered, the sum of its embeddings of length 1. What a small
 * group is like says too little: it stays where it was merged.
 */
export function firstRejected(
  units: Groups,
  merges: readonly Merge[],
  score: MergeScore,
  threshold: number,
  minWeight: number,
): number {
  const now: Groups = { ...units, sums: units.sums.slice(), weights: units.weights.slice() };
  const [average, centroid] = [similarityOf('average'), similarityOf('centroid')];
  for (const [place, { into, other, similarity }] of merges.entries()) {
    if (now.weights[into]! >= minWeight && now.weights[other]! >= minWeight) {
      const [own, othersOwn] = [centroid.own(now, into), centroid.own(now, other)];
      const ofPairs = average.of(now, into, own, now, other, othersOwn);
      const ofSums = centroid.of(now, into, own, now, other, othersOwn);
      if (similarity + score.average * ofPairs + score.centroid * ofSums < threshold) return place;
    }
    join(now, into, other);
  }
  return merges.length;
}
