// The coordinator of people: shows clusterings of faces, takes names and corrections, and says where somebody
// is seen.

import { Semaphore } from '../../../runtime/sync/locks.ts';
import { quoted } from '../../../runtime/text.ts';
import type { TaskRequest } from '../../analysis/contract.ts';
import { type ClusterJob, peopleErrors } from '../../index/people/contract.ts';
import { givenName } from '../../index/people/person-name.ts';
import { embedderSides, epsOf, likenessScale, ownEpsOf } from '../../models/face-distance.ts';
import {
  type AppearancesAnswer,
  type FaceClusterJob,
  type People,
  peopleRequestErrors,
  type SuggestedClusters,
} from './contract.ts';
import { changeableJob, jobOf, now, type PeopleParts } from './parts.ts';
import { clustersMeant, knownCluster, removePeople } from './remove.ts';
import type {
  AppearancesRequest,
  ModifyRequest,
  NamesRequest,
  ReclusterRequest,
  SuggestClustersRequest,
} from './requests/contract.ts';
import { type ClusterPictures, clusterFaces, clusterSamples, PictureBudget, picturesOf } from './samples.ts';

/**
 * Fewer than the index keeps open: with more each would end another one before its next step, and none would
 * get done.
 */
const mostComparisons = 4;

export function createPeople(given: PeopleParts): People {
  const parts = { pictures: new Semaphore(1), comparisons: new Semaphore(mostComparisons), ...given };
  const { index } = parts;
  return {
    jobs: async (cache_dir, signal) => {
      const { jobs, unreadable } = await index.ask('cluster_jobs', { cache_dir }, now(signal));
      const ownEps = await ownEpsOf(parts.modelLibrary);
      return {
        cluster_jobs: jobs.map(({ name }) => name),
        jobs: jobs.map((job) => shownJob(job, ownEps(job.model_key))),
        ...(unreadable.length > 0 && { warning: `Damaged and skipped: ${unreadable.join(', ')}` }),
      };
    },
    samples: (request, signal) => clusterSamples(parts, request, signal),
    faces: (request, signal) => clusterFaces(parts, request, signal),
    name: async (request, signal) => {
      const { cache_dir, cluster_job_name } = request;
      const job = await jobOf(parts, request, signal);
      const assignments = checkedAssignments(job, request.assignments);
      const query = { cache_dir, cluster_job_name, assignments };
      const changes = realChanges(job, (await index.ask('name_clusters', query, now(signal))).changes);
      return { updated: Object.keys(changes).length, changes };
    },
    modify: async (request, signal) => {
      const { cache_dir, cluster_job_name } = request;
      const corrections = checkedCorrections(await changeableJob(parts, request, signal), request);
      return index.ask('modify_clusters', { cache_dir, cluster_job_name, ...corrections }, now(signal));
    },
    undo: async ({ cache_dir, cluster_job_name }, signal) => {
      await jobOf(parts, { cache_dir, cluster_job_name }, signal);
      const { job } = await index.ask('undo_clusters', { cache_dir, cluster_job_name }, now(signal));
      return shownJob(job, (await ownEpsOf(parts.modelLibrary))(job.model_key));
    },
    recluster: (request, signal) => recluster(parts, request, signal),
    suggest: (request, signal) => suggestClusters(parts, request, signal),
    remove: (request, signal) => removePeople(parts, request, signal),
    appearances: (request, signal) => appearances(parts, request, signal),
  };
}

// A clustering in the fields of the API.

/** `clustered_ms` 0: an older format does not say when. `ownEps`: of the row of its model. */
function shownJob({ clustered_ms, eps: used_eps, ...job }: ClusterJob, ownEps: number): FaceClusterJob {
  const clustered = clustered_ms > 0 ? clustered_ms / 1000 : null;
  return { ...job, eps: epsOf(used_eps, ownEps), used_eps, clustered };
}

// Where people are seen. Clusters are asked for some at a time, so that searches come in between.

const mostClusters = 16;

/** Throws UNKNOWN_CLUSTER_JOB and UNKNOWN_PERSON; UNKNOWN_CLUSTER where one is merged meanwhile. */
async function appearances(
  parts: PeopleParts,
  request: AppearancesRequest,
  signal: AbortSignal | undefined,
): Promise<AppearancesAnswer> {
  const { cache_dir, cluster_job_name } = request;
  const job = await jobOf(parts, request, signal);
  const named = () => job.cluster_ids.filter((id) => (job.names[id] ?? '') !== '');
  const clusters = request.people.length === 0 ? named() : clustersMeant(job, request.people, 'people');
  const people: AppearancesAnswer['people'] = [];
  for (let at = 0; at < clusters.length; at += mostClusters) {
    const query = { cache_dir, cluster_job_name, clusters: clusters.slice(at, at + mostClusters) };
    const some = await parts.index.ask('appearances', query, now(signal));
    // Grid frame n is second n, so ranges of frames are ranges of seconds.
    for (const person of some.people) people.push(person);
  }
  return { cluster_job_name, people };
}

