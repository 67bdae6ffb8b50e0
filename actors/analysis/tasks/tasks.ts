// The front door of analysis: checks a request, records the task, and has it run when it is its turn. The
// work itself is done by `analysis`, a task that runs is kept by `RunningTask`, its turn by a `Place`, the
// files by the records.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import { thisProcess } from '../../../runtime/process/identity.ts';
import {
  type Accepted,
  type Analysis,
  type AnalysisRequest,
  analysisErrors,
  type FileResult,
  type JobOptions,
  type JobRequests,
  type Page,
  type StartOptions,
  type TaskDetail,
  type TaskListener,
  type TaskRequest,
  type TaskSnapshot,
  type Tasks,
  type UnfinishedWork,
} from '../contract.ts';
import { hasWork, placeOf, type StageKind, type TaskPlace, taskPlaces } from '../stages/kind.ts';
import { stageKinds } from '../stages/kinds.ts';
import { type JobOrders, jobOrders } from './job-orders.ts';
import { Listeners } from './listeners.ts';
import { recordedJobs } from './ordered-jobs.ts';
import { Place, type Prepare } from './place.ts';
import { createPreflight, type Preflight, type PreflightParts } from './preflight.ts';
import type { PullableModels } from './pull-order.ts';
import { type ActiveRun, TaskFolder, type TaskRecords } from './records.ts';
import { RunningTask } from './running-task.ts';
import { SharedTasks } from './shared-tasks.ts';

const never = new AbortController().signal;
/** Tasks that wait for one place, at most. */
const MOST_WAITING = 100;

export interface TaskParts {
  readonly analysis: Pick<Analysis, 'run'>;
  readonly preflight: Preflight;
  /** The kinds of work there are. */
  readonly kinds: readonly StageKind[];
  /** How tasks of jobs without files come about. */
  readonly orders: JobOrders;
  readonly records: TaskRecords;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Tasks that wait for one place, at most. */
  readonly mostWaiting?: number;
  newTaskId(): string;
}

export function createTasks(parts: TaskParts): Tasks {
  return new TaskRegistry(parts);
}

export interface FrontDoorParts
  extends Pick<PreflightParts, 'models' | 'decode' | 'expectModelFor' | 'summaryModel'> {
  readonly analysis: Analysis;
  readonly modelLibrary: PullableModels;
  readonly clock: Clock;
  readonly log: Log;
}

/** The tasks recorded in `folder`, as they are by the clock of the system. */
export function openTasks(folder: string, parts: FrontDoorParts): Tasks {
  const now = () => Date.now() / 1000;
  const self = { ...thisProcess(), token: randomUUID() };
  const { clock, log, analysis, modelLibrary } = parts;
  const orders = jobOrders(modelLibrary);
  const kinds = stageKinds;
  const records = new TaskFolder({ folder, kinds, self, now, log });
  const preflight = createPreflight({ ...parts, kinds });
  return createTasks({ analysis, preflight, kinds, orders, records, clock, log, now, newTaskId: randomUUID });
}

class TaskRegistry implements Tasks {
  readonly #parts: TaskParts;
  readonly #listeners: Listeners;
  readonly #places: Readonly<Record<TaskPlace, Place>>;
  readonly #shared = new SharedTasks();
  /** Final snapshots that could not be recorded; this engine answers them instead of the stale records. */
  readonly #unrecorded = new Map<string, TaskSnapshot>();

  constructor(parts: TaskParts) {
    const { mostWaiting = MOST_WAITING, log } = parts;
    const placeFor = (place: TaskPlace) => new Place((run) => this.#task(run, place), mostWaiting);
    this.#parts = parts;
    this.#listeners = new Listeners(log);
    this.#places = Object.fromEntries(taskPlaces.map((place) => [place, placeFor(place)])) as never;
  }

  get running(): string | null {
    return this.#places.analysis.current?.task_id ?? null;
  }

  get busy(): boolean {
    return this.#places.analysis.busy;
  }

  async start(request: TaskRequest, options: StartOptions = {}): Promise<Accepted> {
    const { preflight, newTaskId, records } = this.#parts;
    const place = this.#places.analysis;
    const ticket = place.ticket();
    const prepare: Prepare = async () => {
      const resolved = { ...(await preflight.resolve(request)), source: options.source ?? 'request' };
      return (state) => records.create(newTaskId(), resolved, state);
    };
    return place.entering(async () => {
      await preflight.check(request, options.signal ?? never);
      return place.take(options, prepare, ticket);
    });
  }

  async begin<T extends keyof JobRequests>(
    type: T,
    request: JobRequests[T],
    options: JobOptions = {},
  ): Promise<Accepted> {
    const { kinds, newTaskId, records, orders } = this.#parts;
    const { resolve, keyOf } = orders[type];
    const place = this.#places[placeOf(kinds.filter((kind) => kind.type === type))];
    const ticket = place.ticket();
    const asked = recordedJobs(kinds, await resolve(request, options.signal ?? never));
    const task = { request: asked, attachments: [], source: 'request' } as const;
    const prepare: Prepare = async () => (state) => records.create(newTaskId(), task, state);
    return this.#shared.begin(keyOf, asked, place, () =>
      place.entering(() => place.take({ ...options, whenBusy: 'wait' }, prepare, ticket)),
    );
  }

