// The pictures of the faces of a clustering; an entry that is not there any more has none.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { readable } from '../faults.ts';
import type { FacePlaces } from '../records.ts';
import { readPlace } from './crop-pack.ts';
import { EntryPositions } from './entry-positions.ts';
import type { FacePacks } from './face-packs.ts';
import type { StoredFaces } from './stored-faces.ts';

export class FacePictures {
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
        const at = this.#positions.of(entry);
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
