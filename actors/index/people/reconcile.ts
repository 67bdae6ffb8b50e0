// Carries a clustering over to a new one: corrections are applied to the new clusters, ids stay with the
// cluster that holds most of the faces they had, and names follow most of the named faces. The order of
// entries does not matter.
import {
  type Clusters,
  type Correction,
  clusterId,
  clusterNumber,
  type LostName,
} from './clustering-state.ts';
import type { ClusteringReport } from './contract.ts';
import { applyCorrections } from './corrections.ts';
import { compareIds, positionsOf, prefixOf, someIds } from './entry-id.ts';

/** Faces that stand for a cluster. */
export const mostAnchors = 32;

export interface EarlierClusters extends Pick<Clusters, 'cluster_ids' | 'names' | 'lost'> {
  /** One an entry of now: the position of the cluster it was in, -1 for none. */
  readonly clusters: Int32Array;
  readonly next: number;
  /** Faces that stand for one of them by its position, also where no entry of now is one of its faces. */
  readonly anchorsOf: (cluster: number) => readonly string[];
}

export interface Reconciled {
  /** One an entry: position in `cluster_ids`, -1 for noise. */
  readonly clusters: Int32Array<ArrayBuffer>;
  readonly cluster_ids: string[];
  readonly sizes: number[];
  readonly names: Record<string, string>;
  readonly lost: LostName[];
  readonly next: number;
  readonly report: ClusteringReport;
}

interface Groups {
  /** One an entry, -1 for none. */
  readonly of: Int32Array;
  readonly sizes: number[];
  /** The entry of each with the lowest id: what ties are broken by. */
  readonly lowest: number[];
}

export function reconcile(
  ids: Uint8Array,
  raw: Int32Array,
  before: EarlierClusters,
  corrections: readonly Correction[],
): Reconciled {
  const corrected = applyCorrections(ids, raw, corrections, before.clusters);
  const groups = groupsOf(ids, corrected.labels);
  const shared = overlaps(groups, before.clusters);
  const oldClusters = keptGroups(ids, groups, shared, before.cluster_ids);
  const given = oldClusters.map((old) => (old === undefined ? null : before.cluster_ids[old]!));
  let { next } = before;
  const fresh = given.flatMap((id, group) => (id === null ? [group] : []));
  fresh.sort((a, b) => groups.sizes[b]! - groups.sizes[a]! || byLowest(ids, groups, a, b));
  for (const group of fresh) given[group] = clusterId(next++);
  const order = given.map((_, group) => group);
  order.sort((a, b) => clusterNumber(given[a]!) - clusterNumber(given[b]!));
  const position = new Int32Array(order.length);
  for (const [at, group] of order.entries()) position[group] = at;
  const named = nameGroups(ids, groups, shared, before, (group) => given[group]!);
  const sizes = order.map((group) => groups.sizes[group]!);
  const clustered = sizes.reduce((sum, size) => sum + size, 0);
  return {
    clusters: groups.of.map((group) => (group < 0 ? -1 : position[group]!)) as Int32Array<ArrayBuffer>,
    cluster_ids: order.map((group) => given[group]!),
    sizes,
    names: named.names,
    lost: named.lost,
    next,
    report: {
      clusters: order.length,
      faces: raw.length,
      noise: raw.length - clustered,
      kept_clusters: given.length - fresh.length,
      kept_corrections: corrected.count,
      conflicts: [...corrected.conflicts],
      kept_names: Object.keys(named.names).length,
      lost_names: named.lostNow,
    },
  };
}

function groupsOf(ids: Uint8Array, labels: Int32Array): Groups {
  const groupOf = new Map<number, number>();
  const of = new Int32Array(labels.length).fill(-1);
  const sizes: number[] = [];
  const lowest: number[] = [];
  for (let at = 0; at < labels.length; at++) {
    const label = labels[at]!;
    if (label < 0) continue;
    let group = groupOf.get(label);
    if (group === undefined) {
      group = sizes.length;
      groupOf.set(label, group);
      sizes.push(0);
      lowest.push(at);
    }
    of[at] = group;
    sizes[group]!++;
    const low = lowest[group]!;
    const [prefix, lowestPrefix] = [prefixOf(ids, at), prefixOf(ids, low)];
    if (prefix < lowestPrefix || (prefix === lowestPrefix && compareIds(ids, at, low) < 0))
      lowest[group] = at;
  }
  return { of, sizes, lowest };
}

const byLowest = (ids: Uint8Array, { lowest }: Groups, a: number, b: number): number =>
  compareIds(ids, lowest[a]!, lowest[b]!);

interface Overlap {
  readonly old: number;
  readonly group: number;
  readonly faces: number;
}

