// Which pairs of clusters nobody needs to be asked about: those that are one person by name, and those that a correction says
// are two.
import type { ClusterColumns } from '../cluster-columns.ts';
import type { Anchors, ClusteringState, Then } from '../clustering-state.ts';
import { mostOf } from '../corrections.ts';
import { positionsOf } from '../entry-id.ts';

/** By positions of clusters. */
export type IsCandidatePair = (one: number, other: number) => boolean;

/** `otherNames`: pairs of two names are asked about as well. */
export function candidatePairs(
  state: ClusteringState,
  columns: ClusterColumns,
  otherNames: boolean,
): IsCandidatePair {
  const names = state.cluster_ids.map((id) => state.names[id] ?? '');
  /** A name on two clusters is one person, and what holds one of them apart holds for both. */
  const first = new Map([...names.entries()].reverse().map(([at, name]) => [name, at]));
  const personOf = names.map((name, at) => (name === '' ? at : first.get(name)!));
  const count = names.length;
  const apart = new Set<number>();
  const standing = standingIn(state, columns);
  for (const [one, other] of heldApart(state)) {
    const [a, b] = [standing(one.anchors), standing(other.anchors)];
    if (a < 0 || b < 0) continue;
    apart.add(personOf[a]! * count + personOf[b]!);
    apart.add(personOf[b]! * count + personOf[a]!);
  }
  return (one, other) => {
    const [a, b] = [personOf[one]!, personOf[other]!];
    if (a === b || apart.has(a * count + b)) return false;
    return otherNames || names[one] === '' || names[other] === '';
  };
}

/** A move says as well that its faces are not who they were taken for. */
function* heldApart({ corrections }: ClusteringState): Iterable<readonly [Then, Then]> {
  for (const correction of corrections) {
    if (correction.kind === 'apart') yield correction.clusters;
    if (correction.kind === 'move') yield [correction.from, correction.to];
  }
}

/** The cluster that most of some faces are in; -1 for none. */
function standingIn(state: ClusteringState, { ids, clusters }: ClusterColumns): (anchors: Anchors) => number {
  const mentioned = [...heldApart(state)].flatMap(([one, other]) => [...one.anchors, ...other.anchors]);
  const positions = positionsOf(ids, mentioned);
  return (anchors) => mostOf(anchors, (anchor) => clusters[positions.get(anchor) ?? -1] ?? -1);
}

/** Positions of the clusters to compare, the largest ones, largest first; and how many are left out. */
export function comparedClusters(
  { sizes }: ClusteringState,
  asked: number | null,
  most: number,
): { clusters: number[]; leftOut: number } {
  const bySize = [...sizes.keys()].sort((a, b) => sizes[b]! - sizes[a]! || a - b);
  const clusters = bySize.slice(0, most);
  if (asked !== null && !clusters.includes(asked)) clusters[clusters.length - 1] = asked;
  return { clusters, leftOut: Math.max(0, bySize.length - most) };
}
