// Every cluster with its best faces, and a page of the faces of some: what a person looks at to name them.
import { quoted } from '../../../runtime/text.ts';
import type { ClusterFaces } from '../../index/people/contract.ts';
import { type ClusterFacesAnswer, type ClusterSamplesAnswer, peopleRequestErrors } from './contract.ts';
import { facesOf, type NamedJob, noSuchJob, now, type PeopleParts } from './parts.ts';
import type { ClusterFacesRequest, SamplesRequest } from './requests/contract.ts';

// Pictures of clusters as base64, at most so many letters in one answer. Faces are asked for a few thousand
// at a time, so that other requests come in between and no more of them lie in memory than are answered.

/** A text of JavaScript ends at 2^29 letters. */
const MOST_LETTERS = 256 * 1024 * 1024;
/** Faces of one message, which takes some 35 ms; 12 each of 100 clusters are one message. */
export const FACES_AT_ONCE = 1200;
/** No cluster is larger. */
export const ANY_SIZE = { min_size: 1, max_size: 1_000_000_000 } as const;

export interface ClusterPictures extends Omit<ClusterFaces, 'faces'> {
  /** JPEG as base64. */
  readonly faces: string[];
}

/** Counts the letters of one answer down. */
export class PictureBudget {
  #remainingLetters: number;
  /** Pictures that did not fit, and the first cluster that misses some. */
  #missing = 0;
  #first: string | null = null;

  constructor({ mostLetters = MOST_LETTERS }: PeopleParts) {
    this.#remainingLetters = mostLetters;
  }

  get isSpent(): boolean {
    return this.#remainingLetters < 0;
  }

  /** Takes the first pictures, as many as fit. */
  take({ faces, entry_ids, places, ...cluster }: ClusterFaces): ClusterPictures {
    const encodedFaces: string[] = [];
    for (const jpeg of faces) {
      this.#remainingLetters -= base64Letters(jpeg);
      if (this.isSpent) break;
      encodedFaces.push(base64(jpeg));
    }
    if (encodedFaces.length < faces.length) this.lose(cluster.cluster_id, faces.length - encodedFaces.length);
    const count = encodedFaces.length;
    return {
      ...cluster,
      faces: encodedFaces,
      entry_ids: entry_ids.slice(0, count),
      places: places.slice(0, count),
    };
  }

  /** Pictures that are not even asked for, because nothing fits any more. */
  lose(cluster_id: string, pictures: number): void {
    this.#missing += pictures;
    if (pictures > 0) this.#first ??= cluster_id;
  }

