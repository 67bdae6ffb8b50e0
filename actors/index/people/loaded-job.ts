// One clustering in memory, ready to be asked where somebody is seen: its faces by cluster, and those of a
// cluster by media and frame.
import { damaged } from '../store/faults.ts';
import type { StoredClusters } from './cluster-columns.ts';
import { idBytes, numberOfId } from './entry-id.ts';

/** Columns have one value a face of a cluster; those of no cluster are left out. */
export interface LoadedJob {
  readonly name: string;
  /** Version of the clustering that it was read from. */
  readonly version: number;
  readonly clusterIds: readonly string[];
  /** Aligned with `clusterIds`; empty without a name. */
  readonly names: readonly string[];
  /** Faces of its media, also those of no cluster. */
  readonly faces: number;
  /** Where the faces of each cluster begin, and where those of the last one end. */
  readonly starts: Uint32Array;
  /** Number of the media, the same in every clustering of the folder. */
  readonly media: Uint32Array;
  /** Grid frame. */
  readonly frames: Uint32Array;
  /** `numberOfId` of each face: the same in every clustering. */
  readonly ids: Float64Array;
}

type Columns = Pick<LoadedJob, 'media' | 'frames' | 'ids'>;

/** Faces of one step, which takes some 5 ms. */
export const stepFaces = 1 << 18;

/** Brings what is stored of a clustering into that order, some faces at a time. */
export class JobIndexing {
  readonly #stored: StoredClusters;
  readonly #faces: number;
  /** Number of the media at each position in its hashes. */
  readonly #numbers: Uint32Array;
  readonly #starts: Uint32Array;
  /** Position of each cluster's next face. */
  #ends = new Uint32Array(0);
  #columns: Columns | null = null;
  #next = 0;

  /** `numberOf`: gives a content its number. Throws STORE_DAMAGED for columns that do not fit together. */
  constructor(stored: StoredClusters, numberOf: (hash: string) => number) {
    const { name, ids, media, frames, clusters, names, cluster_ids } = stored;
    this.#stored = stored;
    this.#faces = media.length;
    if (
      ids.length !== this.#faces * idBytes ||
      frames.length !== this.#faces ||
      clusters.length !== this.#faces ||
      names.length !== cluster_ids.length
    )
      throw damaged(`clustering ${name}`, 'its columns differ in length');
    this.#numbers = Uint32Array.from(stored.hashes, numberOf);
    this.#starts = new Uint32Array(cluster_ids.length + 1);
  }

  /** Goes on for some milliseconds; null until everything is done. Throws STORE_DAMAGED. */
  step(): LoadedJob | null {
    const last = Math.min(this.#faces, this.#next + stepFaces);
    if (this.#columns === null) this.#count(last);
    else this.#sort(last, this.#columns);
    this.#next = last;
    if (last < this.#faces) return null;
    if (this.#columns !== null) return this.#finished(this.#columns);
    this.#begin();
    return null;
  }

  #count(last: number): void {
    const { name, media, clusters, cluster_ids, hashes } = this.#stored;
    for (let at = this.#next; at < last; at++) {
      const cluster = clusters[at]!;
      if (cluster >= cluster_ids.length || media[at]! >= hashes.length)
        throw damaged(`clustering ${name}`, 'a face belongs to nothing');
      if (cluster >= 0) this.#starts[cluster + 1]!++;
    }
  }

  #begin(): void {
    const starts = this.#starts;
    for (let cluster = 1; cluster < starts.length; cluster++) starts[cluster]! += starts[cluster - 1]!;
    const clustered = starts.at(-1) ?? 0;
    this.#ends = starts.slice();
    this.#columns = {
      media: new Uint32Array(clustered),
      frames: new Uint32Array(clustered),
      ids: new Float64Array(clustered),
    };
    this.#next = 0;
  }

  #sort(last: number, columns: Columns): void {
    const { ids, media, frames, clusters } = this.#stored;
    for (let at = this.#next; at < last; at++) {
      const cluster = clusters[at]!;
      if (cluster < 0) continue;
      const to = this.#ends[cluster]!++;
      columns.media[to] = this.#numbers[media[at]!]!;
      columns.frames[to] = frames[at]!;
      columns.ids[to] = numberOfId(ids, at);
    }
  }

  #finished(columns: Columns): LoadedJob {
    const { name, version, cluster_ids, names } = this.#stored;
    const starts = this.#starts;
    return { name, version, clusterIds: cluster_ids, names, faces: this.#faces, starts, ...columns };
  }
}

/** All of it at once. Throws STORE_DAMAGED. */
export function indexedJob(stored: StoredClusters, numberOf: (hash: string) => number): LoadedJob {
  const indexing = new JobIndexing(stored, numberOf);
  for (;;) {
    const job = indexing.step();
    if (job !== null) return job;
  }
}

/** People of a clustering: a name on several clusters is one, each cluster without a name another. */
export function peopleOf({ names }: LoadedJob): { people: number; named: number } {
  const named = new Set(names.filter((name) => name !== '')).size;
  return { people: named + names.filter((name) => name === '').length, named };
}
