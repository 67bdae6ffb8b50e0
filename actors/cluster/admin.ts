// What people ask about a cluster, and do to its nodes.
import type { Clock } from '../../runtime/clock.ts';
import {
  type ClusterAdmin,
  type ClusterNode,
  type ClusterStatus,
  clusterErrors,
  silentSeconds,
} from './contract.ts';
import { Database } from './database.ts';

export async function statusOf(database: Database): Promise<ClusterStatus> {
  const [library] = await database.query<{ seq: string }>('select seq from framehound.library');
  const changes = Number(library!.seq);
  const nodes = await database.query<ClusterNode & { applied: string }>(
    `select id, name, version, roles, draining, working, applied, clock_seconds,
      extract(epoch from clock_timestamp() - seen)::float8 as seen_seconds
      from framehound.node order by name, id`,
  );
  const { queued, active, failed } = await database.queueCounts();
  return {
    nodes: nodes.map(({ applied, ...node }) => ({ ...node, behind: Math.max(0, changes - Number(applied)) })),
    changes,
    queued_jobs: queued,
    active_jobs: active,
    failed_jobs: failed,
  };
}

/** From outside: nothing of an engine is started. Nodes are named by their id, or the beginning of it. */
export function openAdmin(url: string, clock: Clock): ClusterAdmin {
  const database = new Database(url, clock);
  const find = async (name: string): Promise<ClusterNode> => {
    const { nodes } = await statusOf(database);
    const found = nodes.filter(({ id }) => name !== '' && id.startsWith(name));
    if (found.length === 1) return found[0]!;
    const why = found.length === 0 ? 'is no node of the cluster' : 'begins the id of several nodes';
    throw clusterErrors.NODE_UNKNOWN(`${name} ${why}; to list them: framehound cluster status`);
  };
  return {
    status: () => statusOf(database),
    drain: async (name, draining) => {
      const { id } = await find(name);
      await database.query('update framehound.node set draining = $2 where id = $1', [id, draining]);
    },
    remove: async (name) => {
      const { id, seen_seconds } = await find(name);
      if (seen_seconds < silentSeconds) {
        throw clusterErrors.NODE_RUNS(
          `${id} is running: stop framehound there, and try again after ${silentSeconds} seconds`,
        );
      }
      await database.query('delete from framehound.node where id = $1', [id]);
    },
    describe: async () => {
      const { version, now } = await database.probe<{ version: string; now: number }>(
        `select current_setting('server_version') as version,
          extract(epoch from clock_timestamp())::float8 as now`,
      );
      const ahead = Date.now() / 1000 - now;
      return `PostgreSQL ${version}; this clock is ${Math.abs(ahead).toFixed(1)} s ${ahead < 0 ? 'behind' : 'ahead'}`;
    },
    close: () => database.close(),
  };
}
