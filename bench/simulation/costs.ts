// The costs of nodes for the database of a cluster, and of a node to take results over: with real code and a
// real PostgreSQL, in processor time, which other work on the machine hardly changes.
import { readdirSync, readFileSync } from 'node:fs';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { Database } from '../../actors/cluster/database.ts';
import { progressChannel } from '../../actors/cluster/notices.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Nodes, Replica } from '../../test/actors/cluster/replicas.ts';
import { footage } from '../../test/actors/index/footage.ts';
import { store } from '../../test/actors/index/handlers.ts';
import { withNodes } from '../cluster.ts';
import { processorSeconds } from '../row.ts';
import { sized } from '../size.ts';

/** Seconds of processor time. */
export interface Costs {
  /** Time of the database for a job, from the queue to the change that makes its results count. */
  readonly job: number;
  /** The same of the engine that does it. */
  readonly jobOfWorker: number;
  /** Time of the database in a second, for a node that follows the log and waits for jobs. */
  readonly node: number;
  /** That such a node has to the database. */
  readonly connections: number;
  /** Time of the database for a notice of progress, and for each node that hears it. */
  readonly notice: number;
  readonly heard: number;
  /** Time of a node to take over the results of an hour of film. */
  readonly takingOver: number;
}

const DIMENSIONS = 512;
/** Frames of an hour of film. */
const HOUR = 3_600;

export const measureCosts = (say: (text: string) => void): Promise<Costs> =>
  withNodes(async (nodes) => {
    const server = await serverOf(nodes);
    const node = await nodes.join('/footage');
    node.begin();
    say('jobs');
    const { job, jobOfWorker } = await jobCosts(node, server);
    say('nodes that have nothing to do');
    const idle = await idleCosts(nodes, server);
    say('notices of progress');
    const notices = await noticeCosts(nodes, server);
    say('taking over results');
    return { job, jobOfWorker, ...idle, ...notices, takingOver: await takeOver(nodes) };
  });

/** Answers seconds of processor time that the server has taken so far. */
type Server = () => number;

async function serverOf({ database }: Nodes): Promise<Server> {
  const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const main = statOf(row!.pid)!.parent;
  return () => {
    let ticks = statOf(main)!.own + statOf(main)!.ended;
    for (const name of readdirSync('/proc')) {
      const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
      if (stat?.parent === main) ticks += stat.own;
    }
    return ticks / 100;
  };
}

/** Null when it has ended. `own` and `ended`, of children that have ended: 1/100 s. */
function statOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const sum = (from: number) => fields[from]! + fields[from + 1]!;
    return { parent: fields[1]!, own: sum(11), ended: sum(13) };
  } catch {
    return null;
  }
}

/** Costs of a job in a large task, whose jobs find nothing. */
async function jobCosts(node: Replica, server: Server): Promise<Pick<Costs, 'job' | 'jobOfWorker'>> {
  const jobs = sized(400, 5);
  const paths = Array.from({ length: sized(20_000, 80) }, (_, i) => `/footage/day ${i % 30}/clip ${i}.mp4`);
  const nothing = Object.assign({ force: false }, ...stageKinds.map((kind) => kind.nothing));
  const { task_id } = await node.tasks.start({ ...nothing, cache_dir: node.cacheDir, paths });
  const all = Promise.withResolvers<void>();
  let done = 0;
  const before = server();
  const seconds = await processorSeconds(async () => {
    const worker = node.work(async ({ request }, { onEvent }) => {
      for (const path of request.paths) {
        const of = { path, type: 'video', hash_str: null, outcome: 'analyzed', reason: null } as const;
        onEvent({
          type: 'result',
          result: { ...of, facts: { frames: 1 }, duration_seconds: 0, error: null },
        });
      }
      if (++done === jobs) all.resolve();
      return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
    });
    await all.promise;
    await worker.stop();
  });
  const job = (server() - before) / done;
  await node.tasks.cancel(task_id);
  return { job, jobOfWorker: seconds / done };
}

/** Costs of some more nodes for the database. */
async function idleCosts(nodes: Nodes, server: Server): Promise<Pick<Costs, 'node' | 'connections'>> {
  const [more, seconds] = [6, sized(20, 1)];
  const before = [await rate(server, seconds), await connectionsNow(nodes)] as const;
  for (let at = 0; at < more; at++) {
    const node = await nodes.join('/footage');
    node.begin();
    node.work(async () => {
      throw new Error('there is no job');
    });
  }
  // Connections that nobody needs any more end after ten seconds.
  const after = [await rate(server, seconds), await connectionsNow(nodes)] as const;
  return { node: (after[0] - before[0]) / more, connections: (after[1] - before[1]) / more };
}

async function connectionsNow({ database }: Nodes): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'",
  );
  return row!.count;
}

async function rate(server: Server, seconds: number): Promise<number> {
  const [before, since] = [server(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  return (1000 * (server() - before)) / (performance.now() - since);
}

async function noticeCosts(nodes: Nodes, server: Server): Promise<Pick<Costs, 'notice' | 'heard'>> {
  const text = JSON.stringify({ path: 'x'.repeat(600) });
  const count = sized(2_000, 20);
  const send = async (hear: number) => {
    const listeners = Array.from({ length: hear }, () => new Database(nodes.url, systemClock));
    const begun = listeners.map(
      (database) => new Promise<void>((resolve) => database.listen(progressChannel, () => resolve())),
    );
    await Promise.all(begun);
    const before = server();
    for (let at = 0; at < count; at++)
      await nodes.database.query('select pg_notify($1, $2)', [progressChannel, text]);
    const seconds = (server() - before) / count;
    await Promise.all(listeners.map((listener) => listener.close()));
    return seconds;
  };
  const [few, many] = [1, 13];
  const [one, all] = [await send(few), await send(many)];
  const heard = Math.max(0, all - one) / (many - few);
  return { heard, notice: Math.max(0, one - heard) };
}

/** Processor time in which a node that was away takes over an hour of film. */
async function takeOver(nodes: Nodes): Promise<number> {
  const [hours, previewBytes] = [sized(4, 1), 15_000];
  const away = await nodes.join('/footage');
  for (let at = 0; at < hours; at++) {
    const vectors = footage(sized(HOUR, 20), DIMENSIONS, 8, 0.2, at);
    const options = { dimensions: DIMENSIONS, previewBytes };
    await nodes.found((index, place) => store(index, place, `ff${at}`, vectors, options));
  }
  const usage = processorSeconds(() => {
    away.begin();
    return away.caughtUp();
  });
  return (await usage) / hours;
}
