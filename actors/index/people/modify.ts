// Merges of clusters, moves of faces, and clusters that are held apart, all or none, and the corrections that
// later clusterings keep of them.
import { type ClusterColumns, membersOf } from './cluster-columns.ts';
import type { ClusteringState, Correction } from './clustering-state.ts';
import { clusterId, clusterNumber } from './clustering-state.ts';
import { peopleErrors } from './contract.ts';
import { positionsOf, someIds } from './entry-id.ts';
import { mostAnchors } from './reconcile.ts';

export interface ClusterMerge {
  readonly cluster_ids: readonly string[];
  readonly target_cluster_id?: string;
}
export interface Move {
  /** Null: the faces are in no cluster. */
  readonly from_cluster_id: string | null;
  /** Null: a new one. */
  readonly to_cluster_id: string | null;
  readonly entry_ids: readonly string[];
}
/** Two clusters that are different people. */
export interface DistinctPair {
  readonly cluster_ids: readonly string[];
}
export interface Corrections {
  readonly merges: readonly ClusterMerge[];
  readonly moves: readonly Move[];
  readonly apart?: readonly DistinctPair[];
}
export interface Modified {
  readonly state: ClusteringState;
  readonly columns: ClusterColumns;
  readonly merges: { target_cluster_id: string; cluster_ids: string[]; size: number }[];
  readonly moves: { from: string | null; to: string; moved: number }[];
  readonly apart: { cluster_ids: string[] }[];
}

/** In the place of a cluster: the faces in none. */
const none = -1;

class Changing {
  readonly ids: Uint8Array;
  /** One an entry, by position in `all`. */
  readonly of: Int32Array<ArrayBuffer>;
  readonly all: string[];
  /** Entries of each of `all`. */
  readonly members: Int32Array<ArrayBuffer>[];
  /** Entries in no cluster. */
  readonly loose: Int32Array<ArrayBuffer>;
  readonly sizes: number[];
  readonly #positions: Map<string, number>;
  readonly names: Record<string, string>;
  readonly corrections: Correction[];
  next: number;

  constructor(state: ClusteringState, columns: ClusterColumns) {
    this.ids = columns.ids;
    this.of = Int32Array.from(columns.clusters);
    this.all = [...state.cluster_ids];
    this.members = membersOf(columns.clusters, this.all.length);
    // The last ones are in no cluster: a new one takes their place.
    this.loose = this.members.pop()!;
    this.#positions = new Map(this.all.map((id, at) => [id, at]));
    this.sizes = [...state.sizes];
    this.names = { ...state.names };
    this.corrections = [...state.corrections];
    this.next = state.next;
  }

  /** The position of a new cluster, without entries. */
  fresh(): number {
    const id = clusterId(this.next++);
    const at = this.all.push(id) - 1;
    this.#positions.set(id, at);
    this.members.push(new Int32Array(0));
    this.sizes.push(0);
    return at;
  }

  /** UNKNOWN_CLUSTER for one that is not there, or not any more. */
  position(id: string, field: string): number {
    const at = this.#positions.get(id);
    if (at !== undefined && this.sizes[at]! > 0) return at;
    const why =
      at !== undefined ? `${id} has already been merged into another cluster` : `there is no cluster ${id}`;
    throw peopleErrors.UNKNOWN_CLUSTER(`${field}: ${why}`, { field });
  }

  anchors(cluster: number): { id: string; anchors: string[] } {
    return { id: this.all[cluster]!, anchors: someIds(this.ids, this.members[cluster]!, mostAnchors) };
  }

  /** Entries of one cluster go to another one. */
  give(entries: Int32Array<ArrayBuffer>, from: number, to: number): void {
    for (const entry of entries) this.of[entry] = to;
    if (from !== none) {
      this.members[from] = this.members[from]!.filter((entry) => this.of[entry] === from);
      this.sizes[from]! -= entries.length;
    }
    const joined = new Int32Array(this.members[to]!.length + entries.length);
    joined.set(this.members[to]!);
    joined.set(entries, this.members[to]!.length);
    this.members[to] = joined;
    this.sizes[to]! += entries.length;
  }
}

