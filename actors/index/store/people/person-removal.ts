// Deletes a clustering, or one person of it, with the faces that no other clustering has.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { peopleErrors } from '../../people/contract.ts';
import { withoutEntries } from '../../people/remove-entries.ts';
import { encodeModelKey } from '../names.ts';
import type { Clusterings } from './clusterings.ts';
import { type EntryRange, rangesOf } from './earlier-clusters.ts';
import { OtherClusterings } from './other-clusterings.ts';
import { type GoneFaces, type RemovedFaces, revisionName } from './people-removal.ts';

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
  const others = new OtherClusterings(clusterings, name);
  const ranges = rangesOf(columns.media, state.media.length);
  const gone = new Map<string, ReadonlySet<string> | null>();
  for (const [i, hash] of state.media.entries()) {
    const range = ranges[i]!;
    if (others.has(hash)) gone.set(hash, others.unheld(hash, columns.ids, range, entriesIn(range)));
    else gone.set(hash, null);
  }
  return { gone, entries: state.entries, shared: new Set(), left: null };
}

function* entriesIn({ first, count }: EntryRange): Iterable<number> {
  for (let at = first; at < first + count; at++) yield at;
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
  const others = new OtherClusterings(clusterings, name);
  const ranges = rangesOf(columns.media, state.media.length);
  const entries = new Uint8Array(columns.media.length);
  const byMedia = new Map<number, number[]>();
  let count = 0;
  for (let at = 0; at < entries.length; at++) {
    if (columns.clusters[at] !== position) continue;
    entries[at] = 1;
    count++;
    const own = byMedia.get(columns.media[at]!);
    if (own) own.push(at);
    else byMedia.set(columns.media[at]!, [at]);
  }
  const gone = new Map<string, ReadonlySet<string>>();
  const shared = new Set<string>();
  for (const [media, positions] of byMedia) {
    const hash = state.media[media]!;
    const unheld = others.unheld(hash, columns.ids, ranges[media]!, positions);
    gone.set(hash, unheld);
    if (unheld.size < positions.length) shared.add(hash);
  }
  const left = withoutEntries(state, columns, { entries, media: new Set() });
  return { gone, entries: count, shared, left };
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
