// A cluster: engines that share one library through a database and a shared folder.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import type { HomeFiles } from '../../runtime/files/home-files.ts';
import type { Ref } from '../../runtime/ref.ts';
import { field } from '../../runtime/schema.ts';
import type { TaskEvent, Tasks } from '../analysis/contract.ts';
import type { indexContract } from '../index/contract.ts';
import type { LibraryTransfer, Manifest } from '../library/transfer/contract.ts';
import type { SharedWatch } from '../watcher/folders/contract.ts';

export const clusterErrors = errorTable({
  DATABASE_AWAY: { meaning: 'The database of the cluster cannot be reached', status: 503, retryable: true },
  DATABASE_REFUSED: { meaning: 'The database of the cluster cannot be used', status: 500, retryable: false },
  CLUSTER_TOO_NEW: { meaning: 'The cluster was made by a newer version', status: 503, retryable: false },
  GIVEN_UP: {
    meaning: 'The work was given up after several attempts',
    status: 500,
    retryable: false,
  },
  OTHER_FOLDER: {
    meaning: 'The analysis folder is not that of the cluster',
    status: 400,
    retryable: false,
  },
  OUTSIDE_ROOTS: { meaning: 'The file is in no root', status: 400, retryable: false },
  SHARED_FOLDER: { meaning: 'The shared folder of the cluster cannot be used', status: 507, retryable: true },
  REPLICA_LATE: {
    meaning: 'The change is recorded, and this machine has not taken it over yet',
    status: 503,
    retryable: false,
  },
  SNAPSHOT_DAMAGED: {
    meaning: 'The library cannot be taken from a snapshot',
    status: 507,
    retryable: false,
  },
  HOME_UNWRITABLE: {
    meaning: 'Files of the home folder cannot be written',
    status: 507,
    retryable: true,
  },
  NODE_UNKNOWN: { meaning: 'Node not found', status: 404, retryable: false },
  NODE_RUNS: { meaning: 'The node is running', status: 409, retryable: false },
  NODE_COPIED: { meaning: 'The home folder is that of another node', status: 409, retryable: false },
});

/** Seconds without a sign of life after which a node counts as one that does not run. */
export const silentSeconds = 10;

/** Silence of a node after which the log is no longer kept for it. */
export const livingSeconds = 3600;

/** Roles of a node: every one follows the log and answers; a worker takes files to analyse. */
export const roles = ['front', 'worker'] as const;
export type Role = (typeof roles)[number];

/** Which cluster an engine joins, and as what. */
export interface ClusterChoice {
  /** Address of the database. */
  readonly url: string;
  /** That all nodes share; empty where nobody said. */
  readonly folder: string;
  readonly roles: readonly Role[];
}

export const ClusterNode = Type.Object({
  id: field('Id of the node; it stays the same when the engine starts again.', Type.String()),
  name: field('Name of its machine.', Type.String()),
  home: field('Its home folder: several nodes may be on one machine.', Type.String()),
  version: field('Version of the program.', Type.String()),
  roles: field('Its roles: `front` and `worker`.', Type.Array(Type.String())),
  seen_seconds: field('Seconds since its last sign of life.', Type.Number()),
  clock_seconds: field('How far its clock is ahead of that of the database, in seconds.', Type.Number()),
  behind: field('Number of changes of the library that it does not have yet.', Type.Integer()),
  draining: field('Whether it takes no further files.', Type.Boolean()),
  working: field('The files that it is analysing.', Type.Array(Type.String())),
  unreadable_roots: field(
    'Roots of the cluster whose files this worker cannot read, so it takes none of them. Empty for a node ' +
      'that only answers.',
    Type.Array(Type.String()),
  ),
});
export type ClusterNode = Static<typeof ClusterNode>;

export const ClusterStatus = Type.Object({
  nodes: field('The nodes, by name.', Type.Array(ClusterNode)),
  changes: field('Number of changes of the library so far.', Type.Integer()),
  queued_jobs: field('Number of jobs that wait for a worker.', Type.Integer()),
  active_jobs: field('Number of jobs that workers have.', Type.Integer()),
  failed_jobs: field('Number of jobs that were given up after several attempts.', Type.Integer()),
});
export type ClusterStatus = Static<typeof ClusterStatus>;