/** `undoFile`: of the columns as they are. UNKNOWN_CLUSTER, UNKNOWN_FACE, WRONG_CORRECTION. */
export function modify(
  state: ClusteringState,
  columns: ClusterColumns,
  undoFile: string,
  { merges, moves, apart = [] }: Corrections,
): Modified {
  if (merges.length === 0 && moves.length === 0 && apart.length === 0) {
    throw peopleErrors.WRONG_CORRECTION('merges, moves and apart are all empty', { field: 'merges' });
  }
  const changing = new Changing(state, columns);
  const merged = merges.map((request, i) => merge(changing, request, `merges[${i}]`));
  const moved = moves.map((request, i) => move(changing, request, `moves[${i}]`));
  const distinctPairs = apart.map((pair, i) => holdApart(changing, pair, `apart[${i}]`));
  const remainingClusters = changing.all.flatMap((_, at) => (changing.sizes[at]! > 0 ? [at] : []));
  const position = new Int32Array(changing.all.length).fill(-1);
  for (const [at, old] of remainingClusters.entries()) position[old] = at;
  const clusters = changing.of.map((cluster) => (cluster < 0 ? -1 : position[cluster]!));
  const { cluster_ids, sizes, names, corrections, lost } = state;
  return {
    state: {
      ...state,
      cluster_ids: remainingClusters.map((at) => changing.all[at]!),
      sizes: remainingClusters.map((at) => changing.sizes[at]!),
      names: Object.fromEntries(
        remainingClusters.flatMap((at) => {
          const id = changing.all[at]!;
          return changing.names[id] === undefined ? [] : [[id, changing.names[id]]];
        }),
      ),
      corrections: changing.corrections,
      next: changing.next,
      shape: state.shape + 1,
      undo: { cluster_ids, sizes, names, corrections, lost, file: undoFile },
    },
    columns: { ...columns, clusters: clusters as Int32Array<ArrayBuffer> },
    merges: merged,
    moves: moved,
    apart: distinctPairs,
  };
}

function merge(changing: Changing, { cluster_ids, target_cluster_id }: ClusterMerge, field: string) {
  const ids = [...new Set(cluster_ids)];
  const clusters = ids.map((id, i) => changing.position(id, `${field}.cluster_ids[${i}]`));
  if (clusters.length < 2) {
    throw peopleErrors.WRONG_CORRECTION(
      `${field}.cluster_ids: at least two clusters are required, not only ${ids[0]}`,
      {
        field: `${field}.cluster_ids`,
      },
    );
  }
  const target = targetOf(changing, clusters, target_cluster_id, field);
  changing.corrections.push({ kind: 'merge', clusters: clusters.map((at) => changing.anchors(at)) });
  // A person does not lose the name because the cluster that was chosen had none.
  const name = byPreference(changing, clusters).map((at) => changing.names[changing.all[at]!]);
  const id = changing.all[target]!;
  const inherited = changing.names[id] ?? name.find((candidate) => candidate !== undefined);
  for (const at of clusters) {
    if (at === target) continue;
    changing.give(changing.members[at]!, at, target);
    delete changing.names[changing.all[at]!];
  }
  if (inherited !== undefined) changing.names[id] = inherited;
  return { target_cluster_id: id, cluster_ids: ids, size: changing.sizes[target]! };
}

/** Named ones first, then the largest. */
function byPreference({ names, all, sizes }: Changing, clusters: readonly number[]): number[] {
  const isNamed = (at: number) => (names[all[at]!] === undefined ? 0 : 1);
  return clusters.toSorted(
    (a, b) =>
      isNamed(b) - isNamed(a) || sizes[b]! - sizes[a]! || clusterNumber(all[a]!) - clusterNumber(all[b]!),
  );
}

function targetOf(
  changing: Changing,
  clusters: readonly number[],
  ids: string | undefined,
  field: string,
): number {
  if (ids === undefined) return byPreference(changing, clusters)[0]!;
  const target = clusters.find((at) => changing.all[at] === ids);
  if (target !== undefined) return target;
  const at = `${field}.target_cluster_id`;
  throw peopleErrors.WRONG_CORRECTION(`${at}: ${ids} is not one of cluster_ids`, { field: at });
}

