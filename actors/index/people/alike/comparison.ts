// Compares the clusters of one clustering, a part in each step, so that searches come in between: a few good faces of each are
// read and their middles compared with each other, then the nearest pairs by their faces.
import { type ClusterColumns, membersOf } from '../cluster-columns.ts';
import type { ClusteringState } from '../clustering-state.ts';
import { peopleErrors } from '../contract.ts';
import { sampleOrder } from '../sample-order.ts';
import { candidatePairs, comparedClusters, type IsCandidatePair } from './apart.ts';
import { Centroids } from './centroids.ts';
import { likeness } from './likeness.ts';

/** Faces that stand for a cluster: the best ones, of different media where there are. */
const exemplars = 8;
/** Clusters that are compared: so many take a few seconds. */
const mostClusters = 8192;
/** Pairs that get a closer look, for each one that is asked for, and at least. */
const candidatesOfEach = 20;
const leastCandidates = 400;
/** Of one step, which takes some 5 ms: vectors read, bytes of middles compared. */
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

export class Comparison {
  readonly #state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #vectors: Vectors;
  readonly #asked: SuggestionOptions;
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
  constructor(state: ClusteringState, columns: ClusterColumns, vectors: Vectors, asked: SuggestionOptions) {
    this.#state = state;
    this.#columns = columns;
    this.#vectors = vectors;
    this.#asked = asked;
    const wanted = asked.cluster_id === null ? null : positionOf(state, asked.cluster_id);
    const { clusters, leftOut } = comparedClusters(state, wanted, mostClusters);
    this.#clusters = clusters;
    this.#only = wanted === null ? null : clusters.indexOf(wanted);
    this.leftOut = leftOut;
    this.#members = membersOf(columns.clusters, state.cluster_ids.length);
    const isAsked = candidatePairs(state, columns, asked.other_names);
    this.#isAsked = (one, other) => isAsked(clusters[one]!, clusters[other]!);
    const candidates = Math.max(leastCandidates, asked.limit * candidatesOfEach);
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
      const [one, other] = this.#candidates[this.#scored]!;
      const alike = likeness(this.#exemplarsOf(one), this.#exemplarsOf(other), this.#vectors.dimensions);
      if (alike < this.#asked.least) continue;
      const ids = [one, other].map((place) => this.#state.cluster_ids[this.#clusters[place]!]!);
      this.#pairs.push({ cluster_ids: ids as [string, string], cosine: Math.min(1, alike) });
    }
    if (this.#scored < this.#candidates.length) return false;
    this.#pairs = this.#pairs.toSorted((a, b) => b.cosine - a.cosine).slice(0, this.#asked.limit);
    return true;
  }
}

function positionOf({ cluster_ids }: ClusteringState, id: string): number {
  const at = cluster_ids.indexOf(id);
  if (at >= 0) return at;
  throw peopleErrors.UNKNOWN_CLUSTER(`cluster_id: there is no cluster ${id}`, { field: 'cluster_id' });
}
