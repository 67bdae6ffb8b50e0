// Compares the clusters of one clustering, a part in each step, so that searches come in between: a few good
// faces of each are read and their middles compared with each other, then the nearest pairs by their faces.
import { kernelOver, type ScanKernel } from '../visual/kernel.ts';
import { paddedLength, quantize, stride8, writeRow8 } from '../visual/quantize.ts';
import { type ClusterColumns, membersOf, sampleOrder } from './cluster-columns.ts';
import type { Anchors, ClusteringState, Then } from './clustering-state.ts';
import { peopleErrors } from './contract.ts';
import { mostOf } from './corrections.ts';
import { positionsOf } from './entry-id.ts';

// The best k of many scores, as a heap whose root is the worst that is still in. Equal scores: the lower item
// wins, so the result does not depend on the order of offers.

export class Top {
  readonly size: number;
  readonly #scores: Float64Array;
  readonly #items: Float64Array;
  #count = 0;

  constructor(size: number) {
    this.size = size;
    this.#scores = new Float64Array(size);
    this.#items = new Float64Array(size);
  }

  /** Score above which an offer is accepted; a loop over many scores compares with it before it offers. */
  get threshold(): number {
    if (this.size === 0) return Number.POSITIVE_INFINITY;
    return this.#count < this.size ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number);
  }

  #worse(a: number, b: number): boolean {
    const [first, second] = [this.#scores[a]!, this.#scores[b]!];
    return first < second || (first === second && this.#items[a]! > this.#items[b]!);
  }

  #swap(a: number, b: number): void {
    const [score, item] = [this.#scores[a]!, this.#items[a]!];
    this.#scores[a] = this.#scores[b]!;
    this.#items[a] = this.#items[b]!;
    this.#scores[b] = score;
    this.#items[b] = item;
  }

  offer(score: number, item: number): void {
    if (this.#count < this.size) {
      let at = this.#count++;
      this.#scores[at] = score;
      this.#items[at] = item;
      for (let up = (at - 1) >> 1; at > 0 && this.#worse(at, up); up = (at - 1) >> 1) {
        this.#swap(at, up);
        at = up;
      }
      return;
    }
    if (
      this.size === 0 ||
      score < this.#scores[0]! ||
      (score === this.#scores[0]! && item >= this.#items[0]!)
    )
      return;
    this.#scores[0] = score;
    this.#items[0] = item;
    this.#sink();
  }

  /**
   * Brings the root to its place. The hot loop of a search: no allocation, the moved entry is written once.
   */
  #sink(): void {
    const scores = this.#scores;
    const items = this.#items;
    const count = this.#count;
    const [score, item] = [scores[0]!, items[0]!];
    let at = 0;
    for (let child = 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && this.#worse(child + 1, child)) child++;
      const [below, its] = [scores[child]!, items[child]!];
      if (below > score || (below === score && its < item)) break;
      scores[at] = below;
      items[at] = its;
      at = child;
    }
    scores[at] = score;
    items[at] = item;
  }

  /** Best first. */
  sorted(): { score: number; item: number }[] {
    return Array.from({ length: this.#count }, (_, i) => ({
      score: this.#scores[i]!,
      item: this.#items[i]!,
    })).sort((a, b) => b.score - a.score || a.item - b.item);
  }
}

/** Faces that stand for a cluster: the best ones, of different media where there are. */
const exemplars = 8;
/** Clusters that are compared: so many take a few seconds. */
const mostClusters = 8192;
/** Pairs that get a closer look, for each one that is asked for, and at least. */
const candidatesOfEach = 20;
const leastCandidates = 400;
/** Limits of one step of some 5 ms: vectors read, bytes of centroids compared. */
const stepVectors = 512;
const stepBytes = 16 << 20;

export interface SuggestionOptions {
  /** Null: any pair. */
  readonly cluster_id: string | null;
  readonly other_names: boolean;
  /** Cosine. */
  readonly least: number;
  readonly limit: number;
}

