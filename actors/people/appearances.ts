// Where people are seen. Clusters are asked for some at a time, so that searches come in between.
import type { AppearancesAnswer, AppearancesRequest } from './contract.ts';
import { jobOf, now, type PeopleParts } from './parts.ts';
import { clustersMeant } from './persons.ts';

/** Of one message. */
const mostClusters = 16;

/** Throws UNKNOWN_CLUSTER_JOB and UNKNOWN_PERSON; UNKNOWN_CLUSTER where one is merged meanwhile. */
export async function appearances(
  parts: PeopleParts,
  request: AppearancesRequest,
  signal: AbortSignal | undefined,
): Promise<AppearancesAnswer> {
  const { cache_dir, cluster_job_name } = request;
  const job = await jobOf(parts, request, signal);
  const named = () => job.cluster_ids.filter((id) => (job.names[id] ?? '') !== '');
  const wanted = request.people.length === 0 ? named() : clustersMeant(job, request.people, 'people');
  const people: AppearancesAnswer['people'] = [];
  for (let at = 0; at < wanted.length; at += mostClusters) {
    const asked = { cache_dir, cluster_job_name, clusters: wanted.slice(at, at + mostClusters) };
    const some = await parts.index.ask('appearances', asked, now(signal));
    // Grid frame n is second n, so ranges of frames are ranges of seconds.
    for (const one of some.people) people.push(one);
  }
  return { cluster_job_name, people };
}
