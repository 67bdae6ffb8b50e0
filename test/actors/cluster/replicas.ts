// Nodes of a cluster with a real database, each with its own index, follower, writes and tasks. Their workers
// do what a test says.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Analysis, Tasks } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { newTask } from '../../../actors/analysis/tasks/run-tally.ts';
import { Listeners } from '../../../actors/analysis/tasks/running-task.ts';
import { ActiveTasks } from '../../../actors/cluster/active-tasks.ts';
import { Database } from '../../../actors/cluster/database.ts';
import { ClusterExchange } from '../../../actors/cluster/exchange.ts';
import { firstReplica, followedBy } from '../../../actors/cluster/first-replica.ts';
import { Follower, type FollowerParts } from '../../../actors/cluster/follower.ts';
import { addChange, type ChangeBody, lastChange, lockLibrary } from '../../../actors/cluster/log.ts';
import { RootPaths } from '../../../actors/cluster/places.ts';
import { lookingIn } from '../../../actors/cluster/replica-reads.ts';
import { Snapshots } from '../../../actors/cluster/snapshots.ts';
import { ClusterTasks } from '../../../actors/cluster/tasks.ts';
import { wholeIndex } from '../../../actors/cluster/whole-index.ts';
import { Worker } from '../../../actors/cluster/worker.ts';
import { ClusterWrites } from '../../../actors/cluster/writes.ts';
import type { indexContract } from '../../../actors/index/contract.ts';
import type { Root } from '../../../actors/index/roots/contract.ts';
import { rootsText } from '../../../actors/index/store/roots-file.ts';
import { exportLibrary } from '../../../actors/library/transfer/export.ts';
import { takeLibrary } from '../../../actors/library/transfer/import.ts';
import { mergeLibrary } from '../../../actors/library/transfer/merge.ts';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import { createLog, type Log } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { clusterDatabase, type Postgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { type Harness, indexActor } from '../index/handlers.ts';

type Index = Ref<typeof indexContract>;

const nodeId = '00000000-0000-4000-8000-000000000001';
const never = new AbortController().signal;

export interface Replica {
  readonly home: string;
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
  readonly active: ActiveTasks;
  /** Takes jobs from now on. `clock`: by which it says how long they take; `roots`: of its machine. */
  work(run: Analysis['run'], clock?: Clock, roots?: () => Promise<Root[]>): Worker;
  /** Follows the log from now on. */
  begin(): void;
  /** Has everything that is in the log. */
  caughtUp(): Promise<void>;
  /** One is due with every change. */
  readonly snapshots: Snapshots;
  /** Resolves when the log was cut before the replica had it. */
  readonly cutOff: Promise<void>;
  /** As an engine that ends. */
  leave(): Promise<void>;
}

export interface Nodes {
  readonly postgres: Postgres;
  /** Of the database. */
  readonly url: string;
  readonly database: Database;
  readonly library: string;
  /** The folder of all. */
  readonly shared: string;
  /** What nodes have logged. */
  readonly said: readonly string[];
  /** Results as a worker commits them, whose footage is in `/footage`: of a folder that `work` has filled. */
  found(work: (index: Harness, cacheDir: string) => Promise<unknown>): Promise<void>;
  /** `footage`: where that root is on the machine; `home`: of one that left; `url`: of the database. */
  join(footage: string, home?: string, url?: string): Promise<Replica>;
}

/** `flushes`: of the database. */
export async function clusterNodes(t: TestContext, flushes = false): Promise<Nodes> {
  const base = temporaryFolder(t);
  const said: string[] = [];
  const log = createLog('cluster', (line) =>
    said.push(`${line.level} ${line.message} ${JSON.stringify(line)}`),
  );
  const { postgres, database, library, ends } = await clusterDatabase(t, flushes);
  let count = 0;
  const shared = join(base, 'shared');
  mkdirSync(shared);
  exchangeOf({ shared }, base, join(base, 'roots.json')).expect(library, true);
  const all: All = { t, base, shared, url: postgres.url, library, log, ends };
  const found: Nodes['found'] = async (work) => {
    const made = join(base, `found-${++count}`);
    const roots = rootsAt(base, '/footage');
    const index = await indexActor(t, { rootsFile: roots });
    await work(index, made);
    await index.close();
    const standing = { counts: {} as never, amounts: {}, end: null };
    const exchange = exchangeOf(all, join(base, 'worker'), roots);
    const sealed = await exchange.seal(`results/${count}`, made, never);
    const body: ChangeBody = { kind: 'results', task_id: '', job: '', results: [], sealed, standing };
    await database.transact(async (sql) => {
      await lockLibrary(sql, library);
      await addChange(sql, { library, node: nodeId }, body);
    });
  };
  const joinAs: Nodes['join'] = (footage, home = join(base, `node-${++count}`), url = all.url) =>
    joined({ ...all, url }, footage, home);
  const { url } = postgres;
  return { postgres, url, database, library, shared, said, found, join: joinAs };
}

/** What nodes have in common. */
interface All {
  readonly t: TestContext;
  readonly base: string;
  readonly shared: string;
  readonly url: string;
  readonly library: string;
  readonly log: Log;
  readonly ends: (() => Promise<unknown>)[];
}

function exchangeOf({ shared }: Pick<All, 'shared'>, home: string, roots: string): ClusterExchange {
  return new ClusterExchange({ shared, home, roots, exportLibrary, takeLibrary, mergeLibrary });
}

async function joined(all: All, footage: string, home: string): Promise<Replica> {
  const { t, library, log, ends } = all;
  const database = new Database(all.url, systemClock, log);
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= database.close());
  ends.push(close);
  const cacheDir = join(home, 'analysis');
  mkdirSync(home, { recursive: true });
  const rootsFile = rootsAt(home, footage);
  const exchange = exchangeOf(all, home, rootsFile);
  const starting = { database, exchange, library, nodeId, cacheDir, clock: systemClock, log };
  await firstReplica(starting, await followedBy(cacheDir), never);
  const index = await indexActor(t, { rootsFile });
  const ask: Index['ask'] = (name, request, options) =>
    index.call(name, request, () => options?.signal?.aborted ?? false);
  const ref = { name: 'index', phase: 'ready', ask } as Index;
  const places = new RootPaths(rootsFile);
  const position = await index.call('follow', { cache_dir: cacheDir, library });
  const common = { database, places, index: ref, library, nodeId, cacheDir, clock: systemClock, log };
  const writes = new ClusterWrites(common);
  const onChange: FollowerParts['onChange'] = async ({ body }, written) => {
    if (body.kind === 'write') writes.told(body.id, written);
    else if (body.kind !== 'library') await active.told(body);
  };
  const cut = Promise.withResolvers<void>();
  const follower = new Follower({ ...common, exchange, onChange, onCutOff: cut.resolve }, position);
  const snapshots = new Snapshots({ ...common, exchange, position: () => follower.position, least: 1 });
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
  const asked = wholeIndex(ref, writes, never);
  const readable = async () => [{ name: 'footage', folder: footage, away: null }];
  const work: Replica['work'] = (run, clock = systemClock, roots = readable) => {
    const worker = new Worker({
      ...{ ...common, clock, roots, follower, exchange, analysis: { run }, folder: join(home, 'work') },
      node: { isDraining: false },
      ...{ files: lookingIn(ref, cacheDir, asked), whole: asked },
    });
    worker.begin();
    ends.push(() => worker.stop());
    return worker;
  };
  const caughtUp = async () => follower.until(await lastChange(database, library), never);
  const begin = () => {
    active.follow();
    follower.begin();
  };
  const whole = { ...index, call: (name, request) => asked.ask(name, request) } as Harness;
  const own = { home, cacheDir, index, ref, writes: writes.index(), whole };
  const leave = async () => {
    await follower.stop();
    await Promise.all([index.close(), close()]);
  };
  return { ...own, follower, tasks, active, snapshots, cutOff: cut.promise, work, begin, caughtUp, leave };
}

function rootsAt(home: string, footage: string): string {
  const file = join(home, 'roots.json');
  const root = { name: 'footage', folder: footage, origin: footage, volume: null, removed: false };
  writeFileSync(file, rootsText([root]));
  return file;
}
