// The metrics of an engine that is a node of a cluster; none of one that is not.
import type { Cluster, ClusterStatus } from '../../actors/cluster/contract.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type MetricFamily, single } from './exposition.ts';

/** ms that the database may take to answer. */
const WITHIN = 1_000;

export async function clusterFamilies(
  cluster: Pick<Cluster, 'standing' | 'status'> | null,
  clock: Clock,
): Promise<MetricFamily[]> {
  if (cluster === null) return [];
  const { away, applied, latest, missed } = cluster.standing();
  // While the database is away nobody knows.
  const status = away === null ? await statusWithin(cluster, clock) : null;
  const families = [
    single(
      'gauge',
      'framehound_cluster_database_up',
      'Whether the database of the cluster can be reached.',
      status === null ? 0 : 1,
    ),
    single(
      'gauge',
      'framehound_cluster_changes_behind',
      'Changes of the library that this node does not have yet.',
      Math.max(status?.changes ?? 0, latest) - applied,
    ),
    single(
      'gauge',
      'framehound_cluster_changes_missed',
      'Changes whose results are missing here, because their files in the shared folder are damaged.',
      missed,
    ),
  ];
  if (status === null) return families;
  const { queued_jobs, active_jobs, failed_jobs } = status;
  const jobs = { queued: queued_jobs, active: active_jobs, failed: failed_jobs };
  return [
    ...families,
    {
      type: 'gauge',
      name: 'framehound_cluster_jobs',
      help: 'Jobs of the whole cluster, by state.',
      samples: Object.entries(jobs).map(([state, value]) => ({ labels: { state }, value })),
    },
  ];
}

/** Null when the database does not answer in time. */
async function statusWithin(cluster: Pick<Cluster, 'status'>, clock: Clock): Promise<ClusterStatus | null> {
  const late = Promise.withResolvers<null>();
  const disarm = clock.after(WITHIN, () => late.resolve(null));
  const status = await Promise.race([cluster.status().catch(() => null), late.promise]);
  disarm();
  return status;
}
