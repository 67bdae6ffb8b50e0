// Everything of a clustering but its columns: how it came about, its clusters with names, and what people
// corrected.
import { type ClusterJob, faceStorageVersion, peopleErrors } from './contract.ts';
import { givenName } from './person-name.ts';

/** Faces by entry id that stand for a cluster as it was: it is found again where most of them are. */
export type Anchors = readonly string[];

/** A cluster as it was when it was corrected. */
export interface Then {
  readonly id: string;
  readonly anchors: Anchors;
}

export type Correction =
  | { readonly kind: 'merge'; readonly clusters: readonly Then[] }
  /** Two different people. */
  | { readonly kind: 'apart'; readonly clusters: readonly [Then, Then] }
  /** `from` has an empty id and no faces where the moved ones were in no cluster. */
  | { readonly kind: 'move'; readonly faces: readonly string[]; readonly from: Then; readonly to: Then };

/** A name that no cluster has at the moment, and whom it was given to. */
export interface LostName {
  readonly name: string;
  readonly anchors: Anchors;
}

/** Clusters as a correction changes them. */
export interface Clusters {
  readonly cluster_ids: readonly string[];
  /** Aligned with `cluster_ids`. */
  readonly sizes: readonly number[];
  readonly names: Readonly<Record<string, string>>;
  readonly corrections: readonly Correction[];
  readonly lost: readonly LostName[];
}

export interface ClusteringState extends Clusters {
  readonly model_key: string;
  readonly eps: number;
  readonly min_samples: number;
  readonly media: readonly string[];
  /**
   * Aligned with `media`: the revision of its faces that were clustered; 0 where there were none to cluster.
   */
  readonly marks: readonly number[];
  readonly entries: number;
  /** Number of the next new cluster. */
  readonly next: number;
  /** Counts everything but names. */
  readonly shape: number;
  /** The next clustering can go on from the raw labels. */
  readonly is_whole: boolean;
  /**
   * Changes of faces in the folder that were known: while there are no others, no entry can be out of date.
   */
  readonly seen: number | null;
  readonly clustered_ms: number;
  /** Before the last correction, with the file of its columns. */
  readonly undo: (Clusters & { readonly file: string }) | null;
}

/** Clustering in the form of the API. */
export function clusterJob(name: string, state: ClusteringState): ClusterJob {
  const clustered = state.sizes.reduce((sum, size) => sum + size, 0);
  return {
    name,
    total_entries: state.entries,
    num_clusters: state.cluster_ids.length,
    noise_entries: state.entries - clustered,
    cluster_ids: [...state.cluster_ids],
    face_storage_version: faceStorageVersion,
    media_hashes: [...state.media],
    model_key: state.model_key,
    eps: state.eps,
    min_samples: state.min_samples,
    names: { ...state.names },
    can_undo: state.undo !== null,
    clustered_ms: state.clustered_ms,
  };
}

/** Number of a cluster id: ids are counted, and none is given twice. */
export const clusterNumber = (id: string): number => Number(id.slice(1));
export const clusterId = (number: number): string => `c${number}`;

// Names that people give to clusters. One name on two clusters is one person, in searches as well.

interface Assignment {
  readonly cluster_id: string;
  /** Empty: no name. */
  readonly name: string;
}

/** Plain names by cluster id; the last one of an id counts. UNKNOWN_CLUSTER, BAD_NAME. */
function plainAssignments(
  assignments: readonly Assignment[],
  clusterIds: ReadonlySet<string>,
): Map<string, string> {
  const plain = new Map<string, string>();
  for (const [i, { cluster_id, name }] of assignments.entries()) {
    const field = `assignments[${i}].cluster_id`;
    if (!clusterIds.has(cluster_id)) {
      throw peopleErrors.UNKNOWN_CLUSTER(`${field}: there is no cluster ${cluster_id}`, { field });
    }
    plain.set(cluster_id, givenName(name, `assignments[${i}].name`));
  }
  return plain;
}

/** Writes what is another one now into `changes`. */
function changedNames(
  before: Readonly<Record<string, string>>,
  plain: ReadonlyMap<string, string>,
  changes: Record<string, string>,
): Record<string, string> {
  const names = { ...before };
  for (const [id, name] of plain) {
    if ((before[id] ?? '') === name) continue;
    changes[id] = name;
    if (name === '') delete names[id];
    else names[id] = name;
  }
  return names;
}

/** The state with other names. A name that is given again is not remembered as lost any more. */
export function named(
  state: ClusteringState,
  assignments: readonly Assignment[],
  changes: Record<string, string>,
): ClusteringState {
  const plain = plainAssignments(assignments, new Set(state.cluster_ids));
  const names = changedNames(state.names, plain, changes);
  const given = new Set(plain.values());
  const lost = state.lost.filter(({ name }) => !given.has(name));
  if (state.undo === null) return { ...state, names, lost };
  // Undoing a correction keeps the names given since.
  const there = new Set(state.undo.cluster_ids);
  const since = new Map([...plain].filter(([id]) => there.has(id)));
  const undo = { ...state.undo, names: changedNames(state.undo.names, since, {}) };
  return { ...state, names, lost, undo };
}