/** The way to the vectors of entries; closed by whoever made it. */
export interface Vectors {
  readonly dimensions: number;
  of(entries: ArrayLike<number>): Float32Array;
}

export interface AlikePair {
  readonly cluster_ids: [string, string];
  readonly cosine: number;
}

export class FaceComparison {
  readonly #state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #vectors: Vectors;
  readonly #options: SuggestionOptions;
  readonly #members: readonly Int32Array[];
  /** Positions of clusters; what is compared is told by places in this list. */
  readonly #clusters: readonly number[];
  /** The place of the cluster that all pairs have to have. */
  readonly #only: number | null;
  readonly #isAsked: IsCandidatePair;
  readonly #centroids: Centroids;
  readonly leftOut: number;
  #read = 0;
  #compared = 0;
  #candidates: [number, number][] | null = null;
  #scored = 0;
  #pairs: AlikePair[] = [];

  /** Throws UNKNOWN_CLUSTER. */
  constructor(state: ClusteringState, columns: ClusterColumns, vectors: Vectors, options: SuggestionOptions) {
    this.#state = state;
    this.#columns = columns;
    this.#vectors = vectors;
    this.#options = options;
    const requestedCluster = options.cluster_id === null ? null : positionOf(state, options.cluster_id);
    const { clusters, leftOut } = comparedClusters(state, requestedCluster, mostClusters);
    this.#clusters = clusters;
    this.#only = requestedCluster === null ? null : clusters.indexOf(requestedCluster);
    this.leftOut = leftOut;
    this.#members = membersOf(columns.clusters, state.cluster_ids.length);
    const isAsked = candidatePairs(state, columns, options.other_names);
    this.#isAsked = (first, second) => isAsked(clusters[first]!, clusters[second]!);
    const candidates = Math.max(leastCandidates, options.limit * candidatesOfEach);
    this.#centroids = new Centroids(clusters.length, vectors.dimensions, candidates);
  }

