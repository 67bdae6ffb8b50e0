// Actors that the coordinator of people uses, and how it finds a clustering.

import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { Semaphore } from '../../../runtime/sync/locks.ts';
import { quoted, suggestion } from '../../../runtime/text.ts';
import type { Tasks } from '../../analysis/contract.ts';
import {
  type ClusterJob,
  faceStorageVersion,
  peopleErrors,
  type peopleMessages,
} from '../../index/people/contract.ts';
import type { ModelLibrary } from '../../models/contract.ts';

type Asked =
  | 'appearances'
  | 'cluster_faces'
  | 'cluster_job'
  | 'cluster_jobs'
  | 'compact_faces'
  | 'delete_people'
  | 'modify_clusters'
  | 'name_clusters'
  | 'suggest_clusters'
  | 'undo_clusters';

type Asks = Contract<Pick<typeof peopleMessages, Asked>>;

export interface PeopleParts {
  readonly index: Ref<Asks>;
  readonly tasks: Pick<Tasks, 'start'>;
  /** Knows what the likeness of faces means; left out, the distance by which they were clustered says it. */
  readonly modelLibrary?: Pick<ModelLibrary, 'list'>;
  /** Letters of the pictures of one answer; 256 Mi when left out. */
  readonly mostLetters?: number;
  /** Messages for pictures that are in the mailbox of the index at the same time; one when left out. */
  readonly pictures?: Semaphore;
  /** Comparisons of clusters at the same time; one when left out. */
  readonly comparisons?: Semaphore;
}

export interface NamedJob {
  readonly cache_dir: string;
  readonly cluster_job_name: string;
}

/** A person waits: ahead of the work of analyses. */
export function now(signal: AbortSignal | undefined): AskOptions {
  return { lane: 'now', signal };
}

/**
 * Pictures of many clients go one after the other, so that a search never waits for more than one of them.
 */
export function facesOf(
  { index, pictures = new Semaphore(1) }: PeopleParts,
  request: Request<Asks, 'cluster_faces'>,
  signal: AbortSignal | undefined,
): Promise<Reply<Asks, 'cluster_faces'>> {
  const ask = () => index.ask('cluster_faces', request, now(signal));
  return pictures.run(ask, { signal });
}

/** Throws UNKNOWN_CLUSTER_JOB, with the name that was probably meant. */
export async function jobOf(
  parts: PeopleParts,
  named: NamedJob,
  signal: AbortSignal | undefined,
): Promise<ClusterJob> {
  const { cache_dir, cluster_job_name } = named;
  const { job } = await parts.index.ask('cluster_job', { cache_dir, cluster_job_name }, now(signal));
  if (job !== null) return job;
  throw peopleErrors.UNKNOWN_CLUSTER_JOB(await noSuchJob(parts, named, signal));
}

/** The same, of a format that can be changed. Throws also LEGACY_STORAGE. */
export async function changeableJob(
  parts: PeopleParts,
  named: NamedJob,
  signal: AbortSignal | undefined,
): Promise<ClusterJob> {
  const job = await jobOf(parts, named, signal);
  const { name, face_storage_version: version } = job;
  if (version >= faceStorageVersion) return job;
  const what = `${quoted(name)} is stored in the older format ${version}: its clusters can be read and named, but not changed`;
  throw peopleErrors.LEGACY_STORAGE(what);
}

/** In a sentence that there is no such clustering, and which one was probably meant. */
export async function noSuchJob(
  { index }: PeopleParts,
  { cache_dir, cluster_job_name }: NamedJob,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { jobs, unreadable } = await index.ask('cluster_jobs', { cache_dir }, now(signal));
  const names = [...jobs.map(({ name }) => name), ...unreadable];
  const hint = suggestion(cluster_job_name, names);
  return `${cache_dir} has no face clustering named ${quoted(cluster_job_name)}${hint}`;
}
