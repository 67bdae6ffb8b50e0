// Every cluster with its best faces, and a page of the faces of some: what a person looks at to name them.

import { quoted } from '../../../runtime/quoted.ts';
import { type ClusterFacesAnswer, type ClusterSamplesAnswer, peopleRequestErrors } from './contract.ts';
import { facesOf, noSuchJob, now, type PeopleParts } from './parts.ts';
import { ANY_SIZE, FACES_AT_ONCE, PictureBudget, type Pictures, picturesOf } from './pictures.ts';
import type { ClusterFacesRequest, SamplesRequest } from './requests/contract.ts';

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
  const found = await facesOf(parts, { cache_dir, cluster_job_name, ...query }, signal);
  const { job, matching } = found;
  if (job === null)
    return { warning: `There is no saved face data: ${await noSuchJob(parts, request, signal)}` };
  const budget = new PictureBudget(parts);
  const cluster_ids = found.clusters.map(({ cluster_id }) => cluster_id);
  const page = { cluster_ids, offset: 0, limit: limit_per_cluster };
  const clusters = isOneMessage
    ? found.clusters.map((one) => budget.take(one))
    : (await picturesOf(parts, request, page, budget, signal)).clusters;
  const noise = request.include_noise ? await noiseFaces(parts, request, budget, signal) : null;
  return {
    cluster_job_name,
    num_clusters: job.num_clusters,
    num_clusters_after_filter: matching,
    total_entries: job.total_entries,
    clusters: clusters.map(sampleOf),
    ...(noise && { noise_size: job.noise_entries, noise_sample: noise }),
    ...warned([budget.warning()]),
  };
}

function sampleOf({ cluster_id, name, size, faces }: Pictures) {
  return { cluster_id, name, size, sample_faces: faces };
}

/** Of the faces in no cluster as many as of a cluster. */
async function noiseFaces(
  parts: PeopleParts,
  { cache_dir, cluster_job_name, limit_per_cluster }: SamplesRequest,
  budget: PictureBudget,
  signal: Signal,
): Promise<string[]> {
  const request = {
    clusters: [],
    ...ANY_SIZE,
    max_clusters: 0,
    offset: 0,
    limit: limit_per_cluster,
    noise: true,
  };
  const { noise } = await facesOf(parts, { cache_dir, cluster_job_name, ...request }, signal);
  // Null: the clustering was removed meanwhile.
  return noise === null ? [] : budget.take({ ...noise, cluster_id: 'noise' }).faces;
}

/** Each of them once. Throws WHICH_CLUSTER. */
function clustersOf({ cluster_id, cluster_ids }: ClusterFacesRequest): string[] {
  if (cluster_ids.length > 0) return [...new Set(cluster_ids)];
  if (cluster_id !== undefined) return [cluster_id];
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
  return {
    ...answer,
    clusters: clusters.map(({ entry_ids, ...cluster }) =>
      request.include_entry_ids ? { ...cluster, entry_ids } : cluster,
    ),
    ...warned([unknownWarning(cluster_job_name, unknown), budget.warning()]),
  };
}

function unknownWarning(name: string, unknown: readonly string[]): string | null {
  if (unknown.length === 0) return null;
  const some = unknown.slice(0, 5).map(quoted);
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  return `${quoted(name)} has no cluster ${some.join(', ')}${more}`;
}

function warned(warnings: readonly (string | null)[]): { warning?: string } {
  const said = warnings.filter((one) => one !== null);
  return said.length > 0 ? { warning: said.join('. ') } : {};
}
