// A clustering as people look at it: pages of the faces of its clusters, and where somebody is seen.
import { joinRanges } from '../../../../runtime/join-ranges.ts';
import { type ClusterColumns, membersOf } from '../../people/cluster-columns.ts';
import { type ClusteringState, clusterNumber } from '../../people/clustering-state.ts';
import type { ClusterFaces } from '../../people/contract.ts';
import { idText } from '../../people/entry-id.ts';
import { sampleOrder } from '../../people/sample-order.ts';
import { readable } from '../faults.ts';
import type { FacePlaces } from '../records.ts';
import { EntryPositions } from './entry-positions.ts';
import { placeBytes } from './face-rolls.ts';
import { readDisplay } from './face-rows.ts';
import type { StoredFaces } from './stored-faces.ts';

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export interface Appearance {
  readonly hash_str: string;
  readonly faces: number;
  readonly ranges: [number, number][];
}

export class ClusterView {
  readonly state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #faces: StoredFaces;
  /** Entries by cluster, ascending; noise is the last. */
  readonly #members: readonly Int32Array[];
  #shown: FacePictures | null = null;

  constructor(state: ClusteringState, columns: ClusterColumns, faces: StoredFaces) {
    this.state = state;
    this.#columns = columns;
    this.#faces = faces;
    this.#members = membersOf(columns.clusters, state.cluster_ids.length);
  }

  get #pictures(): FacePictures {
    const changes = this.#faces.changes();
    if (this.#shown === null || changes === null || this.#shown.seen !== changes) {
      this.#shown = new FacePictures(this.#faces, this.state, this.#columns);
    }
    return this.#shown;
  }

  /** Positions of the clusters of such a size, largest first. */
  ofSize(least: number, most: number): number[] {
    const { sizes, cluster_ids } = this.state;
    const found = [...sizes.keys()].filter((at) => sizes[at]! >= least && sizes[at]! <= most);
    return found.sort(
      (a, b) => sizes[b]! - sizes[a]! || clusterNumber(cluster_ids[a]!) - clusterNumber(cluster_ids[b]!),
    );
  }

  /**
   * A page of each cluster, best first; -1 is the noise. `broken` is told of media whose pictures are
   * damaged.
   */
  pages(
    clusters: readonly number[],
    { offset, limit }: Page,
    broken: (hash: string, error: Error) => void,
  ): ClusterFaces[] {
    const pictures = this.#pictures;
    const { media, quality, ids } = this.#columns;
    const chosen = clusters.map((cluster) => {
      const members = this.#members.at(cluster) ?? new Int32Array(0);
      const available = pictures.available(members);
      const order = sampleOrder(available, media, quality, offset + limit).subarray(offset);
      return { cluster, size: members.length, available: available.length, entries: [...order] };
    });
    const all = pictures.read(
      chosen.flatMap(({ entries }) => entries),
      broken,
    );
    let at = 0;
    return chosen.map(({ cluster, size, available, entries }) => {
      const own = entries.flatMap((entry) => {
        const picture = all[at++];
        return picture ? [{ entry, picture }] : [];
      });
      const id = cluster < 0 ? '' : this.state.cluster_ids[cluster]!;
      return {
        cluster_id: id,
        name: this.state.names[id] ?? '',
        size,
        available_faces: available,
        faces: own.map(({ picture }) => picture),
        entry_ids: own.map(({ entry }) => idText(ids, entry)),
      };
    });
  }

  /** Half-open ranges of grid frames of a cluster, by content. */
  appearances(cluster: number): Appearance[] {
    const { media, frames } = this.#columns;
    const members = this.#members[cluster] ?? new Int32Array(0);
    const found: Appearance[] = [];
    for (let from = 0; from < members.length; ) {
      let to = from;
      const own = media[members[from]!]!;
      while (to < members.length && media[members[to]!] === own) to++;
      const seen = Array.from(members.subarray(from, to), (entry) => frames[entry]!);
      const ranges = joinRanges(seen.map((frame) => [frame, frame + 1] as const));
      found.push({ hash_str: this.state.media[own]!, faces: to - from, ranges });
      from = to;
    }
    return found;
  }
}

// The pictures of the faces of a clustering; an entry that is not there any more has none.

class FacePictures {
  readonly #faces: StoredFaces;
  readonly #state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #positions: EntryPositions;

  constructor(faces: StoredFaces, state: ClusteringState, columns: ClusterColumns) {
    this.#faces = faces;
    this.#state = state;
    this.#columns = columns;
    this.#positions = new EntryPositions(faces, state, columns);
  }

  /** How far the changes of faces were known. */
  get seen(): number | null {
    return this.#positions.seen;
  }

  /** Those that have a picture. */
  available(members: Int32Array): Int32Array {
    return this.#positions.there(members);
  }

  /** JPEG for people of each, *copied*; null for one that is damaged, of whose media `broken` is told. */
  read(
    entries: readonly number[],
    broken: (hash: string, error: Error) => void,
  ): (Uint8Array<ArrayBuffer> | null)[] {
    const rolls = this.#faces.rolls();
    const places = new Map<number, FacePlaces | null>();
    const placesOf = (media: number, report: (error: Error) => void) => {
      const { model_key } = this.#state;
      const hash = this.#state.media[media]!;
      if (!places.has(media))
        places.set(
          media,
          readable(() => this.#faces.places(model_key, hash), report),
        );
      return places.get(media) ?? null;
    };
    try {
      return entries.map((entry) => {
        const media = this.#columns.media[entry]!;
        const told = (error: Error) => broken(this.#state.media[media]!, error);
        const of = placesOf(media, told);
        const at = this.#positions.of(entry);
        const roll = of && of.file !== '' ? rolls.of(of.file, told) : null;
        if (of === null || roll === null || at < 0 || (at + 1) * placeBytes > of.places.length) return null;
        return readable(() => readDisplay(roll, of.places, at), told);
      });
    } finally {
      rolls.close();
    }
  }
}
