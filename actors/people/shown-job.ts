// A clustering in the fields of the API.
import type { ClusterJob } from '../index/people/contract.ts';
import { epsOf } from '../models/face-distance.ts';
import type { FaceClusterJob } from './contract.ts';

/** `clustered_ms` 0: an older format does not say when. `ownEps`: of the row of its model. */
export function shownJob(
  { clustered_ms, eps: used_eps, ...job }: ClusterJob,
  ownEps: number,
): FaceClusterJob {
  const clustered = clustered_ms > 0 ? clustered_ms / 1000 : null;
  return { ...job, eps: epsOf(used_eps, ownEps), used_eps, clustered };
}
