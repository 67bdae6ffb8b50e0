// A comparison of the clusters of a stored clustering that is under way. Files are open only while a step runs, so one that its
// caller left holds none.
import type { SuggestionOptions } from '../../people/alike/comparison.ts';
import { Comparison } from '../../people/alike/comparison.ts';
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { EntryVectors } from './entry-vectors.ts';
import type { StoredFaces } from './stored-faces.ts';

export class OpenComparison {
  readonly name: string;
  /** Of the clustering that is compared. */
  readonly revision: number;
  /** Of the faces of the folder. */
  readonly seen: number | null;
  readonly faces: StoredFaces;
  readonly comparison: Comparison;
  readonly #vectors: EntryVectors;

  /** Throws UNKNOWN_CLUSTER. */
  constructor(
    clustering: { readonly name: string; readonly revision: number },
    { state, columns }: { readonly state: ClusteringState; readonly columns: ClusterColumns },
    faces: StoredFaces,
    asked: SuggestionOptions,
  ) {
    this.name = clustering.name;
    this.revision = clustering.revision;
    this.seen = faces.changes();
    this.faces = faces;
    this.#vectors = new EntryVectors(faces, state, columns);
    this.comparison = new Comparison(state, columns, this.#vectors, asked);
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