function overlaps(groups: Groups, clusters: Int32Array): Overlap[] {
  const counts = new Map<number, number>();
  const width = groups.sizes.length;
  for (let at = 0; at < clusters.length; at++) {
    const [old, group] = [clusters[at]!, groups.of[at]!];
    if (old < 0 || group < 0) continue;
    const pair = old * width + group;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return Array.from(counts, ([pair, faces]) => ({
    old: Math.floor(pair / width),
    group: pair % width,
    faces,
  }));
}

/** For each group the position of the cluster whose id it keeps. */
function keptGroups(
  ids: Uint8Array,
  groups: Groups,
  shared: readonly Overlap[],
  oldIds: readonly string[],
): (number | undefined)[] {
  const oldClusters: (number | undefined)[] = groups.sizes.map(() => undefined);
  const usedClusters = new Set<number>();
  for (const { old, group } of ranked(ids, groups, shared, oldIds)) {
    if (oldClusters[group] !== undefined || usedClusters.has(old)) continue;
    oldClusters[group] = old;
    usedClusters.add(old);
  }
  return oldClusters;
}

function ranked(
  ids: Uint8Array,
  groups: Groups,
  shared: readonly Overlap[],
  oldIds: readonly string[],
): Overlap[] {
  return shared.toSorted(
    (a, b) =>
      b.faces - a.faces ||
      clusterNumber(oldIds[a.old]!) - clusterNumber(oldIds[b.old]!) ||
      byLowest(ids, groups, a.group, b.group),
  );
}

/**
 * A cluster that was named hands its name to the group that holds most of its faces. Of two names on one
 * group the one with more faces stays; the other is remembered by its faces, and comes back when they make a
 * cluster of their own again.
 */
function nameGroups(
  ids: Uint8Array,
  groups: Groups,
  shared: readonly Overlap[],
  before: EarlierClusters,
  idOf: (group: number) => string,
): { names: Record<string, string>; lost: LostName[]; lostNow: string[] } {
  const names = new Map<number, string>();
  const claimed = new Set<number>();
  const named = shared.filter(({ old }) => Object.hasOwn(before.names, before.cluster_ids[old]!));
  for (const { old, group } of ranked(ids, groups, named, before.cluster_ids)) {
    if (claimed.has(old)) continue;
    claimed.add(old);
    if (!names.has(group)) names.set(group, before.names[before.cluster_ids[old]!]!);
  }
  const remembered = rememberedNames(ids, groups, before.lost, names);
  const currentNames = new Set(names.values());
  const missingNames = before.cluster_ids.flatMap((id, old) => {
    const name = before.names[id];
    return name === undefined || currentNames.has(name) ? [] : [{ name, old }];
  });
  const lostNow = missingNames.map(({ name, old }) => {
    const there = anchorsOf(ids, before.clusters, old);
    // Faces that are away for now, damaged or not found yet, may come back with their media.
    return { name, anchors: there.length > 0 ? there : before.anchorsOf(old) };
  });
  const ordered = [...names].sort(([a], [b]) => clusterNumber(idOf(a)) - clusterNumber(idOf(b)));
  return {
    names: Object.fromEntries(ordered.map(([group, name]) => [idOf(group), name])),
    lost: [...remembered, ...lostNow].filter(
      ({ name, anchors }) => !currentNames.has(name) && anchors.length > 0,
    ),
    lostNow: [...new Set(lostNow.map(({ name }) => name))],
  };
}

/**
 * Gives names back to groups without one that hold most of the faces a name was given to; answers the others.
 */
function rememberedNames(
  ids: Uint8Array,
  groups: Groups,
  lost: readonly LostName[],
  names: Map<number, string>,
): LostName[] {
  const positions = positionsOf(
    ids,
    lost.flatMap(({ anchors }) => anchors),
  );
  return lost.filter(({ name, anchors }) => {
    const counts = new Map<number, number>();
    for (const anchor of anchors) {
      const at = positions.get(anchor);
      const group = at === undefined ? -1 : groups.of[at]!;
      if (group >= 0) counts.set(group, (counts.get(group) ?? 0) + 1);
    }
    const [best] = [...counts].sort(([, a], [, b]) => b - a);
    if (best === undefined || best[1] * 2 <= anchors.length || names.has(best[0])) return true;
    names.set(best[0], name);
    return false;
  });
}

/** Faces that stand for a cluster by its position. */
export function anchorsOf(ids: Uint8Array, clusters: Int32Array, cluster: number): string[] {
  const members: number[] = [];
  for (let at = 0; at < clusters.length; at++) if (clusters[at] === cluster) members.push(at);
  return someIds(ids, Int32Array.from(members), mostAnchors);
}