// Clusters a job again, as a task like any other: with events, to be cancelled and resumed.

/** The part of a request for a task that clusters again. */
interface ReclusterJobs {
  readonly recluster_jobs: {
    readonly cluster_job_name: string;
    readonly eps: number;
    readonly min_samples: number;
    readonly auto_detect_params: boolean;
    readonly clear_names: boolean;
  }[];
}

/** Throws UNKNOWN_CLUSTER_JOB, LEGACY_STORAGE, and what `start` throws: ANOTHER_TASK while one runs. */
async function recluster(
  parts: PeopleParts,
  request: ReclusterRequest,
  signal: AbortSignal | undefined,
): Promise<{ readonly task_id: string }> {
  await changeableJob(parts, request, signal);
  const { cache_dir, cluster_job_name, eps, min_samples, auto_detect_params, clear_names } = request;
  const recluster_jobs = [{ cluster_job_name, eps, min_samples, auto_detect_params, clear_names }];
  const task: TaskRequest & ReclusterJobs = { cache_dir, recluster_jobs };
  return parts.tasks.start(task, { whenBusy: 'refuse', ...(signal && { signal }) });
}

// Checks the names that clusters are to be given.

interface Assignment {
  readonly cluster_id: string;
  /** Empty: the name is taken away. */
  readonly name: string;
}

/**
 * The names in their plain form, each cluster once. Throws BAD_NAME, NAMED_TWICE and UNKNOWN_CLUSTER naming
 * the field.
 */
export function checkedAssignments(job: ClusterJob, given: NamesRequest['assignments']): Assignment[] {
  const names = new Map<string, string>();
  for (const [i, { cluster_id, name }] of given.entries()) {
    const at = `assignments[${i}]`;
    knownCluster(job, cluster_id, `${at}.cluster_id`);
    const plain = givenName(name ?? '', `${at}.name`);
    const before = names.get(cluster_id);
    if (before !== undefined && before !== plain) {
      const what = `${at}: the cluster ${cluster_id} is given two names, ${quoted(before)} and ${quoted(plain)}`;
      throw peopleRequestErrors.NAMED_TWICE(what, { field: at });
    }
    names.set(cluster_id, plain);
  }
  return [...names].map(([cluster_id, name]) => ({ cluster_id, name }));
}

/** Only those that differ from the names before. */
export function realChanges(
  { names }: ClusterJob,
  changes: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(changes).filter(([id, name]) => (names[id] ?? '') !== name));
}

// Checks merges, moves and what is held apart before they are asked for, so that an error names the field.

type Merge = ModifyRequest['merges'][number];
type Move = ModifyRequest['moves'][number];
type Apart = ModifyRequest['apart'][number];

interface Corrections {
  readonly merges: { cluster_ids: string[]; target_cluster_id?: string }[];
  readonly moves: { from_cluster_id: string | null; to_cluster_id: string | null; entry_ids: string[] }[];
  readonly apart?: { cluster_ids: string[] }[];
}

/**
 * Ignores repetitions in a list. Throws NO_CORRECTION, UNKNOWN_CLUSTER and WRONG_CORRECTION naming the field.
 */
export function checkedCorrections(
  job: ClusterJob,
  { merges, moves, apart }: Pick<ModifyRequest, 'merges' | 'moves' | 'apart'>,
): Corrections {
  if (merges.length === 0 && moves.length === 0 && apart.length === 0) {
    throw peopleRequestErrors.NO_CORRECTION('merges, moves or apart is required', { field: 'merges' });
  }
  return {
    merges: merges.map((merge, i) => checkedMerge(job, merge, `merges[${i}]`)),
    moves: moves.map((move, i) => checkedMove(job, move, `moves[${i}]`)),
    ...(apart.length > 0 && {
      apart: apart.map((pair, i) => checkedApart(job, pair, `apart[${i}].cluster_ids`)),
    }),
  };
}

function checkedApart(job: ClusterJob, { cluster_ids }: Apart, at: string) {
  for (const [i, id] of cluster_ids.entries()) knownCluster(job, id, `${at}[${i}]`);
  if (cluster_ids.length !== 2 || cluster_ids[0] === cluster_ids[1]) {
    throw wrong(at, 'must name two different clusters');
  }
  return { cluster_ids: [...cluster_ids] };
}

