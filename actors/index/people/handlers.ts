// Handlers about people: faces while they are detected, clusterings while they are made and as they are
// stored, and people in memory.

import { randomInt } from 'node:crypto';
import { type Handlers, Sent, type Turn } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { IndexFolders } from '../folders.ts';
import type { OpenLoads, OpenStages } from '../numbered-work.ts';
import { storeErrors } from '../store/contract.ts';
import { pathFinder } from '../store/media.ts';
import type { ClusterAppearance } from '../store/people/clusterings.ts';
import type { FaceStage } from '../store/people/face-stage.ts';
import { unknownJob } from '../store/people/job-writer.ts';
import type { OpenClustering } from '../store/people/open-clustering.ts';
import type { OpenComparison } from '../store/people/open-comparison.ts';
import type { Store } from '../store/store.ts';
import { peopleErrors, type peopleMessages } from './contract.ts';
import type { PeopleIndex } from './people-index.ts';

export interface PeopleHandlerParts {
  readonly folders: IndexFolders;
  readonly people: PeopleIndex;
  readonly faceStages: OpenStages<FaceStage>;
  readonly clusterings: OpenClusterings;
  readonly comparisons: OpenLoads<OpenComparison>;
  /** Bytes of faces read in one step of a beginning clustering; undefined: as many as take some 10 ms. */
  readonly clusteringBytes: number | undefined;
}

type Messages = Contract<typeof peopleMessages>;

export function peopleHandlers(parts: PeopleHandlerParts): Handlers<Messages> {
  const { folders, clusterings, people } = parts;
  return {
    ...faceHandlers(parts),
    load_people: ({ cache_dir, load = null }) => folders.with(cache_dir, (store) => people.load(store, load)),
    suggest_clusters: (request) => suggest(parts, request),
    begin_clustering: (request) => begin(parts, request),
    clustering_vectors: ({ clustering, from, most }) => {
      const answer = clusterings.opened(clustering).clustering.vectors(from, most);
      return new Sent(answer, { transfer: [answer.vectors.buffer, answer.weak.buffer] });
    },
    commit_clustering: (request) => commit(parts, request),
    end_clustering: ({ clustering }) => {
      clusterings.end(clustering);
      return {};
    },
    cluster_jobs: ({ cache_dir }) => folders.with(cache_dir, (store) => store.people.jobs()),
    cluster_job: ({ cache_dir, cluster_job_name }) =>
      folders.with(cache_dir, (store) => ({ job: store.people.job(cluster_job_name) })),
    name_clusters: ({ cache_dir, cluster_job_name, assignments }) =>
      folders.with(cache_dir, (store) => ({ changes: store.people.name(cluster_job_name, assignments) })),
    modify_clusters: ({ cache_dir, cluster_job_name, ...corrections }) =>
      folders.with(cache_dir, (store) => store.people.modify(cluster_job_name, corrections)),
    undo_clusters: ({ cache_dir, cluster_job_name }) =>
      folders.with(cache_dir, (store) => ({ job: store.people.undo(cluster_job_name) })),
    delete_people: ({ cache_dir, cluster_job_name, cluster_id }) =>
      folders.with(cache_dir, (store) => store.people.delete(cluster_job_name, cluster_id)),
    compact_faces: ({ cache_dir, model_key }) =>
      folders.with(cache_dir, (store) => ({ done: store.compactFaces(model_key) })),
    appearances: ({ cache_dir, cluster_job_name, clusters }) =>
      folders.with(cache_dir, (store) => ({ people: appearances(store, cluster_job_name, clusters) })),
    cluster_faces: (request, turn) =>
      folders.with(request.cache_dir, (store) => {
        const answer = clusterFaces(store, request, turn);
        const pages = answer.noise === null ? answer.clusters : [...answer.clusters, answer.noise];
        const transfer = pages.flatMap(({ faces }) => faces.map(({ buffer }) => buffer as ArrayBuffer));
        return new Sent(answer, { transfer });
      }),
  };
}

/** A clustering that changed meanwhile is compared anew. */
function suggest(
  { folders, comparisons }: PeopleHandlerParts,
  { cache_dir, cluster_job_name, begun, ...options }: Request<Messages, 'suggest_clusters'>,
): Promise<Reply<Messages, 'suggest_clusters'>> {
  return folders.with(cache_dir, (store) => {
    const isStill = (open: OpenComparison) => store.people.isStill(cluster_job_name, open);
    const begin = () => {
      const open = store.people.compare(cluster_job_name, options);
      if (open === null) throw unknownJob(cluster_job_name);
      return open;
    };
    const { number, load, done } = comparisons.step(begun ?? null, isStill, begin, (open) => open.step());
    const { pairs, leftOut } = load.comparison;
    return { done, comparison: number, pairs: done ? [...pairs] : [], left_out: leftOut };
  });
}

