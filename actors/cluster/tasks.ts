// Tasks in a cluster. Analyses are cut into jobs that any worker takes, and are answered by every node alike;
// exports and downloads are tasks of the engine that was asked.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { comparablePath, plainPath } from '../../runtime/paths.ts';
import { sideBySide } from '../../runtime/sync/shared-work.ts';
import type {
  Accepted,
  AnalysisRequest,
  Page,
  StartOptions,
  TaskEvent,
  TaskListener,
  TaskRequest,
  Tasks,
  UnfinishedWork,
  WorkResult,
} from '../analysis/contract.ts';
import { fileResult } from '../analysis/result.ts';
import { stageKinds } from '../analysis/stages/kinds.ts';
import type { FileResult, TaskDetail, TaskSnapshot, TaskSource } from '../analysis/tasks/contract.ts';
import { clusterErrors } from './contract.ts';
import type { Database, Sql } from './database.ts';
import type { Follower } from './follower.ts';
import { addChange, type ChangeBody, lockLibrary, type TaskStanding } from './log.ts';
import { noticeIn, progressChannel } from './notices.ts';
import { expectSpread, jobsOf, pathsOf, piecesOf, type SizedFile } from './pieces.ts';
import type { Places } from './places.ts';
import {
  listTasks,
  progressOfTask,
  readTask,
  snapshotOf,
  storeStanding,
  type TaskRow,
  type Underway,
} from './task-rows.ts';

interface TaskChange {
  readonly body: Exclude<ChangeBody, { readonly kind: 'write' }>;
}

const never = new AbortController().signal;
/** Files looked at together. */
const TOGETHER = 32;
/** Seconds after its last sign of life that a node counts as a worker. */
const ALIVE = 15;

export interface ClusterTaskParts {
  readonly database: Database;
  readonly follower: Follower;
  readonly places: Places;
  readonly library: string;
  readonly nodeId: string;
  /** The replica: the one analysis folder of a node. */
  readonly cacheDir: string;
  /** Tasks of this engine. */
  readonly local: Tasks;
  readonly clock: Clock;
  readonly log: Log;
  /** This engine is no node any more; the same promise however often it is asked. */
  leave(): Promise<void>;
  /** Checks a request, and settles what it means. */
  resolve(request: TaskRequest, signal: AbortSignal): Promise<AnalysisRequest>;
  newTask(task: {
    readonly task_id: string;
    readonly request: AnalysisRequest;
    readonly source: TaskSource;
    readonly state: 'running';
    readonly now: number;
  }): TaskSnapshot;
}

/** A task that runs, as this node has heard of it. Paths are those of this machine. */
interface Active {
  readonly first: TaskSnapshot;
  /** By the clock of this engine, ms. */
  readonly began: number;
  standing: TaskStanding;
  /** By job. */
  readonly underway: Map<string, Underway>;
}

export class ClusterTasks implements Tasks {
  readonly #parts: ClusterTaskParts;
  readonly #active = new Map<string, Active>();
  readonly #listeners = new Set<TaskListener>();

  constructor(parts: ClusterTaskParts) {
    this.#parts = parts;
  }

  /** Hears of the work of other engines from now on. */
  follow(): void {
    this.#parts.database.listen(progressChannel, (text) => this.#heard(text));
  }

  get running(): string | null {
    return this.#active.keys().next().value ?? null;
  }

  get busy(): boolean {
    return this.#active.size > 0;
  }

