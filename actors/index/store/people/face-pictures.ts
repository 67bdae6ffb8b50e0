// The pictures of the faces of a clustering. Faces may have been stored again since they were clustered: an entry that is not
// there any more has none.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { IdPositions } from '../../people/entry-id.ts';
import { readable } from '../faults.ts';
import type { FacePlaces } from '../records.ts';
import { readPlace } from './crop-pack.ts';
import { type EntryRange, rangesOf } from './earlier-clusters.ts';
import type { FacePacks } from './face-packs.ts';
import type { StoredFaces } from './stored-faces.ts';

export class FacePictures {
  readonly #faces: StoredFaces;
  readonly #state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #ranges: readonly EntryRange[];
  /** By media: where each face is, for media whose faces are not the clustered ones any more. */
  readonly #others = new Map<number, IdPositions>();
  /** How far the changes of faces were known. */
  readonly seen: number | null;

  constructor(faces: StoredFaces, state: ClusteringState, columns: ClusterColumns) {
    this.#faces = faces;
    this.#state = state;
    this.#columns = columns;
    this.#ranges = rangesOf(columns.media, state.media.length);
    this.seen = faces.changes();
    if (this.seen === null || this.seen !== state.seen) this.#lookForOthers();
  }

  #lookForOthers(): void {
    const { media, marks, model_key } = this.#state;
    for (const [i, hash] of media.entries()) {
      if (this.#ranges[i]!.count === 0) continue;
      const head = readable(() => this.#faces.head(model_key, hash));
      if (head?.revision === marks[i]) continue;
      const found = readable(() => this.#faces.content(model_key, hash));
      this.#others.set(i, new IdPositions(found?.facts.ids ?? new Uint8Array(0)));
    }
  }

  /** The position of an entry among the faces of its content; -1 when it is not there any more. */
  #position(entry: number): number {
    const media = this.#columns.media[entry]!;
    const others = this.#others.get(media);
    if (others === undefined) return entry - this.#ranges[media]!.first;
    return others.of(this.#columns.ids, entry);
  }

  /** Those that have a picture. */
  available(members: Int32Array): Int32Array {
    if (this.#others.size === 0) return members;
    return members.filter((entry) => this.#position(entry) >= 0);
  }

  /** JPEG for people of each, *copied*; null for one that is damaged, of whose media `broken` is told. */
  read(
    entries: readonly number[],
    broken: (hash: string, error: Error) => void,
  ): (Uint8Array<ArrayBuffer> | null)[] {
    const packs = new Map<number, FacePacks | null>();
    const places = new Map<number, FacePlaces | null>();
    const placesOf = (media: number, told: (error: Error) => void) => {
      const { model_key } = this.#state;
      const hash = this.#state.media[media]!;
      if (!places.has(media))
        places.set(
          media,
          readable(() => this.#faces.places(model_key, hash), told),
        );
      return places.get(media) ?? null;
    };
    const packsOf = (generation: number, told: (error: Error) => void) => {
      const { model_key } = this.#state;
      const dimensions = this.#faces.dimensions(model_key) ?? 1;
      const open = () => this.#faces.packs(model_key, dimensions, generation);
      if (!packs.has(generation)) packs.set(generation, readable(open, told));
      return packs.get(generation) ?? null;
    };
    try {
      return entries.map((entry) => {
        const media = this.#columns.media[entry]!;
        const told = (error: Error) => broken(this.#state.media[media]!, error);
        const of = placesOf(media, told);
        const at = this.#position(entry);
        const from = of && packsOf(of.generation, told);
        if (of === null || from === null || at < 0 || at >= of.rows.length) return null;
        const { offset, aligned, display, displayCrc } = readPlace(of.crops, at);
        return readable(() => from.crops.read(offset + aligned, display, displayCrc), told);
      });
    } finally {
      for (const open of packs.values()) open?.close();
    }
  }
}