function begin(
  parts: PeopleHandlerParts,
  { cache_dir, cluster_job_name: name, begun, ...options }: Request<Messages, 'begin_clustering'>,
) {
  const { folders, clusterings } = parts;
  return folders.with(cache_dir, (store) => {
    const number = begun ?? clusterings.add(cache_dir, store.people.begin({ name, ...options }));
    const { clustering } = clusterings.get(number);
    const done = step(parts, number, store);
    const { entries, missing, unreadable, before, digest } = clustering;
    const answer = {
      done,
      clustering: number,
      entries,
      missing,
      unreadable,
      digest,
      before: before && { labels: before.labels, neighbours: before.neighbours },
    };
    const transfer = before === null ? [] : [before.labels.buffer, before.neighbours.buffer];
    return new Sent(answer, { transfer: transfer as ArrayBuffer[] });
  });
}

/** After an error it is not open. */
function step({ clusterings, clusteringBytes }: PeopleHandlerParts, number: number, store: Store): boolean {
  const { clustering } = clusterings.get(number);
  try {
    if (clustering.isOf(store.people.faces)) return clustering.step(clusteringBytes);
    throw peopleErrors.CLUSTERING_CHANGED(`${store.folder} was reopened in the meantime; cluster it again`);
  } catch (error) {
    clusterings.end(number);
    throw error;
  }
}

function commit(
  { folders, clusterings }: PeopleHandlerParts,
  request: Request<Messages, 'commit_clustering'>,
) {
  const { clustering: number, labels, neighbours, eps, clear_names, digest } = request;
  const { cache_dir, clustering } = clusterings.opened(number);
  if (digest !== undefined && digest !== clustering.digest) {
    const { name } = clustering.request;
    throw peopleErrors.CLUSTERING_CHANGED(`${name}: its faces or corrections changed; cluster it again`);
  }
  for (const [field, values] of Object.entries({ labels, neighbours })) {
    if (values.length === clustering.entries) continue;
    throw engineErrors.INVALID_MESSAGE(`${field}: ${values.length} for ${clustering.entries} entries`);
  }
  return folders.with(cache_dir, (store) => {
    const { report, cluster_ids, clusters, names } = store.people.commit(
      clustering,
      labels,
      neighbours,
      eps,
      clear_names,
    );
    const aligned = cluster_ids.map((id) => names[id] ?? '');
    const answer = { report, cluster_ids, clusters, names: aligned };
    clusterings.end(number);
    return new Sent(answer, { transfer: [clusters.buffer] });
  });
}

function clusterFaces(
  store: Store,
  request: Request<Messages, 'cluster_faces'>,
  turn: Turn,
): Reply<Messages, 'cluster_faces'> {
  const { cluster_job_name: name, clusters, min_size, max_size, max_clusters, noise } = request;
  const job = store.people.job(name);
  if (job === null) return { job, matching: 0, clusters: [], noise: null, unknown: [] };
  const view = store.people.view(name);
  if (view === null) return { job: null, matching: 0, clusters: [], noise: null, unknown: [] };
  const positions = new Map(view.state.cluster_ids.map((id, at) => [id, at]));
  const requestedIds = clusters && [...new Set(clusters)];
  const sized = view.ofSize(min_size, max_size);
  const chosen = requestedIds?.flatMap((id) => positions.get(id) ?? []) ?? sized.slice(0, max_clusters);
  const reportedHashes = new Set<string>();
  const pages = view.pages(
    noise ? [...chosen, -1] : chosen,
    request,
    pathFinder(store.media),
    (hash, error) => {
      if (reportedHashes.has(hash)) return;
      reportedHashes.add(hash);
      turn.log.warn('Pictures of faces cannot be read', { hash, reason: error.message });
    },
  );
  return {
    job,
    matching: sized.length,
    clusters: pages.slice(0, chosen.length),
    noise: noise ? pages.at(-1)! : null,
    unknown: requestedIds?.filter((id) => !positions.has(id)) ?? [],
  };
}