function move(changing: Changing, { from_cluster_id, to_cluster_id, entry_ids }: Move, field: string) {
  if (from_cluster_id === null) return moveLoose(changing, to_cluster_id, entry_ids, field);
  const from = changing.position(from_cluster_id, `${field}.from_cluster_id`);
  const existingCluster =
    to_cluster_id === null ? null : changing.position(to_cluster_id, `${field}.to_cluster_id`);
  if (from === existingCluster) {
    const at = `${field}.to_cluster_id`;
    throw peopleErrors.WRONG_CORRECTION(`${at}: the faces are already in ${to_cluster_id}`, { field: at });
  }
  const entries = entriesOf(changing, changing.members[from]!, entry_ids, field, from_cluster_id);
  if (existingCluster === null && entries.size === changing.sizes[from]) {
    const at = `${field}.entry_ids`;
    const what = `${at}: these are all faces of ${from_cluster_id}, so they already have their own cluster`;
    throw peopleErrors.WRONG_CORRECTION(what, { field: at });
  }
  const to = existingCluster ?? changing.fresh();
  const joined = existingCluster === null ? null : changing.anchors(to);
  changing.give(Int32Array.from(entries), from, to);
  // Without the moved ones: what is left is what they are kept apart from.
  const sourceCluster = changing.anchors(from);
  const faces = [...new Set(entry_ids.map((id) => id.toLowerCase()))];
  // Vectors alone find nobody else: the two are held apart, too.
  if (joined === null)
    changing.corrections.push({ kind: 'apart', clusters: [sourceCluster, changing.anchors(to)] });
  changing.corrections.push({ kind: 'move', faces, from: sourceCluster, to: joined ?? changing.anchors(to) });
  if (changing.sizes[from] === 0) delete changing.names[from_cluster_id];
  return { from: from_cluster_id, to: changing.all[to]!, moved: entries.size };
}

/** Puts faces that are in no cluster into one: nobody is there whom they are kept apart from. */
function moveLoose(changing: Changing, to_id: string | null, entry_ids: readonly string[], field: string) {
  const loose = changing.loose.filter((entry) => changing.of[entry] === none);
  const entries = entriesOf(changing, loose, entry_ids, field, null);
  const existingCluster = to_id === null ? null : changing.position(to_id, `${field}.to_cluster_id`);
  const to = existingCluster ?? changing.fresh();
  const joined = existingCluster === null ? null : changing.anchors(to);
  changing.give(Int32Array.from(entries), none, to);
  const faces = [...new Set(entry_ids.map((id) => id.toLowerCase()))];
  const from = { id: '', anchors: [] };
  changing.corrections.push({ kind: 'move', faces, from, to: joined ?? changing.anchors(to) });
  return { from: null, to: changing.all[to]!, moved: entries.size };
}

/** Positions of faces among `members`. UNKNOWN_FACE naming the field. */
function entriesOf(
  changing: Changing,
  members: Int32Array,
  entry_ids: readonly string[],
  field: string,
  from: string | null,
) {
  const positions = positionsOf(changing.ids, entry_ids, members);
  const entries = new Set<number>();
  for (const [i, id] of entry_ids.entries()) {
    const entry = positions.get(id.toLowerCase());
    if (entry !== undefined) entries.add(entry);
    else {
      const at = `${field}.entry_ids[${i}]`;
      const what = from === null ? `no face ${id} is in no cluster` : `${from} has no face ${id}`;
      throw peopleErrors.UNKNOWN_FACE(`${at}: ${what}`, { field: at });
    }
  }
  return entries;
}

function holdApart(changing: Changing, { cluster_ids }: DistinctPair, field: string) {
  const clusters = cluster_ids.map((id, i) => changing.position(id, `${field}.cluster_ids[${i}]`));
  const [first, second] = clusters;
  const at = `${field}.cluster_ids`;
  if (clusters.length !== 2 || first === second || first === undefined || second === undefined) {
    throw peopleErrors.WRONG_CORRECTION(`${at}: must name two different clusters`, { field: at });
  }
  const [name, others] = [changing.names[cluster_ids[0]!], changing.names[cluster_ids[1]!]];
  if (name !== undefined && name === others) {
    throw peopleErrors.WRONG_CORRECTION(`${at}: both are named ${name}, so they count as one person`, {
      field: at,
    });
  }
  changing.corrections.push({ kind: 'apart', clusters: [changing.anchors(first), changing.anchors(second)] });
  return { cluster_ids: [...cluster_ids] };
}

/** The state before the last `modify`, and the file of its columns. NOTHING_TO_UNDO. */
export function undone(state: ClusteringState): { state: ClusteringState; file: string } {
  if (state.undo === null) {
    throw peopleErrors.NOTHING_TO_UNDO(
      'There is nothing to undo: no cluster was corrected since the faces were clustered',
    );
  }
  const { file, ...before } = state.undo;
  return { state: { ...state, ...before, shape: state.shape + 1, undo: null }, file };
}
