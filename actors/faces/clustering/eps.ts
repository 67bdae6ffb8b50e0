// Chooses eps between the distances of one person's faces and those of different people.
//
// Looked at are, for each face of a sample, the distances to its 1st, 2nd, 4th, 8th, … nearest neighbour: of a large person
// and of a small one about as many of them lie within the person as beyond. Otsu's threshold divides them in two, and the
// valley between the peaks of both sides is where people part. Without a valley there is no structure to be found: all are
// one person, or all are strangers.
import { distanceOf } from '../../models/face-distance.ts';

/** What is found is never outside, for a model with the usual eps: beyond lie vectors that are nearly equal, and any two. */
const [leastEps, mostEps] = [0.2, 0.8];

/** Bins of a histogram of distances, 0 to 2. */
export const bins = 200;
export const binWidth = 2 / bins;

/** Faces of which fewer tell nothing. */
const fewest = 20;
/** Of the distances to neighbours, on either side. */
const leastShare = 0.02;
/** The valley against the lower peak: crowds have 0 to 0.21, one person or strangers alone 0.52 to 1. */
const highestValley = 0.35;
/** A bin is smoothed with so many on either side. */
const smoothing = 2;

export interface Distances {
  /** Histogram, of each sampled face to its 1st, 2nd, 4th, … nearest neighbour. */
  readonly neighbours: Float64Array;
  /** Histogram, of each sampled face to all others. */
  readonly all: Float64Array;
  /** How many faces there are. */
  readonly faces: number;
  /** The eps that suits the model which made the vectors. */
  readonly own: number;
}

/** Null: there is no structure. */
export function epsFrom({ neighbours, all, faces, own }: Distances): number | null {
  if (faces < fewest) return null;
  const edge = otsu(neighbours);
  const [same, others] = [momentsOf(neighbours, 0, edge), momentsOf(neighbours, edge, bins)];
  if (Math.min(same.weight, others.weight) < leastShare * (same.weight + others.weight)) return null;
  const valley = valleyOf(neighbours, edge);
  if (valley.height > highestValley) return null;
  const eps = Math.max(same.mean, Math.min(valley.middle, rareBelow(all, edge, faces)));
  const [least, most] = [distanceOf(leastEps, own), distanceOf(mostEps, own)];
  return Math.round(Math.min(most, Math.max(least, eps)) * 100) / 100;
}

/**
 * Otsu's threshold: the first bin of the upper side where the variance between both sides is greatest; the middle of equally
 * good ones, which lie in a gap.
 */
function otsu(histogram: Float64Array): number {
  let [best, first, last] = [0, 0, 0];
  for (let edge = 1; edge < bins; edge++) {
    const [low, high] = [momentsOf(histogram, 0, edge), momentsOf(histogram, edge, bins)];
    const between = low.weight * high.weight * (high.mean - low.mean) ** 2;
    if (between > best * (1 + 1e-9)) [best, first] = [between, edge];
    if (between >= best * (1 - 1e-9)) last = edge;
  }
  return Math.floor((first + last) / 2);
}

interface Moments {
  readonly weight: number;
  readonly mean: number;
}

/** Of the bins from `from` up to `to`. */
function momentsOf(histogram: Float64Array, from: number, to: number): Moments {
  let [weight, sum] = [0, 0];
  for (let bin = from; bin < to; bin++) {
    weight += histogram[bin]!;
    sum += histogram[bin]! * (bin + 0.5) * binWidth;
  }
  return { weight, mean: weight === 0 ? 0 : sum / weight };
}

/** Between the peaks of both sides. `height`: of its bottom, against the lower peak. */
function valleyOf(histogram: Float64Array, edge: number): { height: number; middle: number } {
  const smooth = histogram.map((_, bin) =>
    histogram.subarray(Math.max(0, bin - smoothing), bin + smoothing + 1).reduce((sum, one) => sum + one, 0),
  );
  const highest = (from: number, to: number) => {
    let best = from;
    for (let bin = from; bin < to; bin++) if (smooth[bin]! > smooth[best]!) best = bin;
    return best;
  };
  const [low, high] = [highest(0, edge), highest(edge, bins)];
  const bottom = smooth.subarray(low, high + 1).reduce((least, one) => Math.min(least, one));
  const [first, last] = [smooth.indexOf(bottom, low), smooth.lastIndexOf(bottom, high)];
  return {
    height: bottom / Math.min(smooth[low]!, smooth[high]!),
    middle: ((first + last + 1) / 2) * binWidth,
  };
}

/**
 * The distance below which less than one pair of strangers is expected among so many faces, if their distances are normal:
 * one pair within eps joins two people. Median and deviation are those of the upper half, where only strangers are.
 */
function rareBelow(all: Float64Array, edge: number, faces: number): number {
  const strangers = all.map((weight, bin) => (bin < edge ? 0 : weight));
  const median = quantile(strangers, 0.5);
  const deviation = quantile(strangers, 0.841) - median;
  return median - deviation * Math.sqrt(2 * Math.log((faces * (faces - 1)) / 2));
}

function quantile(histogram: Float64Array, share: number): number {
  let left = share * histogram.reduce((sum, one) => sum + one, 0);
  for (let bin = 0; bin < bins; bin++) {
    if (histogram[bin]! >= left) return (bin + left / histogram[bin]!) * binWidth;
    left -= histogram[bin]!;
  }
  return 2;
}
