// Where the entries of a clustering are among the faces that are stored now. Faces may have been stored again
// since they were clustered: an entry that is not there any more has no position.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { IdPositions } from '../../people/entry-id.ts';
import { readable } from '../faults.ts';
import { type EntryRange, rangesOf } from './earlier-clusters.ts';
import type { StoredFaces } from './stored-faces.ts';

export class EntryPositions {
  readonly #columns: ClusterColumns;
  readonly #ranges: readonly EntryRange[];
  /** Position of each face, for media whose faces changed after the clustering. */
  readonly #others = new Map<number, IdPositions>();
  /** How far the changes of faces were known. */
  readonly seen: number | null;

  constructor(faces: StoredFaces, state: ClusteringState, columns: ClusterColumns) {
    this.#columns = columns;
    this.#ranges = rangesOf(columns.media, state.media.length);
    this.seen = faces.changes();
    if (this.seen === null || this.seen !== state.seen) this.#lookForOthers(faces, state);
  }

  #lookForOthers(faces: StoredFaces, { media, marks, model_key }: ClusteringState): void {
    for (const [i, hash] of media.entries()) {
      if (this.#ranges[i]!.count === 0) continue;
      const head = readable(() => faces.head(model_key, hash));
      if (head?.revision === marks[i]) continue;
      const contentFaces = readable(() => faces.content(model_key, hash));
      this.#others.set(i, new IdPositions(contentFaces?.facts.ids ?? new Uint8Array(0)));
    }
  }

  /** Among the faces of its content; -1 when it is not there any more. */
  of(entry: number): number {
    const media = this.#columns.media[entry]!;
    const others = this.#others.get(media);
    if (others === undefined) return entry - this.#ranges[media]!.first;
    return others.of(this.#columns.ids, entry);
  }

  /** Members that still exist. */
  there(members: Int32Array): Int32Array {
    if (this.#others.size === 0) return members;
    return members.filter((entry) => this.of(entry) >= 0);
  }
}
