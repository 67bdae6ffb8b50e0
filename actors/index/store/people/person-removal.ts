// Deletes a clustering, or one person of it, with the faces that no other clustering has.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { faceStorageVersion, peopleErrors } from '../../people/contract.ts';
import { idText, positionsOf } from '../../people/entry-id.ts';
import { withoutEntries } from '../../people/remove-entries.ts';
import { readable } from '../faults.ts';
import { encodeModelKey } from '../names.ts';
import { type Clusterings, stateOf } from './clusterings.ts';
import { type GoneFaces, type RemovedFaces, revisionName } from './people-removal.ts';

/** What other clusterings hold of some contents. */
interface Others {
  readonly media: ReadonlySet<string>;
  readonly held: ReadonlySet<string>;
}

/** Those of `ids` that other clusterings have, and all of their media. */
function others(clusterings: Clusterings, name: string, ids: ReadonlySet<string>): Others {
  const media = new Set<string>();
  const held = new Set<string>();
  for (const other of clusterings.names()) {
    if (other === name) continue;
    const stored = readable(() => clusterings.get(other));
    if (stored === null || stored.format < faceStorageVersion) continue;
    for (const hash of stateOf(stored).media) media.add(hash);
    const columns = readable(() => clusterings.columns(stored.file));
    for (const id of positionsOf(columns?.ids ?? new Uint8Array(0), ids).keys()) held.add(id);
  }
  return { media, held };
}

/** Ids of the entries that go, by content. */
function goneIds(state: ClusteringState, columns: ClusterColumns, goes: (at: number) => boolean) {
  const byHash = new Map<string, Set<string>>();
  const all = new Set<string>();
  for (let at = 0; at < columns.media.length; at++) {
    if (!goes(at)) continue;
    const hash = state.media[columns.media[at]!]!;
    const own = byHash.get(hash) ?? new Set<string>();
    byHash.set(hash, own);
    const id = idText(columns.ids, at);
    own.add(id);
    all.add(id);
  }
  return { byHash, all };
}

function without(ids: ReadonlySet<string>, held: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !held.has(id)));
}

export interface Deleted {
  /** Of the faces that go from their contents. */
  readonly gone: GoneFaces;
  /** Entries that go from the clustering. */
  readonly entries: number;
  /** Contents of which some of these stay, because another clustering has them. */
  readonly shared: ReadonlySet<string>;
  /** The clustering without them; null: it goes itself. */
  readonly left: { readonly state: ClusteringState; readonly columns: ClusterColumns } | null;
}

/** A content of which no other clustering has anything is forgotten as if nobody had looked: it can be analysed again. */
export function withoutJob(
  clusterings: Clusterings,
  name: string,
  state: ClusteringState,
  columns: ClusterColumns,
): Deleted {
  const { byHash, all } = goneIds(state, columns, () => true);
  const other = others(clusterings, name, all);
  const gone = new Map<string, ReadonlySet<string> | null>();
  for (const hash of state.media) {
    if (other.media.has(hash)) gone.set(hash, without(byHash.get(hash) ?? new Set(), other.held));
    else gone.set(hash, null);
  }
  return { gone, entries: state.entries, shared: new Set(), left: null };
}

/** UNKNOWN_CLUSTER. */
export function withoutPerson(
  clusterings: Clusterings,
  name: string,
  state: ClusteringState,
  columns: ClusterColumns,
  cluster: string,
): Deleted {
  const position = state.cluster_ids.indexOf(cluster);
  if (position < 0) {
    const field = 'cluster_id';
    throw peopleErrors.UNKNOWN_CLUSTER(`${field}: there is no cluster ${cluster}`, { field });
  }
  const { byHash, all } = goneIds(state, columns, (at) => columns.clusters[at] === position);
  const { held } = others(clusterings, name, all);
  const gone = new Map([...byHash].map(([hash, ids]) => [hash, without(ids, held)]));
  const entries = Uint8Array.from(columns.clusters, (own) => (own === position ? 1 : 0));
  const left = withoutEntries(state, columns, { entries, media: new Set() });
  const shared = new Set([...byHash.keys()].filter((hash) => gone.get(hash)!.size < byHash.get(hash)!.size));
  return { gone, entries: all.size, shared, left };
}

/** The clustering as it is after the faces went: where nothing else changed, its entries are the faces there are. */
export function followed(
  state: ClusteringState,
  shared: ReadonlySet<string>,
  { revisions, changes }: RemovedFaces,
): ClusteringState {
  if (shared.size > 0) {
    // Some of the faces are still there: the entries are not the faces any more, whatever their revision.
    const marks = state.media.map((hash, i) => (shared.has(hash) ? 0 : state.marks[i]!));
    return { ...state, marks, seen: null };
  }
  const model = encodeModelKey(state.model_key);
  const marks = state.media.map((hash, i) => {
    const revision = revisions.get(revisionName(model, hash));
    return revision?.before === state.marks[i] ? revision!.now : state.marks[i]!;
  });
  const isKnown = changes.before !== null && state.seen === changes.before;
  return { ...state, marks, seen: isKnown ? changes.now : state.seen };
}
