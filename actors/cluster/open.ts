// Puts a node of a cluster together. `main.ts` loads this file for `serve --cluster`, and nobody else does:
// without it nothing of a cluster is loaded.
import { join, resolve } from 'node:path';
import { engineErrors } from '../../runtime/errors.ts';
import { makeFolder } from '../../runtime/files/folder.ts';
import type { Log } from '../../runtime/log.ts';
import { folders, type SettingValues } from '../../settings.ts';
import type { Tasks } from '../analysis/contract.ts';
import { stageKinds } from '../analysis/stages/kinds.ts';
import type { AnalysisParts } from '../analysis/stages/parts.ts';
import { createPreflight } from '../analysis/tasks/preflight.ts';
import { newTask } from '../analysis/tasks/run-tally.ts';
import { Listeners } from '../analysis/tasks/running-task.ts';
import type { FrontDoorParts } from '../analysis/tasks/tasks.ts';
import type { Proxies } from '../exporter/proxies/contract.ts';
import { RootsFile } from '../index/store/roots-file.ts';
import { rootsIn } from '../library/roots.ts';
import { exportLibrary } from '../library/transfer/export.ts';
import { takeLibrary } from '../library/transfer/import.ts';
import { mergeLibrary } from '../library/transfer/merge.ts';
import type { SharedWatch } from '../watcher/folders/contract.ts';
import { ActiveTasks } from './active-tasks.ts';
import { statusOf } from './admin.ts';
import { CommonWatch } from './common-watch.ts';
import {
  type Cluster,
  type ClusterChoice,
  type ClusterStanding,
  clusterErrors,
  type Telling,
  tellingOf,
} from './contract.ts';
import { Database, type ReplicaPosition } from './database.ts';
import { ClusterExchange } from './exchange.ts';
import { type FirstReplicaParts, type Followed, firstReplica, followedBy } from './first-replica.ts';
import { Follower, type FollowerParts } from './follower.ts';
import { Home } from './home.ts';
import { Leases } from './leases.ts';
import { readLibrary } from './log.ts';
import { expectAlone, nodeIdIn, RunningNode } from './node.ts';
import { Notifications } from './notifications.ts';
import { HomePlaces, RootPaths } from './places.ts';
import { lookingIn } from './replica-reads.ts';
import { Snapshots } from './snapshots.ts';
import { ClusterTasks } from './tasks.ts';
import { wholeIndex } from './whole-index.ts';
import { Worker, type WorkerParts } from './worker.ts';
import { ClusterWrites, forgottenBy } from './writes.ts';

/** `local`: tasks of this engine alone. */
export type ClusterParts = AnalysisParts &
  FrontDoorParts & {
    readonly local: Tasks;
    readonly proxies: Pick<Proxies, 'find' | 'make' | 'remove'>;
    /** The log was cut while the machine was away: a new process takes a snapshot. */
    onCutOff(): void;
    /** Ends the copying of a snapshot: then joining fails with its reason. */
    readonly signal: AbortSignal;
  };

/**
 * INVALID_CONFIG, DATABASE_AWAY for a folder that does not follow a library yet, CLUSTER_TOO_NEW,
 * OTHER_LIBRARY, SHARED_FOLDER.
 */
