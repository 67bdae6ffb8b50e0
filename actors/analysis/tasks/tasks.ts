// The front door of analysis: checks a request, records the task, and has it run when it is its turn. The
// work itself is done by `analysis`, a task that runs is kept by `RunningTask`, its turn by a `TaskQueue`,
// the files by the records.
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf } from '../../../runtime/errors.ts';
import { newHolder } from '../../../runtime/files/lock.ts';
import { expectAbove } from '../../../runtime/files/save-new.ts';
import type { Log } from '../../../runtime/log.ts';
import { plainPath } from '../../../runtime/paths.ts';
import { clipErrors } from '../../decoder/clips/contract.ts';
import type { ClipsRequest } from '../../exporter/clips/contract.ts';
import type { Roots } from '../../index/roots/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { keysOf } from '../../models/advice.ts';
import { type ModelLibrary, modelErrors } from '../../models/contract.ts';
import { currentKey } from '../../models/other-keys.ts';
import {
  type Accepted,
  type Analysis,
  type AnalysisRequest,
  analysisErrors,
  type JobOptions,
  type JobRequests,
  type ProxyRequest,
  type ResultPage,
  type StartOptions,
  type TaskListener,
  type TaskRequest,
  type Tasks,
  type UnfinishedWork,
} from '../contract.ts';
import { clipExport } from '../stages/clips/kind.ts';
import { hasWork, placeOf, type StageKind, type TaskPlace, taskPlaces } from '../stages/kind.ts';
import { stageKinds } from '../stages/kinds.ts';
import type { FileResult, TaskDetail, TaskSnapshot } from './contract.ts';
import { expectWritable } from './files.ts';
import { createPreflight, type Preflight, type PreflightParts } from './preflight.ts';
import { type ActiveRun, TaskRecords } from './records.ts';
import { Listeners, RunningTask } from './running-task.ts';
import { type Prepare, TaskQueue } from './task-queue.ts';

// Tasks that several ask for: whoever wants what runs or waits, or is about to, gets the task that does it.

class SharedTasks {
  /** Tasks that are about to be recorded, by their key. */
  readonly #beginning = new Map<string, Promise<Accepted>>();

