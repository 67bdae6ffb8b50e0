// Removes a clustering, or one person of it: what is known of faces must be removable.
import type { DeletePeopleAnswer, DeletePeopleRequest } from './contract.ts';
import { peopleRequestErrors } from './contract.ts';
import { jobOf, now, type PeopleParts } from './parts.ts';
import { clustersNamed, knownCluster } from './persons.ts';

type Signal = AbortSignal | undefined;

/**
 * Several clusters of one name go one after the other; asked for again, the rest goes. Throws UNKNOWN_CLUSTER_JOB,
 * UNKNOWN_CLUSTER, UNKNOWN_PERSON, WHICH_PERSON.
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
    const asked = { cache_dir, cluster_job_name, cluster_id };
    const one = await parts.index.ask('delete_people', asked, now(signal));
    removed.deleted_jobs += one.jobs;
    removed.deleted_clusters += one.clusters;
    removed.deleted_faces += one.faces;
    removed.removed_faces += one.faces_removed;
  }
  if (removed.removed_faces > 0) await compact(parts, { cache_dir, model_key: job.model_key }, signal);
  return { ...removed, message: told(removed) };
}

/** `[null]`: the whole clustering. */
function clustersOf(
  { cluster_id, person_name = null }: DeletePeopleRequest,
  job: Parameters<typeof knownCluster>[0],
): (string | null)[] {
  if (cluster_id !== null && person_name !== null) {
    const what = 'person_name: give either cluster_id or person_name, not both';
    throw peopleRequestErrors.WHICH_PERSON(what, { field: 'person_name' });
  }
  if (person_name !== null) return clustersNamed(job, person_name, 'person_name');
  return [cluster_id === null ? null : knownCluster(job, cluster_id, 'cluster_id')];
}

/** What is not compacted now is by the next task. */
async function compact(
  { index }: PeopleParts,
  asked: { readonly cache_dir: string; readonly model_key: string },
  signal: Signal,
): Promise<void> {
  try {
    while (!(await index.ask('compact_faces', { ...asked }, { signal, group: 'later' })).done);
  } catch {
    // Stopped, or the index has ended or is too busy: the faces are removed all the same.
  }
}

function told({ deleted_jobs, deleted_faces, removed_faces }: Omit<DeletePeopleAnswer, 'message'>): string {
  if (deleted_faces === 0) return 'It contained no faces';
  const taken = `${deleted_faces} ${deleted_faces === 1 ? 'face' : 'faces'} removed`;
  const shared = deleted_faces - removed_faces;
  const back =
    deleted_jobs === 0 && shared > 0
      ? `. Other clusterings also contain ${shared} of them, so they come back when this one is clustered again unless you delete them there, too`
      : '';
  if (removed_faces === 0) {
    return `${taken}, but nothing is deleted from the disk${back || ', because other clusterings still contain them'}`;
  }
  const them = `${removed_faces} of them`;
  return `${taken}. The vectors and pictures of ${them} are no longer used, and the next compaction deletes them from the disk${back}`;
}