/** Everybody who has a name for null. UNKNOWN_CLUSTER. */
function appearances(
  store: Store,
  name: string,
  clusters: readonly string[] | null,
): Reply<Messages, 'appearances'>['people'] {
  const job = store.people.job(name);
  if (job === null) throw unknownJob(name);
  const clusterIds = clusters === null ? Object.keys(job.names) : [...new Set(clusters)];
  const existingIds = new Set(job.cluster_ids);
  for (const [i, id] of clusterIds.entries()) {
    const field = `clusters[${i}]`;
    if (existingIds.has(id)) continue;
    throw peopleErrors.UNKNOWN_CLUSTER(`${field}: there is no cluster ${id}`, { field });
  }
  const appearancesOf = viewSeen(store, name);
  const pathOf = pathFinder(store.media);
  return clusterIds.map((cluster_id) => {
    const media = appearancesOf(cluster_id).map(({ hash_str, ...appearance }) => ({
      hash_str,
      media_path: pathOf(hash_str) ?? '',
      ...appearance,
    }));
    media.sort((a, b) => (a.media_path < b.media_path ? -1 : a.media_path > b.media_path ? 1 : 0));
    return { cluster_id, name: job.names[cluster_id] ?? '', media };
  });
}

function viewSeen(store: Store, name: string): (cluster: string) => ClusterAppearance[] {
  const view = store.people.view(name);
  const positions = new Map(view?.state.cluster_ids.map((id, at) => [id, at]));
  return (cluster) => view?.appearances(positions.get(cluster) ?? -1) ?? [];
}

// Handlers about the faces of media while they are detected.

type FaceMessages = 'faces_stored' | 'begin_faces' | 'append_faces' | 'commit_faces' | 'abort_faces';

function faceHandlers({ folders, faceStages }: PeopleHandlerParts): Pick<Handlers<Messages>, FaceMessages> {
  return {
    faces_stored: ({ cache_dir, model_key, hashes }) =>
      folders.with(cache_dir, (store) => {
        const stored = store.people.faces.stored(model_key, hashes);
        return {
          faces: stored.map((entry) => entry?.count ?? null),
          from_previews: stored.map((entry) => entry?.fromPreviews ?? false),
        };
      }),
    begin_faces: ({ cache_dir, hash_str, model_key, dimensions, span }) =>
      folders.with(cache_dir, (store) => {
        const stage = store.peopleWriter().faces.begin(hash_str, model_key, dimensions, span);
        const { frames, next } = stage.storedFrames;
        return { stage: faceStages.add(store, stage), stored_frames: frames, next_frame: next };
      }),
    append_faces: ({ stage: number, frames, vectors, aligned, displays, keep }) => {
      const { store, stage } = faceStages.get(number);
      writerOf(store, stage).append(stage, { frames, vectors, aligned, displays }, keep);
      return {};
    },
    commit_faces: ({ stage: number, media, from_previews }) => {
      const { store, stage } = faceStages.get(number);
      // Whatever becomes of the commit, the store has no stage afterwards.
      faceStages.remove(number);
      return writerOf(store, stage).commit(stage, media, from_previews);
    },
    abort_faces: ({ stage: number }) => {
      const open = faceStages.remove(number);
      if (open?.store.isBusy) open.store.peopleWriter().faces.suspend(open.stage);
      return {};
    },
  };
}

/** The stages of a store that was closed are lost with it. */
function writerOf(store: Store, stage: FaceStage) {
  if (store.isBusy) return store.peopleWriter().faces;
  throw storeErrors.STAGE_LOST(`The stage of ${stage.hash} was lost when ${store.folder} was closed`);
}

// The clusterings that are under way, by the number their caller knows them by. Those that were left go in
// time.

/** More are not under way at a time: callers that gave up leave theirs behind. */
const mostOpen = 4;

interface NumberedClustering {
  readonly cache_dir: string;
  readonly clustering: OpenClustering;
}

export class OpenClusterings {
  readonly #open = new Map<number, NumberedClustering>();
  /** At random, so that a number of an earlier actor names none of this one. */
  #last = randomInt(2 ** 40);

  add(cache_dir: string, clustering: OpenClustering): number {
    this.#open.set(++this.#last, { cache_dir, clustering });
    for (const oldest of [...this.#open.keys()].slice(0, -mostOpen)) this.end(oldest);
    return this.#last;
  }

  /** Throws CLUSTERING_CHANGED: it is begun again. */
  get(number: number): NumberedClustering {
    const open = this.#open.get(number);
    if (open !== undefined) return open;
    throw peopleErrors.CLUSTERING_CHANGED(`clustering: ${number} is not open; cluster it again`);
  }

  /** The same for one whose entries are known. Throws INVALID_MESSAGE as well. */
  opened(number: number): NumberedClustering {
    const open = this.get(number);
    if (open.clustering.isOpen) return open;
    throw engineErrors.INVALID_MESSAGE(`clustering: ${number} is not begun to the end`);
  }

  end(number: number): void {
    this.#open.get(number)?.clustering.close();
    this.#open.delete(number);
  }

  clear(): void {
    for (const number of [...this.#open.keys()]) this.end(number);
  }
}
