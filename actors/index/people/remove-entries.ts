// A clustering without some of its entries: of people who are deleted, or media that are forgotten. Nothing
// of them stays, also not in corrections and names.
import { type ClusterColumns, someColumns } from './cluster-columns.ts';
import type { ClusteringState, Correction, Then } from './clustering-state.ts';
import { idText } from './entry-id.ts';

export interface Removal {
  /** 1 for an entry that goes. */
  readonly entries: Uint8Array;
  /** That are not of the clustering any more. */
  readonly media: ReadonlySet<string>;
}

/** Entries of media. */
export function entriesOf(
  state: ClusteringState,
  { media }: ClusterColumns,
  hashes: ReadonlySet<string>,
): Uint8Array {
  const goes = state.media.map((hash) => (hashes.has(hash) ? 1 : 0));
  const entries = new Uint8Array(media.length);
  for (let at = 0; at < media.length; at++) entries[at] = goes[media[at]!]!;
  return entries;
}

export function withoutEntries(
  state: ClusteringState,
  columns: ClusterColumns,
  { entries, media: goneMedia }: Removal,
): { state: ClusteringState; columns: ClusterColumns } {
  const gone = new Set<string>();
  const positionsLeft = new Uint32Array(entries.length);
  let count = 0;
  for (let at = 0; at < entries.length; at++) {
    if (entries[at] === 1) gone.add(idText(columns.ids, at));
    else positionsLeft[count++] = at;
  }
  const left = someColumns(columns, positionsLeft.subarray(0, count));
  const sizes = state.cluster_ids.map(() => 0);
  for (let at = 0; at < count; at++) if (left.clusters[at]! >= 0) sizes[left.clusters[at]!]!++;
  const kept = sizes.flatMap((size, at) => (size > 0 ? [at] : []));
  const clusterAt = positions(sizes.length, kept);
  const media = state.media.flatMap((hash, at) => (goneMedia.has(hash) ? [] : [at]));
  const mediaAt = positions(state.media.length, media);
  const ids = kept.map((at) => state.cluster_ids[at]!);
  const named = ids.flatMap((id) => (state.names[id] === undefined ? [] : [[id, state.names[id]!] as const]));
  const isLeft = (id: string) => !gone.has(id);
  return {
    state: {
      ...state,
      cluster_ids: ids,
      sizes: kept.map((at) => sizes[at]!),
      names: Object.fromEntries(named),
      media: media.map((at) => state.media[at]!),
      marks: media.map((at) => state.marks[at]!),
      entries: count,
      corrections: state.corrections.flatMap((one) => correctionOf(one, isLeft)),
      lost: state.lost.flatMap(({ name, anchors }) => {
        const own = anchors.filter(isLeft);
        return own.length === 0 ? [] : [{ name, anchors: own }];
      }),
      shape: state.shape + 1,
      is_whole: false,
      undo: null,
    },
    columns: {
      ...left,
      clusters: left.clusters.map((cluster) => (cluster < 0 ? -1 : clusterAt[cluster]!)),
      media: left.media.map((own) => mediaAt[own]!),
    },
  };
}

/** Where those at `kept` are when the others are gone. */
function positions(count: number, kept: readonly number[]): Int32Array {
  const at = new Int32Array(count).fill(-1);
  for (const [now, before] of kept.entries()) at[before] = now;
  return at;
}

/** Without ids that are gone; none when it says nothing any more. */
function correctionOf(correction: Correction, isLeft: (id: string) => boolean): Correction[] {
  if (correction.kind === 'merge') {
    const clusters = correction.clusters.flatMap(({ id, anchors }) => {
      const own = anchors.filter(isLeft);
      return own.length === 0 ? [] : [{ id, anchors: own }];
    });
    return clusters.length < 2 ? [] : [{ kind: 'merge', clusters }];
  }
  const left = ({ id, anchors }: Then) => ({
    id,
    anchors: anchors.filter(isLeft),
  });
  if (correction.kind === 'apart') {
    const [one, other] = [left(correction.clusters[0]), left(correction.clusters[1])];
    return one.anchors.length === 0 || other.anchors.length === 0
      ? []
      : [{ kind: 'apart', clusters: [one, other] }];
  }
  const faces = correction.faces.filter(isLeft);
  if (faces.length === 0) return [];
  return [{ kind: 'move', faces, from: left(correction.from), to: left(correction.to) }];
}
