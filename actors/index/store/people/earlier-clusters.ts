// In which cluster each entry of a clustering under way was before.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { idBytes, idText } from '../../people/entry-id.ts';
import { anchorsOf, type EarlierClusters } from '../../people/reconcile.ts';
import type { OpenClustering } from './open-clustering.ts';

/** `columns` null: they are damaged, so no entry is known. */
export function earlierClusters(
  open: OpenClustering,
  state: ClusteringState | null,
  columns: ClusterColumns | null,
  clearNames: boolean,
): EarlierClusters {
  const clusters = new Int32Array(open.entries).fill(-1);
  if (state !== null && columns !== null) fill(clusters, open, state, columns);
  return {
    clusters,
    cluster_ids: state?.cluster_ids ?? [],
    names: clearNames ? {} : (state?.names ?? {}),
    lost: clearNames ? [] : (state?.lost ?? []),
    next: state?.next ?? 1,
    anchorsOf: (cluster) => (columns === null ? [] : anchorsOf(columns.ids, columns.clusters, cluster)),
  };
}

function fill(
  clusters: Int32Array,
  open: OpenClustering,
  state: ClusteringState,
  columns: ClusterColumns,
): void {
  const starts = rangesOf(columns.media, state.media.length);
  const positions = new Map(state.media.map((hash, i) => [hash, i]));
  const now = rangesOf(open.mediaOf, open.media.length);
  for (const [i, hash] of open.media.entries()) {
    const old = positions.get(hash);
    if (old === undefined) continue;
    const [from, to] = [now[i]!, starts[old]!];
    if (isAligned(open.ids, from, columns.ids, to)) {
      for (let k = 0; k < from.count; k++) clusters[from.first + k] = columns.clusters[to.first + k]!;
      continue;
    }
    const clustersById = new Map<string, number>();
    for (let k = to.first; k < to.first + to.count; k++)
      clustersById.set(idText(columns.ids, k), columns.clusters[k]!);
    for (let k = from.first; k < from.first + from.count; k++) {
      clusters[k] = clustersById.get(idText(open.ids, k)) ?? -1;
    }
  }
}

export interface EntryRange {
  readonly first: number;
  readonly count: number;
}

/** The entries of each media, which follow each other. */
export function rangesOf(mediaOf: Uint32Array, media: number): EntryRange[] {
  const firsts = new Int32Array(media);
  const counts = new Int32Array(media);
  for (let at = mediaOf.length - 1; at >= 0; at--) {
    const mediaIndex = mediaOf[at]!;
    firsts[mediaIndex] = at;
    counts[mediaIndex]!++;
  }
  return Array.from(firsts, (first, i) => ({ first, count: counts[i]! }));
}

/** The same ids in the same order. */
export function isAligned(
  ids: Uint8Array,
  range: EntryRange,
  others: Uint8Array,
  otherRange: EntryRange,
): boolean {
  if (range.count !== otherRange.count) return false;
  const bytes = (of: Uint8Array, { first, count }: EntryRange) =>
    of.subarray(first * idBytes, (first + count) * idBytes);
  return Buffer.compare(bytes(ids, range), bytes(others, otherRange)) === 0;
}
