// The front door of analysis: checks a request, records the task, runs one at a time, notifies listeners, and stops it on
// request. The work itself is done by `analysis`, the files are kept by the records.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import { thisProcess } from '../../../runtime/process/identity.ts';
import {
  type Analysis,
  type AnalysisEvent,
  analysisErrors,
  type EarlierRuns,
  type EndState,
  type Page,
  type StartOptions,
  type TaskDetail,
  type TaskError,
  type TaskEvent,
  type TaskListener,
  type TaskRequest,
  type TaskSnapshot,
  type Tasks,
  type UnfinishedWork,
  type WorkResult,
} from '../contract.ts';
import { workKey } from '../result.ts';
import type { StageKind } from '../stages/kind.ts';
import { stageKinds } from '../stages/kinds.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createPreflight, type Preflight, type PreflightParts } from './preflight.ts';
import { type OwnRun, TaskFolder, type TaskRecords } from './records.ts';
import { Turns } from './turns.ts';

const never = new AbortController().signal;

/** How long a stop is awaited before the answer is that the task is still stopping. */
export const STOP_WITHIN_MS = 2_000;
/** How often the record of a running task is brought up to date. */
const SAVE_EVERY_MS = 2_000;

export interface TaskParts {
  readonly analysis: Pick<Analysis, 'run'>;
  readonly preflight: Preflight;
  /** The kinds of work there are. */
  readonly kinds: readonly StageKind[];
  readonly records: TaskRecords;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  newTaskId(): string;
}

interface Running {
  readonly task_id: string;
  readonly run: OwnRun;
  readonly ledger: Ledger;
  readonly stop: AbortController;
  readonly drain: AbortController;
  /** Why it was asked to stop; the first reason holds. */
  reason: 'cancelled' | 'interrupted' | null;
  /** Why its results cannot be recorded; null while they can. */
  fault: unknown;
  ended: Promise<void>;
  /** Pieces of work that have their result, by `workKey`. */
  readonly finished: Set<string>;
}

export function createTasks(parts: TaskParts): Tasks {
  return new TaskRegistry(parts);
}

export interface FrontDoorParts extends Pick<PreflightParts, 'models' | 'decode' | 'expectFaceModel'> {
  readonly analysis: Analysis;
  readonly clock: Clock;
  readonly log: Log;
}

/** The tasks recorded in `folder`, as they are by the clock of the system. */
export function openTasks(folder: string, parts: FrontDoorParts): Tasks {
  const now = () => Date.now() / 1000;
  const self = { ...thisProcess(), token: randomUUID() };
  const { clock, log, analysis } = parts;
  const kinds = stageKinds;
  const records = new TaskFolder({ folder, kinds, self, now, log });
  const preflight = createPreflight({ ...parts, kinds });
  return createTasks({ analysis, preflight, kinds, records, clock, log, now, newTaskId: randomUUID });
}

class TaskRegistry implements Tasks {
  readonly #parts: TaskParts;
  readonly #listeners = new Set<TaskListener>();
  #current: Running | null = null;
  #starting = false;
  /** Requests that are checked, wait or are about to start. */
  #entering = 0;
  readonly #turns = new Turns();
  #stopping = false;
  /** Final snapshots that could not be recorded; this engine answers them instead of the stale records. */
  readonly #unrecorded = new Map<string, TaskSnapshot>();

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  get running(): string | null {
    return this.#current?.task_id ?? null;
  }

  get busy(): boolean {
    return this.#entering > 0 || this.#current !== null;
  }

