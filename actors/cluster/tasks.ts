// Tasks in a cluster. Analyses are cut into jobs that any worker takes, and are answered by every node alike;
// exports and downloads are tasks of the engine that was asked.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { comparablePath, plainPath } from '../../runtime/paths.ts';
import { sideBySide } from '../../runtime/sync/shared-work.ts';
import {
  type Accepted,
  type AnalysisRequest,
  analysisErrors,
  type ResultPage,
  type StartOptions,
  type TaskListener,
  type TaskRequest,
  type Tasks,
  type UnfinishedWork,
  type WorkResult,
} from '../analysis/contract.ts';
import { count as countResult, fileResult, noneDone, workKey } from '../analysis/result.ts';
import { stageKinds } from '../analysis/stages/kinds.ts';
import type { FileResult, TaskDetail, TaskSnapshot, TaskSource } from '../analysis/tasks/contract.ts';
import type { ActiveTasks } from './active-tasks.ts';
import { clusterErrors } from './contract.ts';
import type { Database, Sql } from './database.ts';
import type { Follower } from './follower.ts';
import { addAttachments, addJobs, endJobs, keepResults, workersNow } from './jobs.ts';
import { addChange, lockLibrary } from './log.ts';
import {
  type CostedWork,
  type JobWork,
  pathsOf,
  picturesOf,
  piecesOf,
  resultWithoutWork,
  type SizedFile,
  steps,
  summarizedOf,
  workOf,
} from './pieces.ts';
import type { RootPaths } from './places.ts';
import {
  addResults,
  goodResults,
  listTasks,
  oldestTask,
  readRequest,
  readTask,
  restart,
  snapshotOf,
  standingAfter,
  type TaskRow,
} from './task-rows.ts';

const never = new AbortController().signal;
/** Files looked at together. */
const TOGETHER = 32;
/** ms that a new task may take to come back to this node. */
const WITHIN = 60_000;

/** A request, and what it speaks of by number. */
export interface AttachedRequest {
  readonly request: AnalysisRequest;
  readonly attachments: readonly Uint8Array[];
}

export interface ClusterTaskParts {
  readonly database: Database;
  readonly follower: Follower;
  readonly places: RootPaths;
  readonly library: string;
  readonly nodeId: string;
  /** The replica: the one analysis folder of a node. */
  readonly cacheDir: string;
  /** Running tasks. */
  readonly active: ActiveTasks;
  /** Tasks of this engine. */
  readonly local: Tasks;
  readonly clock: Clock;
  /** This engine is no node any more; the same promise however often it is asked. */
  leave(): Promise<void>;
  /** Checks a request, and settles what it means. */
  resolve(request: TaskRequest, signal: AbortSignal): Promise<AttachedRequest>;
  /** Throws what keeps a request that was settled before from being run now. */
  admit(request: AnalysisRequest): Promise<void>;
  newTask(task: {
    readonly task_id: string;
    readonly request: AnalysisRequest;
    readonly source: TaskSource;
    readonly state: 'running';
    readonly now: number;
  }): TaskSnapshot;
}

export class ClusterTasks implements Tasks {
  readonly #parts: ClusterTaskParts;

  constructor(parts: ClusterTaskParts) {
    this.#parts = parts;
  }

  get running(): string | null {
    return this.#parts.active.first;
  }

  get busy(): boolean {
    return this.running !== null;
  }

  async start(
    request: TaskRequest,
    { source = 'request', signal = never }: StartOptions = {},
  ): Promise<Accepted> {
    const { database, cacheDir, library, newTask } = this.#parts;
    const { cache_dir } = request;
    // One that is no path at all is refused as on one machine.
    if (isAbsolute(cache_dir) && comparablePath(plainPath(cache_dir)) !== comparablePath(cacheDir)) {
      throw clusterErrors.OTHER_FOLDER(
        `cache_dir: this engine follows the library of a cluster in ${cacheDir}, and analyses into no other folder`,
        { field: 'cache_dir' },
      );
    }
    await database.ready();
    const { request: resolved, attachments } = await this.#parts.resolve(request, signal);
    const all = await this.#workOf(resolved, signal);
    const task_id = randomUUID();
    const first = newTask({ task_id, request: resolved, source, state: 'running', now: Date.now() / 1000 });
    const seq = await database.transact(async (sql) => {
      await lockLibrary(sql, library);
      await this.#insert(sql, first, resolved);
      await addAttachments(sql, task_id, attachments);
      return this.#add(sql, first, resolved, all);
    });
    await this.#reached(seq, signal);
    return { task_id };
  }