export async function openCluster(
  choice: ClusterChoice,
  values: SettingValues,
  parts: ClusterParts,
): Promise<Cluster> {
  const { index, clock, signal } = parts;
  const log = parts.log.named('cluster');
  const { home, cache: cacheDir, roots } = folders(values);
  if (choice.folder === '')
    throw engineErrors.INVALID_CONFIG('--cluster needs --cluster-folder: a folder that all machines share');
  const shared = resolve(choice.folder);
  const exchange = new ClusterExchange({ shared, home, roots, exportLibrary, takeLibrary, mergeLibrary });
  const database = new Database(choice.url, clock, log);
  try {
    const nodeId = nodeIdIn(home);
    await expectAlone({ database, id: nodeId, home, clock }, signal);
    const position = await followed(exchange, {
      index,
      database,
      nodeId,
      cacheDir,
      clock,
      log,
      signal,
    });
    const { library, seq } = position;
    const places = new RootPaths(roots);
    const folder = join(home, 'cluster', 'work');
    const common = {
      ...{ database, exchange, places, library, nodeId, cacheDir, folder, clock, log },
      roots: () => rootsIn(roots),
    };
    const files = new Home({ ...common, home, places: new HomePlaces(roots, cacheDir) });
    const leases = new Leases(common);
    const notifications = new Notifications({ ...common, leases }, seq);
    const localParts: LocalParts = {
      ...common,
      shared,
      home: files,
      homeFolder: home,
      rootsFile: roots,
      leases,
      notifications,
    };
    log.info('this engine is a node of a cluster', { node: nodeId, roles: choice.roles, applied: seq });
    return await begun(choice, parts, localParts, position);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Changes after which a snapshot is made. */
const LEAST = 1_000;

/** `folder`: where files are analysed. */
type Common = Omit<WorkerParts, 'follower' | 'node' | 'analysis' | 'files' | 'whole'> &
  Pick<FollowerParts, 'cacheDir'>;

interface LocalParts extends Common {
  readonly home: Home;
  readonly homeFolder: string;
  readonly rootsFile: string;
  /** The folder of all machines. */
  readonly shared: string;
  readonly leases: Leases;
  readonly notifications: Notifications;
}

async function begun(
  choice: ClusterChoice,
  parts: ClusterParts,
  common: LocalParts,
  position: ReplicaPosition,
): Promise<Cluster> {
  const { roles } = choice;
  const { index, local, proxies, analysis } = parts;
  const { database, nodeId, cacheDir, home, notifications } = common;
  const writes = new ClusterWrites({ ...common, index });
  const active = new ActiveTasks({ ...common, listeners: new Listeners(common.log) });
  const onChange = hearing({ notifications, active, writes, proxies, cacheDir });
  const follower = new Follower({ ...common, index, onChange, onCutOff: parts.onCutOff }, position);
  const snapshots = new Snapshots({ ...common, least: LEAST, position: () => follower.position });
  const preflight = createPreflight({ ...parts, kinds: stageKinds });
  let leaving: Promise<void> | undefined;
  const ending = new AbortController();
  const leave = async () => {
    ending.abort();
    await worker?.stop();
    await Promise.all([follower, node, snapshots, home, notifications].map((part) => part.stop()));
    await database.close();
  };
  const tasks = new ClusterTasks({
    ...common,
    ...{ active, follower, local },
    newTask: (task) => newTask(stageKinds, task),
    leave: () => (leaving ??= leave()),
    resolve: async (request, signal) => {
      await preflight.check(request, signal);
      return preflight.resolve(request);
    },
    admit: (request) => preflight.admit(request),
  });
  const node = new RunningNode({
    ...common,
    id: nodeId,
    home: common.homeFolder,
    roles,
    applied: () => follower.applied,
    working: () => worker?.working ?? [],
  });
  const workerParts = { ...common, follower, node, analysis };
  const whole = wholeIndex(index, writes, ending.signal);
  const asking = { files: lookingIn(index, cacheDir, whole), whole };
  const worker = roles.includes('worker') ? new Worker({ ...workerParts, ...asking }) : null;
  await home.begin();
  active.follow();
  for (const part of [follower, node, worker, snapshots, notifications]) part?.begin();
  return {
    tasks,
    index: writes.index(),
    ...{ home, watching: watchingOf(common, parts.log), telling: tellingIn(notifications, local) },
    get summarizing() {
      return active.summarizing;
    },
    standing: () => standingOf(database, follower, node),
    status: () => statusOf(database),
  };
}

interface Hearing extends Pick<ClusterParts, 'proxies'> {
  readonly notifications: Notifications;
  readonly active: ActiveTasks;
  readonly writes: ClusterWrites;
  readonly cacheDir: string;
}

/** Listeners to a change that the replica has applied. */
function hearing({ notifications, active, writes, proxies, cacheDir }: Hearing): FollowerParts['onChange'] {
  return async (change, written) => {
    const { body } = change;
    notifications.applied(change);
    if (body.kind === 'library') return;
    if (body.kind !== 'write') return active.told(body);
    writes.told(body.id, written);
    // Its own copies of what is forgotten.
    const forgottenHashes = forgottenBy(body.write);
    if (forgottenHashes.length > 0) await proxies.remove(cacheDir, forgottenHashes);
  };
}

/** Events of the cluster, and those of tasks of this engine. */
function tellingIn(notifications: Notifications, local: Tasks): Telling {
  const localTelling = tellingOf(local);
  return {
    get tells() {
      return notifications.tells;
    },
    subscribe: (listener) => {
      const ends = [notifications.subscribe(listener), localTelling.subscribe(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function watchingOf(common: LocalParts, log: Log): SharedWatch {
  const { library, shared, homeFolder, rootsFile, leases, clock } = common;
  const roots = new RootsFile(rootsFile);
  const parts = {
    folder: join(homeFolder, 'watch-folders'),
    leases,
    roots: () => roots.read(),
    clock,
    log,
  };
  return {
    service: (resumes, open) => new CommonWatch({ ...parts, resumes }, open),
    ledgers: () => {
      const folder = join(shared, 'watch-folders');
      makeFolder(folder);
      return folder;
    },
    store: library,
  };
}

function standingOf(
  { away, tooNew }: Database,
  { applied, latest, missed }: Follower,
  { troubles }: RunningNode,
): ClusterStanding {
  return { away, applied, latest, missed, troubles: tooNew === null ? troubles : [tooNew, ...troubles] };
}

/** The library that the replica follows from now on. One that follows it already waits for the database. */
async function followed(
  exchange: ClusterExchange,
  parts: Omit<FirstReplicaParts, 'exchange' | 'library'> & Pick<ClusterParts, 'index' | 'signal'>,
): Promise<Followed> {
  const { index, database, cacheDir, signal } = parts;
  const before = await followedBy(cacheDir);
  try {
    const { id: library, seq } = await readLibrary(database);
    exchange.expect(library, seq === 0);
    await firstReplica({ ...parts, exchange, library }, before, signal);
    return await index.ask('follow', { cache_dir: cacheDir, library });
  } catch (error) {
    const passes = clusterErrors.DATABASE_AWAY.is(error) || clusterErrors.SHARED_FOLDER.is(error);
    if (before === null || !passes || (await followedBy(cacheDir)) === null) throw error;
    return before;
  }
}
