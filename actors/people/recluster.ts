// Clusters a job again, as a task like any other: with events, to be cancelled and resumed.
import type { TaskRequest } from '../analysis/contract.ts';
import type { ReclusterRequest } from './contract.ts';
import { changeableJob, type PeopleParts } from './parts.ts';

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
export async function recluster(
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
