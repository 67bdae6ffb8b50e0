// One clustering: its entries, and how far the work on them is. The work begins anew when entries are added
// or something else is asked for.
import { engineErrors } from '../../../runtime/errors.ts';
import { distanceOf } from '../../models/face-distance.ts';
import type { ClusterLabels } from '../contract.ts';
import { Dbscan } from './dbscan.ts';
import { type Block, dot, type EarlierLabels, Entries, roundingError, type TiledRows } from './entries.ts';
import type { Product } from './product.ts';

interface ClusteringParameters {
  /** Null: found from the distances. */
  readonly eps: number | null;
  readonly minSamples: number;
}

/** The part of the fraction that finding eps is. */
const epsShare = 0.1;

export class Clustering {
  readonly entries: Entries;
  readonly #before: EarlierLabels | null;
  readonly #ownEps: number;
  #parameters: ClusteringParameters | null = null;
  #work: AsyncGenerator<void, ClusterLabels> | null = null;
  #result: ClusterLabels | null = null;
  #fraction = 0;

  /** `ownEps`: the one that suits the model which made the vectors. */
  constructor(dimensions: number, before: EarlierLabels | null, ownEps: number) {
    if (before !== null && before.labels.length !== before.neighbours.length) {
      const { labels, neighbours } = before;
      throw engineErrors.INVALID_MESSAGE(
        `before: ${labels.length} labels and ${neighbours.length} neighbour counts`,
      );
    }
    this.entries = new Entries(dimensions);
    this.#before = before;
    this.#ownEps = ownEps;
  }

  /** Throws INVALID_MESSAGE. */
  add(vectors: Float32Array, weak: Uint8Array): void {
    this.entries.add(vectors, weak);
    this.#forget();
  }

  /** 0 to 1; never falls while the same is asked for. */
  get fraction(): number {
    return this.#fraction;
  }