  async start(request: TaskRequest, options: StartOptions = {}): Promise<{ task_id: string }> {
    const { preflight, newTaskId, records } = this.#parts;
    return this.#enter(async () => {
      await preflight.check(request, options.signal ?? never);
      return this.#startNext(options, async () => {
        const { request: settled, attachments } = preflight.settle(request);
        return () => records.create(newTaskId(), settled, attachments);
      });
    });
  }

  async resume(task_id: string, options: StartOptions = {}): Promise<{ task_id: string }> {
    const { preflight, records } = this.#parts;
    if (this.#current?.task_id === task_id) {
      throw analysisErrors.TASK_RUNNING(`Task ${task_id} is ${this.#state(this.#current)}`, { task_id });
    }
    const prepare = async () => {
      if (!this.#unrecorded.has(task_id)) await preflight.admit(await records.claimable(task_id));
      return () => records.claim(task_id);
    };
    return this.#enter(() => this.#startNext(options, prepare));
  }

  async cancel(): Promise<{ stopped: boolean; task_id: string | null }> {
    const running = this.#current;
    if (!running) return { stopped: true, task_id: null };
    return { stopped: await this.#halt(running, 'cancelled'), task_id: running.task_id };
  }

  finish(task_id: string): void {
    if (this.#current?.task_id === task_id) this.#current.drain.abort();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#turns.end(analysisErrors.STOPPING());
    if (this.#current) await this.#halt(this.#current, 'interrupted');
  }

  async list(): Promise<TaskSnapshot[]> {
    const recorded = await this.#parts.records.list();
    return recorded.map((task) => this.#live(task));
  }

  async get(task_id: string, page: Page): Promise<TaskDetail> {
    const detail = await this.#parts.records.get(task_id, page);
    return { ...detail, ...this.#live(detail) };
  }

  unfinished(): UnfinishedWork | null {
    const running = this.#current;
    if (running === null) return null;
    const { request } = running.run;
    const { cache_dir } = request;
    const pieces = this.#parts.kinds.flatMap((kind) =>
      kind.jobsOf(request).flatMap(({ items }) => items.map(({ path }) => ({ type: kind.type, path }))),
    );
    const left = pieces.filter((piece) => !running.finished.has(workKey(piece)));
    return { task_id: running.task_id, cache_dir, paths: new Set(left.map(({ path }) => path)) };
  }

  subscribe(listener: TaskListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The record may be some seconds old. */
  #live(task: TaskSnapshot): TaskSnapshot {
    const running = this.#current;
    if (running?.task_id === task.task_id) return running.ledger.snapshot(this.#state(running));
    return this.#unrecorded.get(task.task_id) ?? task;
  }

  #state(running: Running): 'running' | 'stopping' {
    return running.reason ? 'stopping' : 'running';
  }

  async #enter<T>(work: () => Promise<T>): Promise<T> {
    this.#entering++;
    try {
      return await work();
    } finally {
      this.#entering--;
    }
  }

  get #isTaken(): boolean {
    return this.#starting || this.#current !== null;
  }

  /**
   * `prepare` throws what keeps the task from being started, before anything else is stopped for it, and answers how its
   * run is recorded.
   */
  async #startNext(
    { whenBusy = 'replace', priority = 0, signal }: StartOptions,
    prepare: () => Promise<() => Promise<OwnRun>>,
  ): Promise<{ task_id: string }> {
    const ticket = this.#turns.ticket(priority);
    while (whenBusy === 'wait' && this.#isTaken && !this.#stopping) await ticket.wait(signal);
    if (this.#stopping) throw analysisErrors.STOPPING();
    // Of several that start at once the first wins.
    if (this.#starting) throw analysisErrors.ANOTHER_TASK('Another task is about to start');
    const { running } = this;
    if (whenBusy === 'refuse' && running !== null) {
      throw analysisErrors.ANOTHER_TASK(`Task ${running} is running`, { task_id: running });
    }
    this.#starting = true;
    try {
      const record = await prepare();
      await this.#makeRoom();
      const run = await record();
      if (this.#stopping) {
        run.discard();
        throw analysisErrors.STOPPING();
      }
      this.#launch(run);
      return { task_id: run.task.task_id };
    } finally {
      this.#starting = false;
      if (this.#current === null) this.#turns.next();
    }
  }

  async #makeRoom(): Promise<void> {
    const running = this.#current;
    if (!running || (await this.#halt(running, 'cancelled'))) return;
    const { task_id } = running;
    throw analysisErrors.ANOTHER_TASK(`Task ${task_id} is still stopping`, { task_id });
  }

  #launch(run: OwnRun): void {
    const { clock, records, log, kinds } = this.#parts;
    const { task_id } = run.task;
    const ledger = createLedger(kinds, run.task, run.earlier, clock.now);
    const stop = new AbortController();
    const running: Running = {
      task_id,
      run,
      ledger,
      stop,
      drain: new AbortController(),
      reason: null,
      fault: null,
      ended: Promise.resolve(),
      finished: new Set(),
    };
    this.#current = running;
    this.#unrecorded.delete(task_id);
    const { cache_dir, types } = run.task.request;
    const { counts, progress: percentage } = run.task;
    const { files, jobs } = counts;
    log.info('a task starts', { task_id, files, jobs, types, cache_dir });
    this.#notify(task_id, { type: 'start', files, jobs, types, percentage });
    running.ended = this.#work(running);
    records.prune().catch((error: unknown) => log.warn('old tasks cannot be removed', { error }));
  }

  /** Never rejects. */
  async #work(running: Running): Promise<void> {
    const { task_id, run, ledger, stop, drain } = running;
    const endSaving = this.#savePeriodically(running);
    const earlier = run.earlier && finishedBefore(run.earlier, run.task.progress);
    let state: EndState;
    let error: TaskError | null = null;
    try {
      const report = await this.#parts.analysis.run(
        { task_id, request: run.request, earlier, attachment: run.attachment },
        { signal: stop.signal, draining: drain.signal, onEvent: (event) => this.#note(running, event) },
      );
      if (running.fault) throw running.fault;
      error = ledger.failure();
      state = report.cancelled ? (running.reason ?? 'cancelled') : error ? 'failed' : 'completed';
    } catch (thrown) {
      state = endOf(thrown, running.reason);
      if (state === 'failed') error = this.#failure(task_id, running.fault ?? thrown);
    }
    endSaving();
    this.#end(running, state, error);
  }

  #end(running: Running, state: EndState, error: TaskError | null): void {
    const { task_id, run, ledger } = running;
    const task = ledger.snapshot(state, this.#parts.now(), error);
    try {
      run.end(task);
    } catch (fault) {
      this.#unrecorded.set(task_id, task);
      this.#parts.log.error('the end of a task cannot be recorded', { task_id, state, error: fault });
    }
    this.#current = null;
    this.#turns.next();
    const { counts, elapsed_seconds } = task;
    this.#parts.log.info('a task has ended', { task_id, state, error, counts, elapsed_seconds });
    this.#notify(task_id, { type: 'end', state, error });
  }

  #note(running: Running, event: AnalysisEvent): void {
    if (event.type === 'result') running.finished.add(workKey(event.result));
    if (event.type === 'task') running.ledger.progress(event.task);
    if (event.type !== 'result') this.#notify(running.task_id, event);
    // A file that the end of the engine cut short gets no result: it is done when the task is resumed.
    else if (event.result.outcome !== 'cancelled' || running.reason !== 'interrupted') {
      this.#notify(running.task_id, { type: 'result', result: this.#record(running, event.result) });
    }
  }

  #record(running: Running, result: WorkResult): WorkResult {
    const { stands, fresh } = running.ledger.result(result);
    try {
      if (fresh && !running.fault) running.run.append(stands);
    } catch (error) {
      const { task_id } = running;
      running.fault = analysisErrors.HOME_UNWRITABLE(
        `The results of task ${task_id} cannot be recorded (${String(error)})`,
        { task_id },
        error,
      );
      running.stop.abort(running.fault);
    }
    return stands;
  }

  /** True when the task has ended within a short while. */
  async #halt(running: Running, reason: 'cancelled' | 'interrupted'): Promise<boolean> {
    running.reason ??= reason;
    running.stop.abort();
    const { promise, resolve: late } = Promise.withResolvers<boolean>();
    const disarm = this.#parts.clock.after(STOP_WITHIN_MS, () => late(false));
    const stopped = await Promise.race([running.ended.then(() => true), promise]);
    disarm();
    return stopped;
  }

  #savePeriodically(running: Running): () => void {
    const { clock, log } = this.#parts;
    let disarm = () => {};
    let failing = false;
    const save = () => {
      try {
        running.run.save(running.ledger.snapshot(this.#state(running)));
        failing = false;
      } catch (error) {
        if (!failing) log.warn('the state of a task cannot be saved', { task_id: running.task_id, error });
        failing = true;
      }
      disarm = clock.after(SAVE_EVERY_MS, save);
    };
    disarm = clock.after(SAVE_EVERY_MS, save);
    return () => disarm();
  }

  #failure(task_id: string, thrown: unknown): TaskError {
    const { code, meaning, message } = toFields(thrown);
    if (code === 'INTERNAL') this.#parts.log.error('a task failed', { task_id, error: thrown });
    return { code, error: meaning, message };
  }

  #notify(task_id: string, event: TaskEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(task_id, event);
      } catch (error) {
        this.#parts.log.error('a listener failed', { task_id, event: event.type, error });
      }
    }
  }
}

/** How a run ended that threw. When the engine stops it is `interrupted`, whatever the error. */
function endOf(thrown: unknown, reason: Running['reason']): EndState {
  if (reason === 'interrupted') return 'interrupted';
  return reason && engineErrors.CANCELLED.is(thrown) ? reason : 'failed';
}

function finishedBefore(earlier: ReadonlyMap<string, WorkResult>, percentage: number): EarlierRuns {
  const finished = new Set(
    [...earlier.values()].filter(({ outcome }) => outcome === 'analyzed').map((result) => workKey(result)),
  );
  return { percentage, finished: (type, path) => finished.has(workKey({ type, path })) };
}
