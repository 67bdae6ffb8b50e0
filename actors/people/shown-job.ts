// A clustering in the fields of the API. Pure.
import type { ClusterJob } from '../index/people/contract.ts';
import type { FaceClusterJob } from './contract.ts';

/** `clustered_ms` 0: an older format does not say when. */
export function shownJob({ clustered_ms, ...job }: ClusterJob): FaceClusterJob {
  return { ...job, clustered: clustered_ms > 0 ? clustered_ms / 1000 : null };
}
