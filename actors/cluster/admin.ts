// Inspection of a cluster, and administration of its nodes.
import type { Clock } from '../../runtime/clock.ts';
import {
  type ClusterAdmin,
  type ClusterNode,
  type ClusterStatus,
  clusterErrors,
  type DatabaseFacts,
  silentSeconds,
} from './contract.ts';
import { Database, supported } from './database.ts';
import { readLibrary } from './log.ts';
import { tryFolder } from './share.ts';

export async function statusOf(database: Database): Promise<ClusterStatus> {
  const { seq: changes } = await readLibrary(database);
  const nodes = await database.query<ClusterNode & { applied: string }>(
    `select id, name, home, version, roles, draining, working, lacks as unreadable_roots, applied, clock_seconds,
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

interface Probed {
  readonly server: string;
  readonly number: number;
  readonly now: number;
  readonly has_tables: boolean;
  readonly may_create: boolean;
}

async function examined(database: Database): Promise<DatabaseFacts> {
  // The first question also connects.
  await database.probe('select 1');
  const [startSeconds, since] = [Date.now() / 1000, performance.now()];
  const { server, number, now, has_tables, may_create } = await database.probe<Probed>(
    `select current_setting('server_version') as server, current_setting('server_version_num')::int as number,
      extract(epoch from clock_timestamp())::float8 as now,
      to_regclass('framehound.version') is not null as has_tables,
      has_database_privilege(current_database(), 'create') as may_create`,
  );
  const milliseconds = performance.now() - since;
  const facts = {
    ...{ server, major: Math.floor(number / 10_000), milliseconds, may_create },
    clock_seconds: startSeconds + milliseconds / 2000 - now,
    supported,
  };
  if (!has_tables) return { ...facts, tables: 0, library: null, roots: [] };
  const { tables } = await database.probe<{ tables: number }>(
    'select number as tables from framehound.version',
  );
  const { library } = await database.probe<{ library: string }>(
    'select id as library from framehound.library',
  );
  // Contents are known from the second version on.
  const { roots } =
    tables < 2
      ? { roots: [] }
      : await database.probe<{ roots: string[] }>(
          `select coalesce(array_agg(distinct split_part(substr(path, 6), '/', 1)), '{}') as roots
            from framehound.content where path like 'root:%'`,
        );
  return { ...facts, tables, library, roots };
}

/** From outside: nothing of an engine is started. Nodes are named by their id, or the beginning of it. */
export function openAdmin(url: string, clock: Clock): ClusterAdmin {
  const database = new Database(url, clock);
  const find = async (name: string): Promise<ClusterNode> => {
    const { nodes } = await statusOf(database);
    const matches = nodes.filter(({ id }) => name !== '' && id.startsWith(name));
    if (matches.length === 1) return matches[0]!;
    const why = matches.length === 0 ? 'is no node of the cluster' : 'begins the id of several nodes';
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
    examine: () => examined(database),
    tryFolder,
    importLibrary: async (shared, transfer) => {
      const { importForAll } = await import('./import.ts');
      return importForAll(database, shared, transfer);
    },
    close: () => database.close(),
  };
}