  async resume(task_id: string, { force = false, ...options }: StartOptions = {}): Promise<Accepted> {
    const { preflight, records } = this.#parts;
    const running = this.#running(task_id);
    if (running) throw analysisErrors.TASK_RUNNING(`Task ${task_id} is ${running.state}`, { task_id });
    const prepare: Prepare = async () => {
      if (!this.#unrecorded.has(task_id)) await preflight.admit(await records.claimable(task_id));
      return async (state) => ({ ...(await records.claim(task_id, state)), retries: force });
    };
    // Until it is known which place it wants, it may be an analysis.
    const { taken } = await this.#places.analysis.entering(async () => {
      const wanted = await this.#placeOf(task_id);
      const place = this.#places[wanted];
      const { whenBusy: asked = 'replace' } = options;
      // Only an analysis takes the place of another.
      const whenBusy = wanted !== 'analysis' && asked === 'replace' ? 'wait' : asked;
      return { taken: place.entering(() => place.take({ ...options, whenBusy }, prepare)) };
    });
    return taken;
  }

  async cancel(task_id?: string): Promise<{ stopped: boolean; task_id: string | null }> {
    const running = task_id === undefined ? this.#places.analysis.current : this.#running(task_id);
    if (!running) {
      if (task_id !== undefined) await this.#expectEnded(task_id);
      return { stopped: true, task_id: null };
    }
    return { stopped: await running.halt('cancelled'), task_id: running.task_id };
  }

  finish(task_id: string): void {
    this.#running(task_id)?.finish();
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#places).map((place) => place.stop()));
  }

  async list(): Promise<TaskSnapshot[]> {
    const recorded = await this.#parts.records.list();
    return recorded.map((task) => this.#live(task));
  }

  async get(task_id: string, page: Page): Promise<TaskDetail> {
    const detail = await this.#parts.records.get(task_id, page);
    return { ...detail, ...this.#live(detail) };
  }

  failures(task_id: string, most: number, signal: AbortSignal): Promise<FileResult[]> {
    return this.#parts.records.failures(task_id, most, signal);
  }

  unfinished(): UnfinishedWork | null {
    return this.#places.analysis.current?.unfinished() ?? null;
  }

  subscribe(listener: TaskListener): () => void {
    return this.#listeners.add(listener);
  }

  #running(task_id: string): RunningTask | null {
    const all = Object.values(this.#places).flatMap(({ tasks }) => tasks);
    return all.find((task) => task.task_id === task_id) ?? null;
  }

  async #expectEnded(task_id: string): Promise<void> {
    const { ended, state } = await this.get(task_id, { offset: 0, limit: 0 });
    if (ended !== null) return;
    const what = `Task ${task_id} is ${state} in another process and can be stopped only there`;
    throw analysisErrors.TASK_RUNNING(what, { task_id });
  }

  /** The record may be some seconds old. */
  #live(task: TaskSnapshot): TaskSnapshot {
    const { task_id } = task;
    return this.#running(task_id)?.snapshot() ?? this.#unrecorded.get(task_id) ?? task;
  }

  async #placeOf(task_id: string): Promise<TaskPlace> {
    const { kinds, records } = this.#parts;
    const unrecorded = this.#unrecorded.get(task_id);
    if (unrecorded)
      return placeOf(kinds.filter(({ type }) => unrecorded.request.types.includes(type as never)));
    return this.#wanted(await records.claimable(task_id));
  }

  #wanted(request: AnalysisRequest): TaskPlace {
    return placeOf(this.#parts.kinds.filter((kind) => kind.jobsOf(request).some(hasWork)));
  }

  #task(run: ActiveRun, place: TaskPlace): RunningTask {
    const { records, log } = this.#parts;
    this.#unrecorded.delete(run.task.task_id);
    records.prune().catch((error: unknown) => log.warn('old tasks cannot be removed', { error }));
    const ended = (task: TaskSnapshot, isRecorded: boolean) => {
      if (!isRecorded) this.#unrecorded.set(task.task_id, task);
      this.#places[place].leave(task.task_id);
    };
    const left = () => this.#places[place].moveUp();
    const { admit } = this.#parts.preflight;
    return new RunningTask({ ...this.#parts, listeners: this.#listeners, admit, ended, left }, run);
  }
}