  /** True when it is done. */
  step(): boolean {
    if (this.#read < this.#clusters.length) this.#readSome();
    else if (this.#compared < this.#clusters.length) this.#compareSome();
    else return this.#scoreSome();
    return false;
  }

  /** Most alike first. */
  get pairs(): readonly AlikePair[] {
    return this.#pairs;
  }

  #exemplarsOf(place: number): Float32Array {
    const { media, quality } = this.#columns;
    return this.#vectors.of(sampleOrder(this.#members[this.#clusters[place]!]!, media, quality, exemplars));
  }

  #readSome(): void {
    const end = Math.min(this.#clusters.length, this.#read + stepVectors / exemplars);
    for (; this.#read < end; this.#read++) this.#centroids.add(this.#exemplarsOf(this.#read));
  }

  #compareSome(): void {
    if (this.#only !== null) {
      this.#centroids.compare(this.#only, true, this.#isAsked);
      this.#compared = this.#clusters.length;
      return;
    }
    const bytes = this.#vectors.dimensions * this.#clusters.length;
    const end = Math.min(this.#clusters.length, this.#compared + Math.max(1, Math.floor(stepBytes / bytes)));
    for (; this.#compared < end; this.#compared++) {
      this.#centroids.compare(this.#compared, false, this.#isAsked);
    }
  }

  #scoreSome(): boolean {
    this.#candidates ??= this.#centroids.candidates();
    const end = Math.min(this.#candidates.length, this.#scored + stepVectors / exemplars / 2);
    for (; this.#scored < end; this.#scored++) {
      const [first, second] = this.#candidates[this.#scored]!;
      const alike = likeness(this.#exemplarsOf(first), this.#exemplarsOf(second), this.#vectors.dimensions);
      if (alike < this.#options.least) continue;
      const ids = [first, second].map((place) => this.#state.cluster_ids[this.#clusters[place]!]!);
      this.#pairs.push({ cluster_ids: ids as [string, string], cosine: Math.min(1, alike) });
    }
    if (this.#scored < this.#candidates.length) return false;
    this.#pairs = this.#pairs.toSorted((a, b) => b.cosine - a.cosine).slice(0, this.#options.limit);
    return true;
  }
}

function positionOf({ cluster_ids }: ClusteringState, id: string): number {
  const at = cluster_ids.indexOf(id);
  if (at >= 0) return at;
  throw peopleErrors.UNKNOWN_CLUSTER(`cluster_id: there is no cluster ${id}`, { field: 'cluster_id' });
}

// How alike two people are by a few faces of each: the mean of the best pairs of faces. A person looks
// different in most pictures and the same in some, so means of all faces say less.

/** Pairs that count, no face in two of them: so one face that got into the wrong cluster joins nobody. */
const bestPairs = 3;

/** `a`, `b`: n×d and m×d, L2-normalised. Cosine, -1 when one of them has no face. */
export function likeness(a: Float32Array, b: Float32Array, dimensions: number): number {
  const [rows, columns] = [a.length / dimensions, b.length / dimensions];
  const cosines = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) cosines[i * columns + j] = dot(a, i, b, j, dimensions);
  }
  const count = Math.min(bestPairs, rows, columns);
  let sum = 0;
  for (let pair = 0; pair < count; pair++) {
    let best = 0;
    for (let at = 1; at < cosines.length; at++) if (cosines[at]! > cosines[best]!) best = at;
    sum += cosines[best]!;
    const [row, column] = [Math.floor(best / columns), best % columns];
    for (let j = 0; j < columns; j++) cosines[row * columns + j] = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < rows; i++) cosines[i * columns + column] = Number.NEGATIVE_INFINITY;
  }
  return count === 0 ? -1 : sum / count;
}

function dot(a: Float32Array, i: number, b: Float32Array, j: number, dimensions: number): number {
  let sum = 0;
  for (let k = 0; k < dimensions; k++) sum += a[i * dimensions + k]! * b[j * dimensions + k]!;
  return sum;
}

// The middles of clusters at 8 bits, each compared with all that come behind it: which pairs are worth a
// closer look. Some ten million pairs are compared in a second.

const pageBytes = 65_536;

class Centroids {
  readonly #count: number;
  readonly #padded: number;
  readonly #stride: number;
  readonly #memory: WebAssembly.Memory;
  readonly #kernel: ScanKernel;
  /** Bytes: the query, the scores, the places that stand out, the rows. */
  readonly #scoresAt: number;
  readonly #hitsAt: number;
  readonly #rowsAt: number;
  readonly #middles: Float32Array;
  readonly #dimensions: number;
  readonly #top: Top;
  #filled = 0;

  constructor(count: number, dimensions: number, candidates: number) {
    this.#count = count;
    this.#dimensions = dimensions;
    this.#padded = paddedLength(dimensions);
    this.#stride = stride8(dimensions);
    const aligned = Math.ceil(count / 4) * 16;
    this.#scoresAt = this.#padded * 2;
    this.#hitsAt = this.#scoresAt + aligned;
    this.#rowsAt = this.#hitsAt + aligned;
    const bytes = this.#rowsAt + count * this.#stride;
    const pages = Math.ceil(bytes / pageBytes);
    this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    this.#kernel = kernelOver(this.#memory);
    this.#middles = new Float32Array(count * dimensions);
    this.#top = new Top(candidates);
  }

  /** The next cluster, by some vectors of length 1; one without any is like nobody. */
  add(vectors: Float32Array): void {
    const d = this.#dimensions;
    const at = this.#filled++;
    const middle = this.#middles.subarray(at * d, (at + 1) * d);
    for (let i = 0; i < vectors.length; i++) middle[i % d]! += vectors[i]!;
    let square = 0;
    for (const value of middle) square += value * value;
    if (square > 0) for (let k = 0; k < d; k++) middle[k]! /= Math.sqrt(square);
    writeRow8(middle, new Uint8Array(this.#memory.buffer), this.#rowsAt + at * this.#stride);
  }

  /** Compares the cluster at `place` with those behind it, or with all others. Places among the clusters. */
  compare(place: number, withAll: boolean, isAsked: IsCandidatePair): void {
    const first = withAll ? 0 : place + 1;
    const count = this.#filled - first;
    if (count <= 0) return;
    const d = this.#dimensions;
    const query = new Int16Array(this.#memory.buffer, 0, this.#padded);
    const scale = quantize(this.#middles.subarray(place * d, (place + 1) * d), query);
    const rows = this.#rowsAt + first * this.#stride;
    this.#kernel.scan(rows, count, this.#stride, this.#padded, 0, this.#scoresAt, scale, 0);
    const least = Math.max(0, this.#top.threshold);
    const hitCount = this.#kernel.above(this.#scoresAt, count, least, this.#hitsAt);
    const hits = new Int32Array(this.#memory.buffer, this.#hitsAt, hitCount);
    const scores = new Float32Array(this.#memory.buffer, this.#scoresAt, count);
    for (const hit of hits) {
      const otherPlace = first + hit;
      if (otherPlace === place || scores[hit]! <= this.#top.threshold || !isAsked(place, otherPlace))
        continue;
      this.#top.offer(scores[hit]!, place * this.#count + otherPlace);
    }
  }

  /** The pairs that are most alike, best first. */
  candidates(): [number, number][] {
    return this.#top
      .sorted()
      .map(({ item }) => [Math.floor(item / this.#count), item % this.#count] as [number, number]);
  }
}

// Which pairs of clusters nobody needs to be asked about: those that are one person by name, and those that a
// correction says are two.

/** Takes positions of clusters. */
type IsCandidatePair = (first: number, second: number) => boolean;

/** `otherNames`: pairs of two names are asked about as well. */
function candidatePairs(
  state: ClusteringState,
  columns: ClusterColumns,
  otherNames: boolean,
): IsCandidatePair {
  const names = state.cluster_ids.map((id) => state.names[id] ?? '');
  /** A name on two clusters is one person, and what holds one of them apart holds for both. */
  const first = new Map([...names.entries()].reverse().map(([at, name]) => [name, at]));
  const personOf = names.map((name, at) => (name === '' ? at : first.get(name)!));
  const count = names.length;
  const apart = new Set<number>();
  const standing = standingIn(state, columns);
  for (const [first, second] of heldApart(state)) {
    const [a, b] = [standing(first.anchors), standing(second.anchors)];
    if (a < 0 || b < 0) continue;
    apart.add(personOf[a]! * count + personOf[b]!);
    apart.add(personOf[b]! * count + personOf[a]!);
  }
  return (first, second) => {
    const [a, b] = [personOf[first]!, personOf[second]!];
    if (a === b || apart.has(a * count + b)) return false;
    return otherNames || names[first] === '' || names[second] === '';
  };
}

/** A move says as well that its faces are not who they were taken for. */
function* heldApart({ corrections }: ClusteringState): Iterable<readonly [Then, Then]> {
  for (const correction of corrections) {
    if (correction.kind === 'apart') yield correction.clusters;
    if (correction.kind === 'move') yield [correction.from, correction.to];
  }
}

/** The cluster that most of some faces are in; -1 for none. */
function standingIn(state: ClusteringState, { ids, clusters }: ClusterColumns): (anchors: Anchors) => number {
  const mentioned = [...heldApart(state)].flatMap(([first, second]) => [...first.anchors, ...second.anchors]);
  const positions = positionsOf(ids, mentioned);
  return (anchors) => mostOf(anchors, (anchor) => clusters[positions.get(anchor) ?? -1] ?? -1);
}

/** Positions of the clusters to compare, the largest ones, largest first; and how many are left out. */
function comparedClusters(
  { sizes }: ClusteringState,
  requestedCluster: number | null,
  most: number,
): { clusters: number[]; leftOut: number } {
  const bySize = [...sizes.keys()].sort((a, b) => sizes[b]! - sizes[a]! || a - b);
  const clusters = bySize.slice(0, most);
  if (requestedCluster !== null && !clusters.includes(requestedCluster))
    clusters[clusters.length - 1] = requestedCluster;
  return { clusters, leftOut: Math.max(0, bySize.length - most) };
}
