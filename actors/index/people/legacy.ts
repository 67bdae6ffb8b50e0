// Clusterings of format 1: one record of JSON with a picture of each face and no vectors. They are read and named; to
// cluster or correct them, vectors are needed.
import { createHash } from 'node:crypto';
import { joinRanges } from '../../../runtime/join-ranges.ts';
import type { ClusteringState } from './clustering-state.ts';
import { type ClusterFaces, type ClusterJob, peopleErrors } from './contract.ts';
import { idBytes, idOf } from './entry-id.ts';
import { givenName } from './person-name.ts';
import type { StoredClusters } from './stored-clusters.ts';

export interface LegacyFace {
  readonly id: string;
  readonly hash: string;
  readonly frame: number;
  /** JPEG as base64. */
  readonly jpeg: string;
}

export interface LegacyClustering {
  readonly model_key: string;
  readonly eps: number;
  readonly min_samples: number;
  readonly clustered_ms: number;
  readonly names: Readonly<Record<string, string>>;
  /** Faces by cluster id, best first. */
  readonly clusters: readonly { readonly id: string; readonly faces: readonly LegacyFace[] }[];
  readonly noise: readonly LegacyFace[];
}

/** Written by an earlier version under a checksum, so the text is a clustering. */
export const legacyClustering = (json: string): LegacyClustering => JSON.parse(json) as LegacyClustering;

const facesOf = ({ clusters, noise }: LegacyClustering): LegacyFace[] => [
  ...clusters.flatMap(({ faces }) => faces),
  ...noise,
];

/** As searches see it. Ids that are no UUIDs are made into such numbers. */
export function legacyColumns(name: string, version: number, stored: LegacyClustering): StoredClusters {
  const ids = stored.clusters.map(({ id }) => id);
  const faces = [
    ...stored.clusters.flatMap((one, cluster) => one.faces.map((face) => ({ face, cluster }))),
    ...stored.noise.map((face) => ({ face, cluster: -1 })),
  ];
  const hashes = [...new Set(faces.map(({ face }) => face.hash))];
  const media = new Map(hashes.map((hash, i) => [hash, i]));
  const of = ({ face }: (typeof faces)[number]) => media.get(face.hash)!;
  faces.sort((a, b) => of(a) - of(b) || a.face.frame - b.face.frame);
  const entries = new Uint8Array(faces.length * idBytes);
  for (const [at, { face }] of faces.entries()) {
    const digest = () => createHash('sha256').update(face.id).digest();
    entries.set((idOf(face.id) ?? digest()).subarray(0, idBytes), at * idBytes);
  }
  return {
    name,
    version,
    hashes,
    cluster_ids: ids,
    names: ids.map((id) => (Object.hasOwn(stored.names, id) ? stored.names[id]! : '')),
    ids: entries,
    media: Uint32Array.from(faces, of),
    frames: Uint32Array.from(faces, ({ face }) => face.frame),
    clusters: Int32Array.from(faces, ({ cluster }) => cluster),
  };
}

export function legacyJob(name: string, format: number, json: string): ClusterJob {
  const stored = legacyClustering(json);
  const faces = facesOf(stored);
  return {
    name,
    total_entries: faces.length,
    num_clusters: stored.clusters.length,
    noise_entries: stored.noise.length,
    cluster_ids: stored.clusters.map(({ id }) => id),
    face_storage_version: format,
    media_hashes: [...new Set(faces.map(({ hash }) => hash))],
    model_key: stored.model_key,
    eps: stored.eps,
    min_samples: stored.min_samples,
    names: { ...stored.names },
    can_undo: false,
    clustered_ms: stored.clustered_ms,
  };
}

/** The JSON with other names; what changed is written into `changes`. */
export function nameLegacy(
  json: string,
  assignments: readonly Assignment[],
  changes: Record<string, string>,
): string {
  const stored = legacyClustering(json);
  const plain = plainAssignments(assignments, new Set(stored.clusters.map(({ id }) => id)));
  return JSON.stringify({ ...stored, names: changedNames(stored.names, plain, changes) });
}

/** A page of one cluster; null for the noise. */
export function legacyPage(
  { clusters, noise, names }: LegacyClustering,
  id: string | null,
  offset: number,
  limit: number,
): ClusterFaces {
  const faces = id === null ? noise : (clusters.find((cluster) => cluster.id === id)?.faces ?? []);
  const shown = faces.slice(offset, offset + limit);
  return {
    cluster_id: id ?? '',
    name: id === null ? '' : (names[id] ?? ''),
    size: faces.length,
    available_faces: faces.length,
    faces: shown.map(({ jpeg }) => Uint8Array.from(Buffer.from(jpeg, 'base64'))),
    entry_ids: shown.map(({ id: entry }) => entry),
  };
}

/** Half-open ranges of grid frames of a cluster, by content. */
export function legacyAppearances({ clusters }: LegacyClustering, id: string) {
  const faces = clusters.find((cluster) => cluster.id === id)?.faces ?? [];
  return [...Map.groupBy(faces, ({ hash }) => hash)].map(([hash_str, own]) => ({
    hash_str,
    faces: own.length,
    ranges: joinRanges(own.map(({ frame }) => [frame, frame + 1] as const)),
  }));
}

/** The clustering without the faces of these contents. */
export function withoutContents(stored: LegacyClustering, hashes: ReadonlySet<string>): LegacyClustering {
  const keep = (faces: readonly LegacyFace[]) => faces.filter(({ hash }) => !hashes.has(hash));
  const clusters = stored.clusters
    .map(({ id, faces }) => ({ id, faces: keep(faces) }))
    .filter(({ faces }) => faces.length > 0);
  return { ...stored, clusters, noise: keep(stored.noise) };
}

// Names that people give to clusters. One name on two clusters is one person, in searches as well.

interface Assignment {
  readonly cluster_id: string;
  /** Empty: no name. */
  readonly name: string;
}

/** Plain names by cluster id; the last one of an id counts. UNKNOWN_CLUSTER, BAD_NAME. */
function plainAssignments(
  assignments: readonly Assignment[],
  known: ReadonlySet<string>,
): Map<string, string> {
  const plain = new Map<string, string>();
  for (const [i, { cluster_id, name }] of assignments.entries()) {
    const field = `assignments[${i}].cluster_id`;
    if (!known.has(cluster_id)) {
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
  // Whoever takes a correction back does not take back the names given since.
  const there = new Set(state.undo.cluster_ids);
  const since = new Map([...plain].filter(([id]) => there.has(id)));
  const undo = { ...state.undo, names: changedNames(state.undo.names, since, {}) };
  return { ...state, names, lost, undo };
}
