// A comparison of the clusters of a stored clustering that is under way. Files are open only while a step
// runs, so one that its caller left holds none.

import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { FaceComparison, type SuggestionOptions } from '../../people/comparison.ts';
import type { BundleFile } from '../bundles.ts';
import { readable } from '../faults.ts';
import type { FacePlacesRow } from '../records.ts';
import { EntryPositions } from './entry-positions.ts';
import { placeBytes, readVectors } from './face-rolls.ts';
import type { OpenRolls, StoredFaces } from './stored-faces.ts';

export class OpenComparison {
  readonly name: string;
  readonly revision: number;
  /** State of the changes of the folder's faces. */
  readonly faceChanges: number | null;
  readonly faces: StoredFaces;
  readonly comparison: FaceComparison;
  readonly #vectors: EntryVectors;

  /** Throws UNKNOWN_CLUSTER. */
  constructor(
    clustering: { readonly name: string; readonly revision: number },
    { state, columns }: { readonly state: ClusteringState; readonly columns: ClusterColumns },
    faces: StoredFaces,
    options: SuggestionOptions,
  ) {
    this.name = clustering.name;
    this.revision = clustering.revision;
    this.faceChanges = faces.changes();
    this.faces = faces;
    this.#vectors = new EntryVectors(faces, state, columns);
    this.comparison = new FaceComparison(state, columns, this.#vectors, options);
  }

  /** Some 5 ms. True when it is done. */
  step(): boolean {
    try {
      return this.comparison.step();
    } finally {
      this.#vectors.close();
    }
  }
}

// The vectors of entries of a clustering, as they are stored now. Rolls stay open until they are closed, and
// are opened again when more is read.

class EntryVectors {
  readonly dimensions: number;
  readonly #faces: StoredFaces;
  readonly #state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #positions: EntryPositions;
  readonly #places = new Map<number, FacePlacesRow | null>();
  readonly #rolls: OpenRolls;

  constructor(faces: StoredFaces, state: ClusteringState, columns: ClusterColumns) {
    this.dimensions = faces.dimensions(state.model_key) ?? 1;
    this.#faces = faces;
    this.#rolls = faces.rolls();
    this.#state = state;
    this.#columns = columns;
    this.#positions = new EntryPositions(faces, state, columns);
  }

  /**
   * n×d, L2-normalised, of those that are there and can be read: of damaged ones there is no other use here.
   */
  of(entries: ArrayLike<number>): Float32Array<ArrayBuffer> {
    const d = this.dimensions;
    const vectors = new Float32Array(entries.length * d);
    let count = 0;
    for (let i = 0; i < entries.length; i++) {
      if (this.#read(entries[i]!, vectors, count * d)) count++;
    }
    return vectors.slice(0, count * d);
  }

  #read(entry: number, into: Float32Array, at: number): boolean {
    const position = this.#positions.of(entry);
    const media = this.#columns.media[entry]!;
    const location = this.#found(media) ?? this.#foundAgain(media);
    if (location === null || position < 0) return false;
    const [{ places }, roll] = location;
    const place = places.subarray(position * placeBytes, (position + 1) * placeBytes);
    const frames = this.#columns.frames.subarray(entry, entry + 1);
    const read = () => {
      readVectors(roll, this.dimensions, place, frames, into, at);
      return place.length > 0;
    };
    return readable(read) ?? false;
  }

  #found(media: number): readonly [FacePlacesRow, BundleFile] | null {
    const places = this.#placesOf(media);
    const roll = places && places.file !== '' ? this.#rolls.of(places.file) : null;
    return places && roll && [places, roll];
  }

  /** Finds faces whose roll was moved into another one. */
  #foundAgain(media: number): readonly [FacePlacesRow, BundleFile] | null {
    const before = this.#placesOf(media);
    this.#places.delete(media);
    return this.#placesOf(media)?.file === before?.file ? null : this.#found(media);
  }

  #placesOf(media: number): FacePlacesRow | null {
    if (!this.#places.has(media)) {
      const { model_key, media: hashes } = this.#state;
      this.#places.set(
        media,
        readable(() => this.#faces.places(model_key, hashes[media]!)),
      );
    }
    return this.#places.get(media) ?? null;
  }

  close(): void {
    this.#rolls.close();
  }
}
