// Nodes of a cluster with a real database, each with its own index, follower, writes and tasks. Their workers
// do what a test says.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Analysis, Tasks } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { newTask } from '../../../actors/analysis/tasks/run-tally.ts';
import { Listeners } from '../../../actors/analysis/tasks/running-task.ts';
import { ActiveTasks } from '../../../actors/cluster/active-tasks.ts';
import { Database, type Job } from '../../../actors/cluster/database.ts';
import type { Exchange, Sealed } from '../../../actors/cluster/exchange.ts';
import { Follower, type FollowerParts } from '../../../actors/cluster/follower.ts';
import { addChange, type ChangeBody, lastChange, lockLibrary } from '../../../actors/cluster/log.ts';
import { Places } from '../../../actors/cluster/places.ts';
import { lookingIn } from '../../../actors/cluster/replica-reads.ts';
import { ClusterTasks } from '../../../actors/cluster/tasks.ts';
import { wholeIndex } from '../../../actors/cluster/whole-index.ts';
import { Worker } from '../../../actors/cluster/worker.ts';
import { Writes } from '../../../actors/cluster/writes.ts';
import type { indexContract } from '../../../actors/index/contract.ts';
import { rootsText } from '../../../actors/index/store/roots-file.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { startPostgres } from '../../system/postgres.ts';
import { folder, type Harness, indexActor } from '../index/handlers.ts';

type Index = Ref<typeof indexContract>;

const nodeId = '00000000-0000-4000-8000-000000000001';
const log = createLog('cluster', () => {});
const never = new AbortController().signal;

export interface Replica {
  readonly cacheDir: string;
  /** Of the thread. */
  readonly index: Harness;
  readonly ref: Index;
  /** For messages that write. */
  readonly writes: Index;
  /** As work on the whole library asks it. */
  readonly whole: Harness;
  readonly follower: Follower;
  readonly tasks: ClusterTasks;
  /** Takes jobs from now on. */
  work(run: Analysis['run']): Worker;
  /** Follows the log from now on. */
  begin(): void;
  /** Has everything that is in the log. */
  caughtUp(): Promise<void>;
}

export interface Nodes {
  readonly database: Database;
  readonly library: string;
  /** Results as a worker commits them, whose footage is in `/footage`: of a folder that `work` has filled. */
  found(work: (index: Harness, cacheDir: string) => Promise<unknown>): Promise<void>;
  /** `footage`: where the root `footage` is on that machine. */
  join(footage: string): Promise<Replica>;
}

export async function clusterNodes(t: TestContext): Promise<Nodes> {
  const base = folder(t);
  const postgres = await startPostgres();
  const database = new Database(postgres.url, systemClock);
  const ends: (() => Promise<unknown>)[] = [() => database.close()];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
    postgres.end();
  });
  const [row] = await database.query<{ id: string }>('select id from framehound.library');
  const library = row!.id;
  let count = 0;
  const copied = (from: string, into: string) => cp(from, into, { recursive: true });
  const exchange = {
    seal: async ({ id, retryCount }: Job, from: string): Promise<Sealed> => {
      const place = join(base, `${id}-${retryCount}`);
      await copied(from, place);
      return { place, digest: '' };
    },
    take: ({ place }: Sealed, into: string) => copied(place, into),
    drop: async () => {},
  } as unknown as Exchange;
  const found: Nodes['found'] = async (work) => {
    const made = join(base, `found-${++count}`);
    const index = await indexActor(t, { rootsFile: rootsAt(base, '/footage') });
    await work(index, made);
    await index.close();
    const standing = { counts: {} as never, amounts: {}, end: null };
    const sealed = { place: made, digest: '' };
    const body: ChangeBody = { kind: 'results', task_id: '', job: '', results: [], sealed, standing };
    await database.transact(async (sql) => {
      const after = await lockLibrary(sql, library);
      await addChange(sql, { library, node: nodeId, after }, body);
    });
  };
  const joinAs: Nodes['join'] = async (footage) => {
    const home = join(base, `node-${++count}`);
    const cacheDir = join(home, 'analysis');
    mkdirSync(home);
    const rootsFile = rootsAt(home, footage);
    const index = await indexActor(t, { rootsFile });
    const ask: Index['ask'] = (name, request, options) =>
      index.call(name, request, () => options?.signal?.aborted ?? false);
    const ref = { name: 'index', phase: 'ready', ask } as Index;
    const places = new Places(rootsFile);
    const { seq } = await index.call('follow', { cache_dir: cacheDir, library });
    const common = { database, places, index: ref, library, nodeId, cacheDir, clock: systemClock, log };
    const writes = new Writes(common);
    const onChange: FollowerParts['onChange'] = async ({ body }, written) => {
      if (body.kind === 'write') writes.told(body.id, written);
      else await active.told(body);
    };
    const follower = new Follower({ ...common, exchange, onChange }, seq);
    const active = new ActiveTasks({ ...common, listeners: new Listeners(log) });
    const tasks = new ClusterTasks({
      ...common,
      ...{ active, follower },
      local: {} as Tasks,
      leave: async () => {},
      resolve: async (request) => ({ request: request as never, attachments: [] }),
      admit: async () => {},
      newTask: (task) => newTask(stageKinds, task),
    });
    ends.push(() => follower.stop());
    const work: Replica['work'] = (run) => {
      const worker = new Worker({
        ...{ ...common, follower, exchange, analysis: { run }, folder: join(home, 'work') },
        node: { isDraining: false },
        ...{ files: lookingIn(ref, cacheDir), whole: wholeIndex(ref, writes, never) },
      });
      worker.begin();
      ends.push(() => worker.stop());
      return worker;
    };
    const caughtUp = async () => follower.until(await lastChange(database, library), never);
    const begin = () => follower.begin();
    const asked = wholeIndex(ref, writes, never);
    const whole = { ...index, call: (name, request) => asked.ask(name, request) } as Harness;
    const own = { cacheDir, index, ref, writes: writes.index(), whole };
    return { ...own, follower, tasks, work, begin, caughtUp };
  };
  return { database, library, found, join: joinAs };
}

function rootsAt(home: string, footage: string): string {
  const file = join(home, 'roots.json');
  const root = { name: 'footage', folder: footage, origin: footage, volume: null, removed: false };
  writeFileSync(file, rootsText([root]));
  return file;
}