export interface DatabaseFacts {
  /** Its version, as it says it, and the first number of that. */
  readonly server: string;
  readonly major: number;
  /** That an answer took. */
  readonly milliseconds: number;
  /** How far the clock of this machine is ahead. */
  readonly clock_seconds: number;
  /** Version of its tables, 0 where there are none, and the one that this program has. */
  readonly tables: number;
  readonly supported: number;
  /** True if the user of the address may create schemas. */
  readonly may_create: boolean;
  /** Null where there are no tables. */
  readonly library: string | null;
  /** Names of the roots of its media. */
  readonly roots: readonly string[];
}

export interface FolderFacts {
  /** Speed for a large file, and time for a small one, each flushed. */
  readonly megabytes_per_second: number;
  readonly milliseconds: number;
  /** Owner of the folder; null if it has none yet. */
  readonly library: string | null;
}

/** Inspection of a cluster and administration of its nodes from outside of it. */
export interface ClusterAdmin {
  status(): Promise<ClusterStatus>;
  /** The node takes no further files, or does so again. NODE_UNKNOWN. */
  drain(node: string, draining: boolean): Promise<void>;
  /** Forgets a node that does not run any more. NODE_UNKNOWN, NODE_RUNS. */
  remove(node: string): Promise<void>;
  /** Facts about the database, whatever tables it has. DATABASE_AWAY, DATABASE_REFUSED. */
  examine(): Promise<DatabaseFacts>;
  /** Writes into the shared folder, reads it again and takes it away. SHARED_FOLDER. */
  tryFolder(folder: string): Promise<FolderFacts>;
  /** Brings an exported library to every replica; `shared`: the folder of the cluster. */
  importLibrary(shared: string, transfer: LibraryTransfer): Promise<Manifest>;
  close(): Promise<void>;
}

/** How this engine stands in its cluster. */
export interface ClusterStanding {
  /** Why the database cannot be reached; null while it can. */
  readonly away: string | null;
  /** The last change that the replica has, and the last one that is known. */
  readonly applied: number;
  readonly latest: number;
  /** Changes whose results are missing here, because their files in the shared folder are damaged. */
  readonly missed: number;
  /** Why it cannot do all that a node does. */
  readonly troubles: readonly string[];
}

/** Files of the home folder that all nodes have in common. */
export interface CommonHome extends HomeFiles {
  /**
   * Called with the names of files that other machines have changed, such as `licenses/….json`, when they are
   * here, and at once with all that are. Answers the function that ends it.
   */
  onChange(listener: (names: readonly string[]) => void): () => void;
}

/**
 * `key`: the same one on whichever node the event is told; null for what happens on this machine alone.
 * Resolves when everything was made of the event that is to be made.
 */
export type ToldListener = (task_id: string, event: TaskEvent, key: string | null) => Promise<void>;

/** Events for saved searches and webhooks, which one node of a cluster sends. */
export interface Telling {
  /** True if this engine is that node. */
  readonly tells: boolean;
  /**
   * Results and ends of analyses, on one node of a cluster. Another one that takes over continues there, and
   * may repeat the last ones. Of tasks of this engine alone, every event. Answers the function that ends
   * the subscription.
   */
  subscribe(listener: ToldListener): () => void;
}

/** Events of an engine outside of any cluster. */
export function tellingOf(tasks: Pick<Tasks, 'subscribe'>): Telling {
  return {
    tells: true,
    subscribe: (listener) => tasks.subscribe((task_id, event) => void listener(task_id, event, null)),
  };
}

/** This engine as a node of a cluster. */
export interface Cluster {
  /** A worker generates a summary: see `Analysis.summarizing`. */
  readonly summarizing: boolean;
  /**
   * Analyses are those of the whole cluster; exports and downloads are tasks of this engine. When they are
   * stopped, the engine leaves the cluster, and gives the files back that it analyses.
   */
  readonly tasks: Tasks;
  /** The index, where messages that write into the replica become changes of the log. */
  readonly index: Ref<typeof indexContract>;
  readonly home: CommonHome;
  readonly watching: SharedWatch;
  readonly telling: Telling;
  standing(): ClusterStanding;
  status(): Promise<ClusterStatus>;
}