  /** Null when everything fitted. */
  warning(): string | null {
    if (this.#first === null) return null;
    const them = this.#missing === 1 ? '1 picture does' : `${this.#missing} pictures do`;
    const from = `starting at cluster ${this.#first}`;
    return `${them} not fit into one response, ${from}: request fewer clusters, or fewer faces of each`;
  }
}

interface Page {
  readonly cluster_ids: readonly string[];
  /** First picture of each cluster. */
  readonly offset: number;
  readonly limit: number;
}

/** In the order of the ids. `unknown`: ids that are no cluster. */
export async function picturesOf(
  parts: PeopleParts,
  { cache_dir, cluster_job_name }: NamedJob,
  { cluster_ids, offset, limit }: Page,
  budget: PictureBudget,
  signal: AbortSignal | undefined,
): Promise<{ clusters: ClusterPictures[]; unknown: string[] }> {
  const clusters: ClusterPictures[] = [];
  const unknown: string[] = [];
  const ask = async (ids: string[], most: number) => {
    const request = {
      clusters: ids,
      ...ANY_SIZE,
      max_clusters: ids.length,
      offset,
      limit: most,
      noise: false,
    };
    const answer = await facesOf(parts, { cache_dir, cluster_job_name, ...request }, signal);
    unknown.push(...answer.unknown);
    const clustersById = new Map(answer.clusters.map((cluster) => [cluster.cluster_id, cluster]));
    return ids.flatMap((id) => clustersById.get(id) ?? []);
  };
  const together = Math.max(1, Math.floor(FACES_AT_ONCE / Math.max(1, limit)));
  let at = 0;
  for (; at < cluster_ids.length && !budget.isSpent; at += together) {
    const batch = await ask(cluster_ids.slice(at, at + together), limit);
    for (const cluster of batch) clusters.push(budget.take(cluster));
  }
  if (at >= cluster_ids.length) return { clusters, unknown };
  // The others are told without a picture.
  for (const cluster of await ask(cluster_ids.slice(at), 0)) {
    budget.lose(cluster.cluster_id, Math.min(limit, Math.max(0, cluster.available_faces - offset)));
    clusters.push({ ...cluster, faces: [] });
  }
  return { clusters, unknown };
}

function base64Letters({ byteLength }: Uint8Array): number {
  return Math.ceil(byteLength / 3) * 4;
}

/** Read where the bytes lie: they are not copied before they are text. */
function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

type Signal = AbortSignal | undefined;

export async function clusterSamples(
  parts: PeopleParts,
  request: SamplesRequest,
  signal: Signal,
): Promise<ClusterSamplesAnswer> {
  const { cache_dir, cluster_job_name, max_clusters, limit_per_cluster } = request;
  const isOneMessage = max_clusters * limit_per_cluster <= FACES_AT_ONCE;
  const query = {
    clusters: null,
    min_size: Math.max(1, request.min_cluster_size),
    max_size: Math.max(1, request.max_cluster_size),
    max_clusters,
    offset: 0,
    // Else only which they are: the pictures come a part at a time.
    limit: isOneMessage ? limit_per_cluster : 0,
    noise: false,
  };
  const faces = await facesOf(parts, { cache_dir, cluster_job_name, ...query }, signal);
  const { job, matching } = faces;
  if (job === null)
    return { warning: `There is no saved face data: ${await noSuchJob(parts, request, signal)}` };
  const budget = new PictureBudget(parts);
  const cluster_ids = faces.clusters.map(({ cluster_id }) => cluster_id);
  const page = { cluster_ids, offset: 0, limit: limit_per_cluster };
  const clusters = isOneMessage
    ? faces.clusters.map((cluster) => budget.take(cluster))
    : (await picturesOf(parts, request, page, budget, signal)).clusters;
  const first = { offset: 0, limit: limit_per_cluster };
  const noise = request.include_noise ? await noiseFaces(parts, request, first, budget, signal) : null;
  return {
    cluster_job_name,
    num_clusters: job.num_clusters,
    num_clusters_after_filter: matching,
    total_entries: job.total_entries,
    clusters: clusters.map(sampleOf),
    ...(noise && { noise_size: job.noise_entries, noise_sample: noise.faces }),
    ...warned([budget.warning()]),
  };
}

function sampleOf({ cluster_id, name, size, faces }: ClusterPictures) {
  return { cluster_id, name, size, sample_faces: faces };
}

/** A page of the faces in no cluster; null where the clustering was removed meanwhile. */
async function noiseFaces(
  parts: PeopleParts,
  { cache_dir, cluster_job_name }: NamedJob,
  page: Pick<Page, 'offset' | 'limit'>,
  budget: PictureBudget,
  signal: Signal,
): Promise<ClusterPictures | null> {
  const request = {
    clusters: [],
    ...ANY_SIZE,
    max_clusters: 0,
    ...page,
    noise: true,
  };
  const { noise } = await facesOf(parts, { cache_dir, cluster_job_name, ...request }, signal);
  return noise && budget.take({ ...noise, cluster_id: 'noise' });
}

/** Each of them once. Throws WHICH_CLUSTER. */
function clustersOf({ cluster_id, cluster_ids, include_noise }: ClusterFacesRequest): string[] {
  if (cluster_ids.length > 0) return [...new Set(cluster_ids)];
  if (cluster_id !== undefined) return [cluster_id];
  if (include_noise) return [];
  throw peopleRequestErrors.WHICH_CLUSTER('cluster_id or cluster_ids is required', { field: 'cluster_id' });
}

export async function clusterFaces(
  parts: PeopleParts,
  request: ClusterFacesRequest,
  signal: Signal,
): Promise<ClusterFacesAnswer> {
  const { cache_dir, cluster_job_name, offset, limit } = request;
  const cluster_ids = clustersOf(request);
  const answer = { cluster_job_name, limit, offset };
  const { job } = await parts.index.ask('cluster_job', { cache_dir, cluster_job_name }, now(signal));
  if (job === null) {
    const warning = `There is no saved cluster data: ${await noSuchJob(parts, request, signal)}`;
    return { ...answer, clusters: [], warning };
  }
  const budget = new PictureBudget(parts);
  const page = { cluster_ids, offset, limit };
  const { clusters, unknown } = await picturesOf(parts, request, page, budget, signal);
  const noise = request.include_noise ? await noiseFaces(parts, request, page, budget, signal) : null;
  return {
    ...answer,
    clusters: clusters.map(({ cluster_id, name, ...pictures }) => {
      return { cluster_id, name, ...shownFaces(pictures, request) };
    }),
    ...(noise && { noise: shownFaces(noise, request) }),
    ...warned([unknownWarning(cluster_job_name, unknown), budget.warning()]),
  };
}

function shownFaces(
  { size, available_faces, faces, entry_ids, places }: Omit<ClusterPictures, 'cluster_id' | 'name'>,
  { include_entry_ids, include_places }: ClusterFacesRequest,
) {
  // Grid frame n is second n.
  const located = places.map(({ hash_str, path, frame_index }) => {
    return { hash_str, media_path: path, seconds: frame_index };
  });
  return {
    size,
    available_faces,
    faces,
    ...(include_entry_ids && { entry_ids }),
    ...(include_places && { places: located }),
  };
}

function unknownWarning(name: string, unknown: readonly string[]): string | null {
  if (unknown.length === 0) return null;
  const some = unknown.slice(0, 5).map(quoted);
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  return `${quoted(name)} has no cluster ${some.join(', ')}${more}`;
}

function warned(warnings: readonly (string | null)[]): { warning?: string } {
  const said = warnings.filter((warning) => warning !== null);
  return said.length > 0 ? { warning: said.join('. ') } : {};
}