  async start(
    request: TaskRequest,
    { source = 'request', signal = never }: StartOptions = {},
  ): Promise<Accepted> {
    const { database, cacheDir, places, follower, newTask } = this.#parts;
    if (comparablePath(plainPath(request.cache_dir)) !== comparablePath(cacheDir)) {
      throw clusterErrors.NOT_IN_CLUSTER(
        `cache_dir: this engine follows the library of a cluster in ${cacheDir}, and analyses into no other folder`,
        { field: 'cache_dir' },
      );
    }
    await database.ready();
    const resolved = await this.#parts.resolve(request, signal);
    expectSpread(resolved);
    const paths = pathsOf(resolved);
    places.expectInside(paths);
    const files = await sized(paths, signal);
    const task_id = randomUUID();
    const first = newTask({ task_id, request: resolved, source, state: 'running', now: Date.now() / 1000 });
    const seq = await database.transact((sql) => this.#add(sql, first, resolved, files));
    await follower.until(seq, signal);
    return { task_id };
  }

  async #add(
    sql: Sql,
    first: TaskSnapshot,
    request: AnalysisRequest,
    files: readonly SizedFile[],
  ): Promise<number> {
    const { database, library, nodeId: node, places } = this.#parts;
    const { task_id, source, counts } = first;
    const after = await lockLibrary(sql, library);
    const [known] = await sql.query<{ workers: number; priority: number | null }>(
      `select (select count(*)::int from framehound.node where 'worker' = any(roles) and not draining
          and seen > clock_timestamp() - interval '${ALIVE} seconds') as workers,
        (select max(priority) from framehound.job where not ended) as priority`,
    );
    // Tasks take turns: the first job of this one comes beside the next one of those that run.
    const highest = known!.priority ?? 0;
    const shared = places.shared({ ...first, request: { ...first.request, cache_dir: '' } });
    const jobs = jobsOf(files, known!.workers).map((paths, i) => ({
      id: randomUUID(),
      paths: places.shared(paths),
      priority: highest - i,
    }));
    await sql.query(
      `insert into framehound.task (id, library, state, source, request, first, counts)
        values ($1, $2, 'running', $3, $4, $5, $6)`,
      [
        task_id,
        library,
        source,
        JSON.stringify(places.shared({ ...request, cache_dir: '' })),
        JSON.stringify(shared),
        JSON.stringify(counts),
      ],
    );
    await sql.query(
      `insert into framehound.job (id, task, paths, priority)
        select id, $1::uuid, paths, priority
        from jsonb_to_recordset($2) as j(id uuid, paths jsonb, priority integer)`,
      [task_id, JSON.stringify(jobs)],
    );
    await database.addJobs(sql, task_id, jobs);
    return addChange(sql, { library, node, after }, { kind: 'task', first: shared });
  }

  begin: Tasks['begin'] = (type, request, options) => this.#parts.local.begin(type, request, options);

  /** Those of the cluster are not resumed: the same request again does what is missing. */
  async resume(task_id: string, options?: StartOptions): Promise<Accepted> {
    const row = await this.#row(task_id);
    if (row === null) return this.#parts.local.resume(task_id, options);
    throw clusterErrors.NOT_IN_CLUSTER(
      `Task ${task_id} cannot be resumed in a cluster: send its request again, and what is stored is not done again`,
      { task_id },
    );
  }