  /** Looks at the files of a request. */
  async #workOf(request: AnalysisRequest, signal: AbortSignal): Promise<TaskWork> {
    const { database, places } = this.#parts;
    const [picture] = places.outside(picturesOf(request));
    if (picture !== undefined) throw outsideRoots(picture);
    const paths = pathsOf(request);
    const outside = new Set(places.outside([...paths, ...summarizedOf(request)]));
    const files = await sized(
      paths.filter((path) => !outside.has(path)),
      signal,
    );
    const all = workOf(request, files, await workersNow(database));
    const isOutside = (work: JobWork) => work.paths.some((path) => outside.has(path));
    const lost = paths.filter((path) => outside.has(path));
    const ofFiles = lost.length === 0 ? [] : [{ step: steps.files, paths: lost, name: null }];
    return { work: all.filter((job) => !isOutside(job)), outside: [...ofFiles, ...all.filter(isOutside)] };
  }

  /** With the library locked: queues the jobs of a task. Answers the number of its last change. */
  async #add(
    sql: Sql,
    first: TaskSnapshot,
    request: AnalysisRequest,
    { work, outside }: TaskWork,
  ): Promise<number> {
    const { database, library, nodeId: node, places } = this.#parts;
    await addJobs(sql, database, first.task_id, places.shared(work));
    const seq = await addChange(sql, { library, node }, { kind: 'task', first: this.#shared(first) });
    await sql.query('update framehound.library set asked = $2 where id = $1', [library, seq]);
    if (outside.length === 0) return seq;
    const results = places.shared(
      outside.flatMap(piecesOf(request)).map((piece) => {
        const { code, message } = outsideRoots(piece.path);
        return resultWithoutWork(piece, 'failed', { code, message });
      }),
    );
    const task = (await readTask(sql, first.task_id, true))!;
    const standing = standingAfter(task, { results, amounts: {}, isLast: work.length === 0 });
    return addResults(sql, { library, node }, task, { job: '', results, sealed: null, standing });
  }

  #shared(first: TaskSnapshot): TaskSnapshot {
    return this.#parts.places.shared({ ...first, request: { ...first.request, cache_dir: '' } });
  }

  async #insert(sql: Sql, first: TaskSnapshot, request: AnalysisRequest): Promise<void> {
    const { library, places } = this.#parts;
    await sql.query(
      `insert into framehound.task (id, library, state, source, request, first, counts)
        values ($1, $2, 'running', $3, $4, $5, $6)`,
      [
        first.task_id,
        library,
        first.source,
        JSON.stringify(places.shared({ ...request, cache_dir: '' })),
        JSON.stringify(this.#shared(first)),
        JSON.stringify(first.counts),
      ],
    );
  }

  /** Waits until this machine has the change, unless it takes very long; the change counts all the same. */
  async #reached(seq: number, signal: AbortSignal): Promise<void> {
    const { follower, clock } = this.#parts;
    const late = new AbortController();
    const disarm = clock.after(WITHIN, () => late.abort());
    try {
      await follower.until(seq, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (!late.signal.aborted) throw error;
    } finally {
      disarm();
    }
  }

  begin: Tasks['begin'] = (type, request, options) => this.#parts.local.begin(type, request, options);

  /** Repeats work without a good result; all of it if everything has one. */
  async resume(task_id: string, options: StartOptions = {}): Promise<Accepted> {
    const { database, places, library, cacheDir: cache_dir } = this.#parts;
    const { signal = never } = options;
    const storedRequest = await readRequest(database, task_id);
    if (storedRequest === null) return this.#parts.local.resume(task_id, options);
    const request = { ...places.own(storedRequest), cache_dir };
    await this.#parts.admit(request);
    const { work: all, outside } = await this.#workOf(request, signal);
    const pieces = piecesOf(request);
    const seq = await database.transact(async (sql) => {
      await lockLibrary(sql, library);
      const task = (await readTask(sql, task_id, true))!;
      if (task.ended === null) throw analysisErrors.TASK_RUNNING(`Task ${task_id} is running`, { task_id });
      const done = new Set(places.own(await goodResults(sql, task_id)).map(workKey));
      const isDone = (work: JobWork) => pieces(work).every((piece) => done.has(workKey(piece)));
      const some = all.filter((work) => !isDone(work));
      const work = some.length + outside.length > 0 ? some : all;
      const again = new Set([...work, ...outside].flatMap(pieces).map(workKey));
      const remainingResults = await keepResults(
        sql,
        task_id,
        (result) => !again.has(workKey(places.own(result))),
      );
      const { files: count, jobs } = task.counts;
      const counts = noneDone(stageKinds, count, jobs);
      for (const result of remainingResults) countResult(counts, result);
      const stored = places.shared({ ...request, cache_dir: '' });
      await restart(sql, task_id, { request: stored, counts, results: remainingResults.length });
      return this.#add(sql, { ...places.own(task.first), counts }, request, { work, outside });
    });
    await this.#reached(seq, signal);
    return { task_id };
  }

  async cancel(task_id?: string): Promise<{ stopped: boolean; task_id: string | null }> {
    const { database, local } = this.#parts;
    // This node may not have heard of every task, and it says so when the database cannot be reached.
    const id = task_id ?? (await oldestTask(database, this.#parts.library));
    if (id === null) return { stopped: true, task_id: null };
    if ((await this.#row(id)) === null) return local.cancel(id);
    const seq = await database.transact((sql) => this.#cancel(sql, id));
    if (seq === null) return { stopped: true, task_id: null };
    await this.#reached(seq, never);
    return { stopped: true, task_id: id };
  }

  /** Null when it has ended. */
  async #cancel(sql: Sql, task_id: string): Promise<number | null> {
    const { database, library, nodeId: node } = this.#parts;
    await lockLibrary(sql, library);
    const task = await readTask(sql, task_id, true);
    if (task === null || task.ended !== null) return null;
    const request = (await readRequest(sql, task_id))!;
    const jobs = await endJobs(sql, database, task_id);
    const results = jobs
      .flatMap(piecesOf(request))
      .map((piece) => resultWithoutWork(piece, 'cancelled', null));
    const end = { state: 'cancelled', error: null } as const;
    const standing = { ...standingAfter(task, { results, amounts: {}, isLast: false }), end };
    return addResults(sql, { library, node }, task, { job: '', results, sealed: null, standing });
  }

  async list(): Promise<TaskSnapshot[]> {
    const { database, library, local } = this.#parts;
    const [rows, localTasks] = await Promise.all([listTasks(database, library), local.list()]);
    const all = [...rows.map((row) => this.#shown(row)), ...localTasks];
    return all.sort((a, b) => b.created - a.created);
  }

  async get(task_id: string, page: ResultPage): Promise<TaskDetail> {
    const row = await this.#row(task_id);
    if (row === null) return this.#parts.local.get(task_id, page);
    const rows = await this.#parts.database.query<{ body: WorkResult }>(
      'select body from framehound.result where task = $1 order by position offset $2 limit $3',
      [row.id, page.offset, page.limit],
    );
    const results = rows.map(({ body }) => this.#result(body));
    return { ...this.#shown(row), total_results: row.results, ...page, results };
  }

  async failures(task_id: string, most: number, signal: AbortSignal): Promise<FileResult[]> {
    const row = await this.#row(task_id);
    if (row === null) return this.#parts.local.failures(task_id, most, signal);
    const rows = await this.#parts.database.query<{ body: WorkResult }>(
      'select body from framehound.result where task = $1 and failed order by position limit $2',
      [row.id, most],
    );
    return rows.map(({ body }) => this.#result(body));
  }

  #result(body: WorkResult): FileResult {
    return fileResult(stageKinds, this.#parts.places.own(body));
  }

  #row(task_id: string): Promise<TaskRow | null> {
    return readTask(this.#parts.database, task_id);
  }

  #shown(row: TaskRow): TaskSnapshot {
    const { places, cacheDir: cache_dir } = this.#parts;
    const task = places.own(snapshotOf(row, this.#parts.active.underway(row.id)));
    return { ...task, request: { ...task.request, cache_dir } };
  }

  finish(task_id: string): void {
    this.#parts.local.finish(task_id);
  }

  /** Tasks of the cluster outlive an engine; those of this machine alone do not. */
  endInterrupted(): Promise<TaskSnapshot[]> {
    return this.#parts.local.endInterrupted();
  }

  async unfinished(): Promise<UnfinishedWork | null> {
    const { database, library, places, cacheDir: cache_dir } = this.#parts;
    const jobs = await database.query<{ paths: string[] }>(
      `select paths from framehound.job j join framehound.task t on t.id = j.task
        where library = $1 and t.ended is null and not j.ended`,
      [library],
    );
    const paths = new Set(places.own(jobs.flatMap((job) => job.paths)));
    return jobs.length === 0 ? null : { cache_dir, paths };
  }

  subscribe(listener: TaskListener): () => void {
    const forget = this.#parts.local.subscribe(listener);
    const forgetToo = this.#parts.active.subscribe(listener);
    return () => {
      forget();
      forgetToo();
    };
  }

  /** With everything else of the cluster. */
  async stop(): Promise<void> {
    await Promise.all([this.#parts.local.stop(), this.#parts.leave()]);
  }
}

interface TaskWork {
  readonly work: readonly CostedWork[];
  /** Work on files that no other machine could find. */
  readonly outside: readonly JobWork[];
}

function outsideRoots(path: string) {
  return clusterErrors.OUTSIDE_ROOTS(
    `${path} is in no root, so other machines could not find it; to add one: framehound roots add NAME FOLDER`,
    { path },
  );
}

async function sized(paths: readonly string[], signal: AbortSignal): Promise<SizedFile[]> {
  const sizes = new Map<string, number>();
  await sideBySide(paths.values(), TOGETHER, signal, async (path) => {
    // One that is not there fails by itself.
    sizes.set(
      path,
      await stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  });
  return paths.map((path) => ({ path, bytes: sizes.get(path)! }));
}