function checkedMerge(job: ClusterJob, { cluster_ids, target_cluster_id }: Merge, at: string) {
  for (const [i, id] of cluster_ids.entries()) knownCluster(job, id, `${at}.cluster_ids[${i}]`);
  const joined = [...new Set(cluster_ids)];
  if (joined.length < 2) throw wrong(`${at}.cluster_ids`, 'must name at least two clusters');
  if (target_cluster_id === undefined) return { cluster_ids: joined };
  if (!joined.includes(target_cluster_id)) {
    throw wrong(`${at}.target_cluster_id`, `must be one of cluster_ids: ${quoted(target_cluster_id)}`);
  }
  return { cluster_ids: joined, target_cluster_id };
}

function checkedMove(job: ClusterJob, { from_cluster_id, to_cluster_id, entry_ids }: Move, at: string) {
  if (from_cluster_id !== null) knownCluster(job, from_cluster_id, `${at}.from_cluster_id`);
  if (to_cluster_id !== null) knownCluster(job, to_cluster_id, `${at}.to_cluster_id`);
  if (from_cluster_id === to_cluster_id && from_cluster_id !== null)
    throw wrong(`${at}.to_cluster_id`, 'is the cluster that already contains them');
  if (entry_ids.length === 0) throw wrong(`${at}.entry_ids`, 'names no face');
  return { from_cluster_id, to_cluster_id, entry_ids: [...new Set(entry_ids)] };
}

function wrong(field: string, what: string) {
  return peopleErrors.WRONG_CORRECTION(`${field} ${what}`, { field });
}

// Pairs of clusters that may be one person, most alike first, each with faces to look at.

type Signal = AbortSignal | undefined;

/** Throws UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER, LEGACY_STORAGE. */
async function suggestClusters(
  parts: PeopleParts,
  request: SuggestClustersRequest,
  signal: Signal,
): Promise<SuggestedClusters> {
  const { limit_per_cluster, cluster_id } = request;
  const job = await changeableJob(parts, request, signal);
  if (cluster_id !== undefined) knownCluster(job, cluster_id, 'cluster_id');
  const side = (await embedderSides(parts.modelLibrary))(job.model_key);
  const scale = likenessScale(side?.thresholds.same ?? 1 - job.eps);
  const { comparisons = new Semaphore(1) } = parts;
  const compare = () => compared(parts, request, scale.least, signal);
  const { pairs, left_out } = await comparisons.run(compare, { signal });
  const cluster_ids = [...new Set(pairs.flatMap((pair) => pair.cluster_ids))];
  const budget = new PictureBudget(parts);
  const page = { cluster_ids, offset: 0, limit: limit_per_cluster };
  const { clusters } = await picturesOf(parts, request, page, budget, signal);
  const shown = new Map(clusters.map((cluster) => [cluster.cluster_id, cluster]));
  const suggestions = pairs.flatMap(({ cluster_ids: [first, second], cosine }) => {
    const samples = [shown.get(first), shown.get(second)];
    // One of them was merged away between two messages.
    if (!samples.every((sample) => sample !== undefined)) return [];
    const names = samples.map(({ name }) => name);
    const similarity = scale.of(cosine);
    return [{ cluster_ids: [first, second] as string[], names, similarity, samples: samples.map(sampleOf) }];
  });
  const warnings = [leftOutWarning(left_out), budget.warning()].filter((warning) => warning !== null);
  return { suggestions, ...(warnings.length > 0 && { warning: warnings.join('. ') }) };
}

/** The comparison goes on in steps, so that searches come in between. */
async function compared(
  { index }: PeopleParts,
  { cache_dir, cluster_job_name, cluster_id, other_names, limit }: SuggestClustersRequest,
  least: number,
  signal: Signal,
) {
  const only = cluster_id ?? null;
  const request = { cache_dir, cluster_job_name, cluster_id: only, other_names, least, limit };
  let answer = await index.ask('suggest_clusters', request, now(signal));
  while (!answer.done) {
    answer = await index.ask('suggest_clusters', { ...request, begun: answer.comparison }, now(signal));
  }
  return answer;
}

function sampleOf({ cluster_id, name, size, faces, entry_ids }: ClusterPictures) {
  return { cluster_id, name, size, sample_faces: faces, entry_ids };
}

function leftOutWarning(count: number): string | null {
  if (count === 0) return null;
  const them = count === 1 ? 'The smallest cluster was' : `The ${count} smallest clusters were`;
  return `${them} not compared: there are too many`;
}