  async cancel(task_id?: string): Promise<{ stopped: boolean; task_id: string | null }> {
    const { database, follower, local } = this.#parts;
    const id = task_id ?? this.running;
    if (id === null) return { stopped: true, task_id: null };
    if ((await this.#row(id)) === null) return local.cancel(id);
    const seq = await database.transact((sql) => this.#cancel(sql, id));
    if (seq === null) return { stopped: true, task_id: null };
    await follower.until(seq, never);
    return { stopped: true, task_id: id };
  }

  /** Null when it has ended. */
  async #cancel(sql: Sql, task_id: string): Promise<number | null> {
    const { database, library, nodeId: node } = this.#parts;
    const after = await lockLibrary(sql, library);
    const task = await readTask(sql, task_id, true);
    if (task === null || task.ended !== null) return null;
    const left = await sql.query<{ id: string; paths: string[] }>(
      'update framehound.job set ended = true where task = $1 and not ended returning id, paths',
      [task_id],
    );
    await database.cancelJobs(
      sql,
      left.map(({ id }) => id),
    );
    const paths = left.flatMap((job) => job.paths);
    const results = piecesOf(task.request, paths).map(
      ({ path, type, facts }): WorkResult => ({
        ...{ path, type, hash_str: null, outcome: 'cancelled', reason: null, facts },
        ...{ duration_seconds: 0, error: null },
      }),
    );
    const counts = { ...task.counts, cancelled: task.counts.cancelled + results.length };
    counts.done += results.length;
    const standing: TaskStanding = {
      counts,
      amounts: task.amounts,
      end: { state: 'cancelled', error: null },
    };
    await storeStanding(sql, task, results, standing);
    const body = { kind: 'results', task_id, job: '', results, sealed: null, standing } as const;
    return addChange(sql, { library, node, after }, body);
  }

  async list(): Promise<TaskSnapshot[]> {
    const { database, library, local } = this.#parts;
    const [rows, own] = await Promise.all([listTasks(database, library), local.list()]);
    const all = [...rows.map((row) => this.#shown(row)), ...own];
    return all.sort((a, b) => b.created - a.created);
  }

  async get(task_id: string, page: Page): Promise<TaskDetail> {
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

  #shown(row: Omit<TaskRow, 'request'>): TaskSnapshot {
    const { places, cacheDir: cache_dir } = this.#parts;
    const task = places.own(snapshotOf(row, this.#active.get(row.id)?.underway.values() ?? []));
    return { ...task, request: { ...task.request, cache_dir } };
  }

  finish(task_id: string): void {
    this.#parts.local.finish(task_id);
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
    this.#listeners.add(listener);
    return () => {
      forget();
      this.#listeners.delete(listener);
    };
  }

  /** With everything else of the cluster. */
  async stop(): Promise<void> {
    await Promise.all([this.#parts.local.stop(), this.#parts.leave()]);
  }

  // Events, as the log and the notices of workers tell them.

  #notify(task_id: string, event: TaskEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(task_id, event);
      } catch (error) {
        this.#parts.log.error('a listener failed', { task_id, event: event.type, error });
      }
    }
  }

  /** The replica has this change. */
  async told({ body }: TaskChange): Promise<void> {
    const { places } = this.#parts;
    if (body.kind === 'task') {
      const { first } = body;
      const standing = { counts: first.counts, amounts: {}, end: null };
      this.#enter(places.own(first), standing, 0);
      const { counts, request } = first;
      const size = { files: counts.files, jobs: counts.jobs, types: request.types, percentage: 0 };
      this.#notify(first.task_id, { type: 'start', ...size });
      return;
    }
    const { task_id, job, results, standing } = body;
    const active = this.#active.get(task_id) ?? (await this.#look(task_id));
    if (active === null) return;
    active.standing = standing;
    active.underway.delete(job);
    for (const result of places.own(results)) this.#notify(task_id, { type: 'result', result });
    this.#tellProgress(task_id, active);
    if (standing.end === null) return;
    this.#active.delete(task_id);
    this.#notify(task_id, { type: 'end', ...standing.end });
  }

  /** One that began before this engine. */
  async #look(task_id: string): Promise<Active | null> {
    const row = await this.#row(task_id);
    if (row === null) return null;
    const { first, counts, amounts, created, now } = row;
    return this.#enter(this.#parts.places.own(first), { counts, amounts, end: null }, now - created);
  }

  #enter(first: TaskSnapshot, standing: TaskStanding, elapsed: number): Active {
    const began = this.#parts.clock.now() - elapsed * 1000;
    const active: Active = { first, standing, began, underway: new Map() };
    this.#active.set(first.task_id, active);
    return active;
  }

  #heard(text: string): void {
    const notice = text === '' ? null : noticeIn(text);
    const active = notice && this.#active.get(notice.task_id);
    if (!active) return;
    const { task_id, job, file, ...stand } = notice;
    active.underway.set(job, stand);
    if (file !== null) this.#notify(task_id, { type: 'file', file: this.#parts.places.own(file) });
    this.#tellProgress(task_id, active);
  }

  #tellProgress(task_id: string, { first, standing, underway, began }: Active): void {
    const elapsed = (this.#parts.clock.now() - began) / 1000;
    const task = progressOfTask(stageKinds, first, standing, underway.values(), elapsed);
    this.#notify(task_id, { type: 'task', task });
  }
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