  /** `begin`: starts the task in the place, when none does the same. */
  begin(
    keyOf: RequestKey,
    request: AnalysisRequest,
    { tasks }: TaskQueue,
    begin: () => Promise<Accepted>,
  ): Promise<Accepted> {
    const key = keyOf(request);
    if (key === null) return begin();
    const acceptance = this.#beginning.get(key);
    if (acceptance) return acceptance;
    // One that is told to stop does nothing for anybody.
    const same = tasks.find(({ state, request }) => state !== 'stopping' && keyOf(request) === key);
    if (same) return Promise.resolve(same.accepted);
    const task = begin().finally(() => this.#beginning.delete(key));
    this.#beginning.set(key, task);
    return task;
  }
}

const never = new AbortController().signal;
/** Tasks that wait for one place, at most. */
const MOST_WAITING = 100;

export interface TaskParts {
  readonly analysis: Pick<Analysis, 'run'>;
  readonly preflight: Preflight;
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

export interface FrontDoorParts
  extends Pick<PreflightParts, 'models' | 'decode' | 'expectModelFor' | 'summaryModel'> {
  readonly analysis: Analysis;
  readonly modelLibrary: PullableModels;
  readonly roots: Pick<Roots, 'paths'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The tasks recorded in `folder`, as they are by the clock of the system. */
export function openTasks(folder: string, parts: FrontDoorParts): Tasks {
  const now = () => Date.now() / 1000;
  const { clock, log, analysis, modelLibrary, roots } = parts;
  const paths = () => roots.paths();
  const orders = jobOrders(modelLibrary);
  const kinds = stageKinds;
  const records = new TaskRecords({ folder, kinds, self: newHolder(), now, log, paths });
  const preflight = createPreflight({ ...parts, kinds });
  return new TaskRegistry({
    analysis,
    preflight,
    kinds,
    orders,
    records,
    clock,
    log,
    now,
    newTaskId: randomUUID,
  });
}

export class TaskRegistry implements Tasks {
  readonly #parts: TaskParts;
  readonly #listeners: Listeners;
  readonly #places: Readonly<Record<TaskPlace, TaskQueue>>;
  readonly #shared = new SharedTasks();
  /** Final snapshots that could not be recorded; this engine answers them instead of the stale records. */
  readonly #unrecorded = new Map<string, TaskSnapshot>();

  constructor(parts: TaskParts) {
    const { mostWaiting = MOST_WAITING, log } = parts;
    const placeFor = (place: TaskPlace) => new TaskQueue((run) => this.#task(run, place), mostWaiting);
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
    const jobs = recordedJobs(kinds, await resolve(request, options.signal ?? never));
    const task = { request: jobs, attachments: [], source: 'request' } as const;
    const prepare: Prepare = async () => (state) => records.create(newTaskId(), task, state);
    return this.#shared.begin(keyOf, jobs, place, () =>
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
      const placeName = await this.#placeOf(task_id);
      const place = this.#places[placeName];
      const { whenBusy: choice = 'replace' } = options;
      // Only an analysis takes the place of another.
      const whenBusy = placeName !== 'analysis' && choice === 'replace' ? 'wait' : choice;
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

  async get(task_id: string, page: ResultPage): Promise<TaskDetail> {
    const detail = await this.#parts.records.get(task_id, page);
    return { ...detail, ...this.#live(detail) };
  }

  failures(task_id: string, most: number, signal: AbortSignal): Promise<FileResult[]> {
    return this.#parts.records.failures(task_id, most, signal);
  }

  endInterrupted(): Promise<TaskSnapshot[]> {
    return this.#parts.records.endInterrupted();
  }

  async unfinished(): Promise<UnfinishedWork | null> {
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
    const moveUp = () => this.#places[place].moveUp();
    const { admit } = this.#parts.preflight;
    return new RunningTask({ ...this.#parts, listeners: this.#listeners, admit, ended, moveUp }, run);
  }
}

// How tasks of jobs without files come about: each kind of work says what a request for it has come to.

/** Key of a recorded request, equal for equal work; null if it has none of the kind. */
type RequestKey = (request: AnalysisRequest) => string | null;

export interface JobOrder<R> {
  /** Resolves the jobs of a request. Throws its faults; changes nothing. */
  resolve(request: R, signal: AbortSignal): Promise<OrderedJobs>;
  /** An equal request gets the task that runs or waits for it. */
  readonly keyOf: RequestKey;
}

type JobOrders = { readonly [T in keyof JobRequests]: JobOrder<JobRequests[T]> };

/** `library`: of the models that tasks download. */
export function jobOrders(library: PullableModels): JobOrders {
  return {
    clips: { resolve: resolveClips, keyOf: clipKey },
    pull: { resolve: (request) => resolvePull(request, library), keyOf: pullKey },
    proxy: { resolve: resolveProxy, keyOf: proxyKey },
  };
}

// A request for a proxy: that the analysis folder takes it.

/** Throws NOT_A_FOLDER, STORE_READ_ONLY. The folder that is filled is the analysis folder. */
async function resolveProxy({ cache_dir, ...proxyRequest }: ProxyRequest): Promise<OrderedJobs> {
  await expectWritable(cache_dir);
  return { cache_dir: plainPath(cache_dir), proxy_request: proxyRequest };
}

/** Key of a content, wherever a copy of it lies. */
function proxyKey({ cache_dir, proxy_request }: AnalysisRequest): string | null {
  if (!proxy_request) return null;
  const { hash_str, max_side } = proxy_request;
  return JSON.stringify(['proxy', cache_dir, hash_str, max_side]);
}

// A request to export clips: that the disk takes them.

/** Throws NOT_A_FOLDER, CLIP_UNWRITABLE. The folder that is filled is the one of the clips. */
async function resolveClips({ output_dir, ...request }: ClipsRequest): Promise<OrderedJobs> {
  const { create_folders = false } = request;
  const field = 'output_dir';
  await expectAbove(output_dir, create_folders, (what, cause) =>
    clipErrors.CLIP_UNWRITABLE(`${field}: ${what}`, { field }, cause),
  );
  await expectWritable(output_dir, field).catch((error) => {
    const { STORE_READ_ONLY, STORE_FULL } = storeErrors;
    if (!STORE_READ_ONLY.is(error) && !STORE_FULL.is(error)) throw error;
    // It is no analysis folder.
    const why = codeOf((error as Error).cause);
    throw clipErrors.CLIP_UNWRITABLE(`${field} ${output_dir} cannot be written (${why})`, { field }, error);
  });
  return { cache_dir: plainPath(output_dir), clip_export: clipExport(request) };
}

/** The same clips of the same sources in the same folder: whoever asks twice wants them once. */
function clipKey({ cache_dir, clip_export }: AnalysisRequest): string | null {
  return clip_export ? JSON.stringify(['clips', cache_dir, clip_export]) : null;
}

// A request to download models: which they are, and that there are such.

/** The part of the models that is needed before a download. */
type PullableModels = Pick<ModelLibrary, 'list' | 'missing'>;

/**
 * Each model once, in the order of the request. Throws INVALID_REQUEST, MODEL_UNKNOWN, MODEL_UNSUPPORTED,
 * MODEL_INVALID and MODEL_BUILT_IN. The folder that is filled is the one of the models.
 */
export async function resolvePull(
  { model_keys }: JobRequests['pull'],
  library: PullableModels,
): Promise<OrderedJobs> {
  if (model_keys.length === 0)
    throw analysisErrors.INVALID_REQUEST('model_keys is empty', { field: 'model_keys' });
  const { models } = await library.list();
  const keys = [...new Set(model_keys.flatMap((word) => keysOf(word, models)).map(currentKey))];
  let folder = '';
  for (const key of keys) {
    ({ folder } = await library.missing(key));
    if (!models.find(({ row }) => row.key === key)?.builtIn) continue;
    throw modelErrors.MODEL_BUILT_IN(`"${key}" is part of the program and needs no download`, { key });
  }
  return { cache_dir: dirname(folder), pull_models: keys };
}

/** The same models, in whatever order. */
function pullKey({ cache_dir, pull_models }: AnalysisRequest): string | null {
  return pull_models ? JSON.stringify(['pull', cache_dir, pull_models.toSorted()]) : null;
}

// Resolved request for jobs without files, and the form in which a task of it is recorded.

/** The folder that the task fills, and what its kind of work records. */
type OrderedJobs = Pick<AnalysisRequest, 'cache_dir'> & Partial<AnalysisRequest>;

/** Whole: it asks for nothing of other kinds. */
function recordedJobs(kinds: readonly StageKind[], jobs: OrderedJobs): AnalysisRequest {
  const nothing = Object.assign({}, ...kinds.map((kind) => kind.nothing));
  // A repeated request retries quarantined work; a resume does not.
  return { ...nothing, ...jobs, force: true } as AnalysisRequest;
}