  /** One multiplication; true when the labels are there. Never two at a time. Throws INVALID_MESSAGE. */
  async advance(request: ClusteringParameters, product: Product): Promise<boolean> {
    if (request.eps !== this.#parameters?.eps || request.minSamples !== this.#parameters?.minSamples)
      this.#forget();
    if (this.#result !== null) return true;
    this.#parameters = request;
    const work = this.#work ?? this.#run(request, product);
    this.#work = work;
    try {
      const { done, value } = await work.next();
      // Entries were added meanwhile.
      if (this.#work !== work) this.#forget();
      else if (done) this.#finish(value);
    } catch (error) {
      this.#forget();
      throw error;
    }
    return this.#result !== null;
  }

  /** Throws INVALID_MESSAGE before the last step is done. */
  labels(): ClusterLabels {
    if (this.#result === null)
      throw engineErrors.INVALID_MESSAGE('clustering: its last step is not done yet');
    return this.#result;
  }

  #finish(labels: ClusterLabels): void {
    this.#result = labels;
    this.#work = null;
    this.#fraction = 1;
  }

  #forget(): void {
    this.#parameters = null;
    this.#work = null;
    this.#result = null;
    this.#fraction = 0;
  }

  async *#run(
    { eps: given, minSamples }: ClusteringParameters,
    product: Product,
  ): AsyncGenerator<void, ClusterLabels> {
    const before = this.#before;
    if (given === null && before !== null) {
      throw engineErrors.INVALID_MESSAGE('eps: is needed where `before` says what was found by it');
    }
    const share = given === null ? epsShare : 0;
    const eps = given ?? (yield* this.#finding(findEps(this.entries.strong, product, this.#ownEps)));
    const dbscan = new Dbscan(this.entries, product, { eps, minSamples, before });
    const work = dbscan.run();
    for (;;) {
      const { done, value } = await work.next();
      if (done) return value;
      this.#fraction = Math.max(this.#fraction, share + (1 - share) * dbscan.fraction);
      yield;
    }
  }

  async *#finding(work: AsyncGenerator<number, number>): AsyncGenerator<void, number> {
    for (;;) {
      const { done, value } = await work.next();
      if (done) return value;
      this.#fraction = Math.max(this.#fraction, epsShare * value);
      yield;
    }
  }
}

// Finds eps from the distances of a bounded sample to all strong entries. The sample is chosen by what the
// vectors are, so that their order changes nothing.

/** Entries whose distances are looked at. */
const sampled = 512;

/**
 * Yields the part that is done, 0 to 1, after each multiplication; ends with eps. `usualEps`: the one that
 * suits the model, which is the answer where the distances have no structure.
 */
export async function* findEps(
  rows: TiledRows,
  product: Product,
  usualEps: number,
): AsyncGenerator<number, number> {
  const sample = yield* sampleOf(rows);
  const histograms = sample.map(() => new Float64Array(bins));
  const numbers = new Map(sample.map((number, i) => [number, i]));
  let done = 0;
  for (const left of rows.picked(sample)) {
    for (const right of rows.blocks(0, rows.count)) {
      await product.multiply(left, right, rows.dimensions);
      for (let row = 0; row < left.count; row++) {
        fill(histograms[numbers.get(left.at[row]!)!]!, left, row, right, product, rows.dimensions);
      }
      done += left.count * right.count;
      yield done / (sample.length * rows.count);
    }
  }
  return epsFrom({ ...pooled(histograms), faces: rows.count, usualEps }) ?? usualEps;
}

/** Rows with the lowest hashes of their bits. */
function* sampleOf(rows: TiledRows): Generator<number, number[]> {
  const hashes = new Uint32Array(rows.count);
  for (const { vectors, at } of rows.blocks(0, rows.count)) {
    const bits = new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
    for (const [i, number] of at.entries()) hashes[number] = hashOf(bits, i, rows.dimensions);
    yield 0;
  }
  return [...hashes.keys()].sort((a, b) => hashes[a]! - hashes[b]! || a - b).slice(0, sampled);
}

/** FNV-1a over the words of a row. */
function hashOf(bits: Uint32Array, row: number, dimensions: number): number {
  let hash = 0x811c9dc5;
  for (let at = row * dimensions; at < (row + 1) * dimensions; at++) {
    hash = Math.imul(hash ^ bits[at]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/**
 * Counts the distances of a row to a block, but for the one to itself. Near an edge of a bin the exact
 * distance counts.
 */
function fill(
  histogram: Float64Array,
  left: Block,
  row: number,
  right: Block,
  { cosines }: Product,
  dimensions: number,
): void {
  const unsure = roundingError(dimensions) / binWidth;
  const self = left.at[row]!;
  const first = row * right.count;
  for (let column = 0; column < right.count; column++) {
    if (right.at[column] === self) continue;
    let place = (1 - cosines[first + column]!) / binWidth;
    const edge = Math.round(place);
    if (Math.abs(place - edge) <= unsure) {
      place = (1 - dot(left.vectors, row, right.vectors, column, dimensions)) / binWidth;
    }
    histogram[place <= 0 ? 0 : place >= bins ? bins - 1 : Math.floor(place)]! += 1;
  }
}

/** The histograms of all rows together, and those of the distances to their 1st, 2nd, 4th, … neighbour. */
function pooled(histograms: readonly Float64Array[]): { all: Float64Array; neighbours: Float64Array } {
  const [all, neighbours] = [new Float64Array(bins), new Float64Array(bins)];
  for (const histogram of histograms) {
    let [total, rank] = [0, 1];
    for (const [bin, count] of histogram.entries()) {
      all[bin]! += count;
      for (total += count; rank <= total; rank *= 2) neighbours[bin]! += 1;
    }
  }
  return { all, neighbours };
}

// Chooses eps between the distances of one person's faces and those of different people.
//
// Looked at are, for each face of a sample, the distances to its 1st, 2nd, 4th, 8th, … nearest neighbour: of
// a large person and of a small one about as many of them lie within the person as beyond. Otsu's threshold
// divides them in two, and the valley between the peaks of both sides is where people part. Without a valley
// there is no structure to be found: all are one person, or all are strangers.

/**
 * Bounds of the eps that is derived, for a model with the usual eps. Beyond them lie vectors that are nearly
 * equal, or any two.
 */
const [leastEps, mostEps] = [0.2, 0.8];

/** Bins of a histogram of distances, 0 to 2. */
const bins = 200;
const binWidth = 2 / bins;

/** Faces of which fewer tell nothing. */
const fewest = 20;
/** Smallest share of the distances to neighbours on either side of the valley. */
const leastShare = 0.02;
/** The valley against the lower peak: crowds have 0 to 0.21, one person or strangers alone 0.52 to 1. */
const highestValley = 0.35;
/** A bin is smoothed with so many on either side. */
const smoothing = 2;

interface Distances {
  /** Histogram, of each sampled face to its 1st, 2nd, 4th, … nearest neighbour. */
  readonly neighbours: Float64Array;
  /** Histogram, of each sampled face to all others. */
  readonly all: Float64Array;
  readonly faces: number;
  /** The eps that suits the model which made the vectors. */
  readonly usualEps: number;
}

/** Null: there is no structure. */
function epsFrom({ neighbours, all, faces, usualEps }: Distances): number | null {
  if (faces < fewest) return null;
  const edge = otsu(neighbours);
  const [same, others] = [momentsOf(neighbours, 0, edge), momentsOf(neighbours, edge, bins)];
  if (Math.min(same.weight, others.weight) < leastShare * (same.weight + others.weight)) return null;
  const valley = valleyOf(neighbours, edge);
  if (valley.height > highestValley) return null;
  const eps = Math.max(same.mean, Math.min(valley.middle, rareBelow(all, edge, faces)));
  const [least, most] = [distanceOf(leastEps, usualEps), distanceOf(mostEps, usualEps)];
  return Math.round(Math.min(most, Math.max(least, eps)) * 100) / 100;
}

/**
 * Otsu's threshold: the first bin of the upper side where the variance between both sides is greatest; the
 * middle of equally good ones, which lie in a gap.
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

/** Moments of the bins from `from` up to `to`. */
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
    histogram
      .subarray(Math.max(0, bin - smoothing), bin + smoothing + 1)
      .reduce((sum, count) => sum + count, 0),
  );
  const highest = (from: number, to: number) => {
    let best = from;
    for (let bin = from; bin < to; bin++) if (smooth[bin]! > smooth[best]!) best = bin;
    return best;
  };
  const [low, high] = [highest(0, edge), highest(edge, bins)];
  const bottom = smooth.subarray(low, high + 1).reduce((least, count) => Math.min(least, count));
  const [first, last] = [smooth.indexOf(bottom, low), smooth.lastIndexOf(bottom, high)];
  return {
    height: bottom / Math.min(smooth[low]!, smooth[high]!),
    middle: ((first + last + 1) / 2) * binWidth,
  };
}

/**
 * The distance below which less than one pair of strangers is expected among so many faces, if their
 * distances are normal: one pair within eps joins two people. Median and deviation are those of the upper
 * half, where only strangers are.
 */
function rareBelow(all: Float64Array, edge: number, faces: number): number {
  const strangers = all.map((weight, bin) => (bin < edge ? 0 : weight));
  const median = quantile(strangers, 0.5);
  const deviation = quantile(strangers, 0.841) - median;
  return median - deviation * Math.sqrt(2 * Math.log((faces * (faces - 1)) / 2));
}

function quantile(histogram: Float64Array, share: number): number {
  let remaining = share * histogram.reduce((sum, count) => sum + count, 0);
  for (let bin = 0; bin < bins; bin++) {
    if (histogram[bin]! >= remaining) return (bin + remaining / histogram[bin]!) * binWidth;
    remaining -= histogram[bin]!;
  }
  return 2;
}
