// Removes a clustering, or one person of it: what is known of faces must be removable.

import { counted, plainApostrophes, quoted, suggestion } from '../../../runtime/text.ts';
import { type ClusterJob, peopleErrors } from '../../index/people/contract.ts';
import { plainName } from '../../index/people/person-name.ts';
import { compactFacesInSteps } from '../../index/store/compact-in-steps.ts';
import { type DeletePeopleAnswer, peopleRequestErrors } from './contract.ts';
import { jobOf, now, type PeopleParts } from './parts.ts';
import type { DeletePeopleRequest } from './requests/contract.ts';

type Signal = AbortSignal | undefined;

/**
 * Several clusters of one name go one after the other; asked for again, the rest goes. Throws
 * UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER, UNKNOWN_PERSON, WHICH_PERSON.
 */
export async function removePeople(
  parts: PeopleParts,
  request: DeletePeopleRequest,
  signal: Signal,
): Promise<DeletePeopleAnswer> {
  const { cache_dir, cluster_job_name } = request;
  const job = await jobOf(parts, request, signal);
  const removed = { deleted_jobs: 0, deleted_clusters: 0, deleted_faces: 0, removed_faces: 0 };
  for (const cluster_id of clustersOf(request, job)) {
    const query = { cache_dir, cluster_job_name, cluster_id };
    const counts = await parts.index.ask('delete_people', query, now(signal));
    removed.deleted_jobs += counts.jobs;
    removed.deleted_clusters += counts.clusters;
    removed.deleted_faces += counts.faces;
    removed.removed_faces += counts.faces_removed;
  }
  if (removed.removed_faces > 0)
    await compactFacesInSteps(parts.index, { cache_dir, model_key: job.model_key }, signal);
  return { ...removed, message: summaryText(removed) };
}

/** `[null]`: the whole clustering. */
function clustersOf(
  { cluster_id, person_name }: DeletePeopleRequest,
  job: Parameters<typeof knownCluster>[0],
): (string | null)[] {
  if (cluster_id !== undefined && person_name !== undefined) {
    const what = 'person_name: give either cluster_id or person_name, not both';
    throw peopleRequestErrors.WHICH_PERSON(what, { field: 'person_name' });
  }
  if (person_name !== undefined) return clustersNamed(job, person_name, 'person_name');
  return [cluster_id === undefined ? null : knownCluster(job, cluster_id, 'cluster_id')];
}

function summaryText({
  deleted_jobs,
  deleted_faces,
  removed_faces,
}: Omit<DeletePeopleAnswer, 'message'>): string {
  if (deleted_faces === 0) return 'It contained no faces';
  const outcome = `${counted(deleted_faces, 'face')} removed`;
  const shared = deleted_faces - removed_faces;
  const back =
    deleted_jobs === 0 && shared > 0
      ? `. Other clusterings also contain ${shared} of them, so they come back when this one is clustered again unless you delete them there, too`
      : '';
  if (removed_faces === 0) {
    return `${outcome}, but nothing is deleted from the disk${back || ', because other clusterings still contain them'}`;
  }
  const them = `${removed_faces} of them`;
  return `${outcome}. The vectors and pictures of ${them} are no longer used, and the next compaction deletes them from the disk${back}`;
}

// Which clusters a text means: an id, or a name that one or more of them have.

type Known = Pick<ClusterJob, 'name' | 'cluster_ids' | 'names'>;

/** Ids by name, with those of a job that has tens of thousands of them found at once. */
interface Lookup {
  readonly ids: ReadonlySet<string>;
  /** Clusters by plain name; unnamed ones are left out. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** Plain names by their lower case. */
  readonly byCase: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A job is what one request was answered, so its lookup goes with it. */
const lookups = new WeakMap<Known, Lookup>();

function lookupOf(job: Known): Lookup {
  const cachedLookup = lookups.get(job);
  if (cachedLookup !== undefined) return cachedLookup;
  const byName = new Map<string, string[]>();
  const byCase = new Map<string, Set<string>>();
  for (const id of job.cluster_ids) {
    const name = plainName(Object.hasOwn(job.names, id) ? job.names[id]! : '');
    if (name === '') continue;
    const [namesakes, alike] = [byName.get(name), byCase.get(alikeName(name))];
    if (namesakes === undefined) byName.set(name, [id]);
    else namesakes.push(id);
    if (alike === undefined) byCase.set(alikeName(name), new Set([name]));
    else alike.add(name);
  }
  const lookup = { ids: new Set(job.cluster_ids), byName, byCase };
  lookups.set(job, lookup);
  return lookup;
}

const alikeName = (name: string) => plainApostrophes(name.toLowerCase());

/** Throws UNKNOWN_CLUSTER naming the field. */
export function knownCluster(job: Known, cluster_id: string, field: string): string {
  if (lookupOf(job).ids.has(cluster_id)) return cluster_id;
  const what = `${field}: ${quoted(job.name)} has no cluster ${quoted(cluster_id)}`;
  throw peopleErrors.UNKNOWN_CLUSTER(what, { field });
}

/** Every cluster of this name: two clusters may be one person. Throws UNKNOWN_PERSON naming the field. */
export function clustersNamed(job: Known, person_name: string, field: string): string[] {
  const ids = withName(job, person_name);
  if (ids.length > 0) return [...ids];
  throw unknownPerson(job, person_name, field);
}

/**
 * Ids go before names, and the exact case before any, where that is one name. Each cluster once, in the order
 * in which it is named. Throws UNKNOWN_PERSON naming the field.
 */
export function clustersMeant(job: Known, people: readonly string[], field: string): string[] {
  const ids = people.flatMap((text, i) => {
    if (lookupOf(job).ids.has(text)) return [text];
    const exactly = withName(job, text);
    const clusters = exactly.length > 0 ? exactly : inAnyCase(job, text);
    if (clusters.length === 0) throw unknownPerson(job, text, `${field}[${i}]`);
    return clusters;
  });
  return [...new Set(ids)];
}

function withName(job: Known, name: string): readonly string[] {
  return lookupOf(job).byName.get(plainName(name)) ?? [];
}

/** Empty also when it may be several names. */
function inAnyCase(job: Known, name: string): readonly string[] {
  const alike = lookupOf(job).byCase.get(alikeName(plainName(name))) ?? [];
  const [only, ...others] = alike;
  return only === undefined || others.length > 0 ? [] : withName(job, only);
}

function unknownPerson({ name, names }: Known, text: string, field: string) {
  const hint = suggestion(text, Object.values(names));
  const what = `${field}: ${quoted(name)} has no person named ${quoted(text)}${hint}`;
  return peopleErrors.UNKNOWN_PERSON(what, { field });
}
