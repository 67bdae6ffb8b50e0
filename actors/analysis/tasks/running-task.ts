// A task that runs, or waits for its turn: hands its request to the analysis, records its results and how it
// stands, tells its events, and stops when it is asked to.
import type { Clock } from '../../../runtime/clock.ts';
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import {
  type Accepted,
  type Analysis,
  type AnalysisEvent,
  type AnalysisRequest,
  analysisErrors,
  type EarlierRuns,
  type QueuePlace,
  type RunSize,
  type TaskEvent,
  type TaskListener,
  type TaskRun,
  type UnfinishedWork,
  type WorkResult,
} from '../contract.ts';
import { workKey } from '../result.ts';
import type { StageKind } from '../stages/kind.ts';
import type { EndState, TaskError, TaskSnapshot } from './contract.ts';
import type { ActiveRun } from './records.ts';
import { createRunTally, type RunTally } from './run-tally.ts';

/** How long a stop is awaited before the answer is that the task is still stopping. */
export const STOP_WITHIN_MS = 2_000;
/** How often the record of a running task is brought up to date. */
const SAVE_EVERY_MS = 2_000;
/** The same of one that waits: so often that other machines see that its process lives. */
const SAVE_WAITING_EVERY_MS = 20_000;

export interface RunParts {
  readonly analysis: Pick<Analysis, 'run'>;
  readonly kinds: readonly StageKind[];
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly listeners: Listeners;
  /** Throws what keeps a request that was checked some time ago from being run now. */
  admit(request: AnalysisRequest): Promise<void>;
  /** Called when the end is recorded, or could not be, before listeners hear of it. */
  ended(task: TaskSnapshot, isRecorded: boolean): void;
  /** Called when listeners have heard of it. */
  moveUp(): void;
}

type Reason = 'cancelled' | 'interrupted';

export class RunningTask {
  readonly #parts: RunParts;
  readonly #run: ActiveRun;
  readonly #tally: RunTally;
  readonly #stop = new AbortController();
  readonly #drain = new AbortController();
  /** Pieces of work that have their result, by `workKey`. */
  readonly #finished = new Set<string>();
  /** Why it was asked to stop; the first reason holds. */
  #reason: Reason | null = null;
  /** Why its results cannot be recorded; null while they can. */
  #fault: unknown = null;
  #hasBegun = false;
  /** Where it waits, or waited last; null when it did not have to. */
  #standing: QueuePlace | null = null;
  #endSaving = () => {};
  /** The last tenth of a percent that was saved, or could not be. */
  #saved = 0;
  #cannotSave = false;
  /** Never rejects. */
  #over: Promise<void> = Promise.resolve();

  constructor(parts: RunParts, run: ActiveRun) {
    this.#parts = parts;
    this.#run = run;
    this.#tally = createRunTally(parts.kinds, run.task, run.earlier, parts.clock.now);
  }

  get task_id(): string {
    return this.#run.task.task_id;
  }

  get request(): AnalysisRequest {
    return this.#run.request;
  }

  get state(): 'queued' | 'running' | 'stopping' {
    if (!this.#hasBegun) return 'queued';
    return this.#reason ? 'stopping' : 'running';
  }

  /** Null when it does not wait any more. */
  get standing(): QueuePlace | null {
    return this.#hasBegun ? null : this.#standing;
  }

  get accepted(): Accepted {
    const { task_id, standing } = this;
    return standing ? { task_id, queue_position: standing.queue_position } : { task_id };
  }

  snapshot(): TaskSnapshot {
    return { ...this.#tally.snapshot(this.state), ...this.standing };
  }

  unfinished(): UnfinishedWork {
    const { request } = this.#run;
    const { cache_dir } = request;
    const pieces = this.#parts.kinds.flatMap((kind) =>
      kind.jobsOf(request).flatMap(({ items }) => items.map(({ path }) => ({ type: kind.type, path }))),
    );
    const unfinishedPieces = pieces.filter((piece) => !this.#finished.has(workKey(piece)));
    return { cache_dir, paths: new Set(unfinishedPieces.map(({ path }) => path)) };
  }

  /** It is not its turn yet; called each time its place in the line is another one. */
  wait(standing: QueuePlace): void {
    const before = this.#standing;
    const { queue_position, waits_for } = standing;
    if (before?.queue_position === queue_position && before.waits_for === waits_for) return;
    this.#standing = standing;
    const { task_id } = this;
    if (before === null) this.#parts.log.info('a task waits for its turn', { task_id, ...standing });
    this.#parts.listeners.notify(task_id, { type: 'queued', ...this.#announced(), ...standing });
    this.#save();
    this.#keepSaved();
  }

  begin(): void {
    const { log, listeners, now } = this.#parts;
    const { task_id } = this;
    const { started, request } = this.#run.task;
    const hasWaited = this.#standing !== null;
    this.#hasBegun = true;
    this.#tally.begin(hasWaited ? Math.max(started, now()) : started);
    const announced = this.#announced();
    const { percentage: _, ...pieces } = announced;
    log.info('a task starts', { task_id, ...pieces, cache_dir: request.cache_dir });
    listeners.notify(task_id, { type: 'start', ...announced });
    // Others read in the record that it waits.
    if (this.#run.task.state !== 'running') this.#save();
    this.#keepSaved();
    this.#over = this.#work(hasWaited);
  }

  #announced(): RunSize {
    const { counts, progress: percentage, request } = this.#run.task;
    const { files, jobs } = counts;
    return { files, jobs, types: request.types, percentage };
  }

  /** Begins nothing more; what is being worked on is finished. */
  finish(): void {
    this.#drain.abort();
  }

  /** True when the task has ended within a short while: at once, when it waits. */
  async halt(reason: Reason): Promise<boolean> {
    this.#reason ??= reason;
    this.#stop.abort();
    if (!this.#hasBegun) {
      this.#tally.giveUp();
      this.#end(reason, null);
      return true;
    }
    const { promise, resolve: late } = Promise.withResolvers<boolean>();
    const disarm = this.#parts.clock.after(STOP_WITHIN_MS, () => late(false));
    const stopped = await Promise.race([this.#over.then(() => true), promise]);
    disarm();
    return stopped;
  }

  async #work(hasWaited: boolean): Promise<void> {
    const { task_id } = this;
    const { task, request, attachment, earlier: recorded } = this.#run;
    const earlier = recorded && finishedBefore(recorded, task.progress);
    const { signal } = this.#stop;
    const draining = this.#drain.signal;
    let state: EndState;
    let error: TaskError | null = null;
    try {
      if (hasWaited) await this.#parts.admit(request);
      const report = await this.#parts.analysis.run(
        { task_id, request, earlier, attachment, ...retriesOf(this.#run) },
        { signal, draining, onEvent: (event) => this.#note(event) },
      );
      if (this.#fault) throw this.#fault;
      error = this.#tally.failure();
      state = report.cancelled ? (this.#reason ?? 'cancelled') : error ? 'failed' : 'completed';
    } catch (thrown) {
      state = endOf(thrown, this.#reason);
      if (state === 'failed') error = this.#failure(this.#fault ?? thrown);
    }
    this.#end(state, error);
  }

  #end(state: EndState, error: TaskError | null): void {
    const { log, now, listeners, ended, moveUp } = this.#parts;
    const { task_id } = this;
    this.#endSaving();
    const task = this.#tally.snapshot(state, now(), error);
    let isRecorded = true;
    try {
      this.#run.end(task);
    } catch (fault) {
      isRecorded = false;
      log.error('the end of a task cannot be recorded', { task_id, state, error: fault });
    }
    ended(task, isRecorded);
    const { counts, elapsed_seconds } = task;
    log.info('a task has ended', { task_id, state, error, counts, elapsed_seconds });
    listeners.notify(task_id, { type: 'end', state, error });
    moveUp();
  }

  #note(event: AnalysisEvent): void {
    const { task_id } = this;
    const { listeners } = this.#parts;
    if (event.type === 'result') this.#finished.add(workKey(event.result));
    if (event.type === 'task') {
      this.#tally.progress(event.task);
      // Each tenth before it is told: when the engine dies, the record says what was told.
      if (tenths(event.task.percentage) > this.#saved) this.#save();
    }
    if (event.type !== 'result') listeners.notify(task_id, event);
    // A file that the end of the engine cut short gets no result: it is done when the task is resumed.
    else if (event.result.outcome !== 'cancelled' || this.#reason !== 'interrupted') {
      listeners.notify(task_id, { type: 'result', result: this.#record(event.result) });
    }
  }

  #record(result: WorkResult): WorkResult {
    const { stands, fresh } = this.#tally.result(result);
    try {
      if (fresh && !this.#fault) this.#run.append(stands);
    } catch (error) {
      const { task_id } = this;
      this.#fault = analysisErrors.HOME_UNWRITABLE(
        `The results of task ${task_id} cannot be recorded (${String(error)})`,
        { task_id },
        error,
      );
      this.#stop.abort(this.#fault);
    }
    return stands;
  }

  #keepSaved(): void {
    this.#endSaving();
    const every = this.#hasBegun ? SAVE_EVERY_MS : SAVE_WAITING_EVERY_MS;
    this.#endSaving = this.#parts.clock.after(every, () => {
      this.#save();
      this.#keepSaved();
    });
  }

  #save(): void {
    const task = this.snapshot();
    this.#saved = tenths(task.progress);
    try {
      this.#run.save(task);
      this.#cannotSave = false;
    } catch (error) {
      const { task_id } = this;
      if (!this.#cannotSave) this.#parts.log.warn('the state of a task cannot be saved', { task_id, error });
      this.#cannotSave = true;
    }
  }

  #failure(thrown: unknown): TaskError {
    const { code, meaning, message } = toFields(thrown);
    const { task_id } = this;
    if (code === 'INTERNAL') this.#parts.log.error('a task failed', { task_id, error: thrown });
    return { code, error: meaning, message };
  }
}

function tenths(percentage: number): number {
  return Math.floor(percentage * 10);
}

/** A repeated request for a job retries its last step; a watched folder repeats requests by itself. */
function retriesOf({ task, request, earlier, retries }: ActiveRun): Pick<TaskRun, 'retries'> {
  if (earlier ? retries : request.force) return { retries: 'all' };
  return !earlier && task.source !== 'watch_folder' ? { retries: 'closings' } : {};
}

/** How a run ended that threw. When the engine stops it is `interrupted`, whatever the error. */
function endOf(thrown: unknown, reason: Reason | null): EndState {
  if (reason === 'interrupted') return 'interrupted';
  return reason && toFields(thrown).code === engineErrors.CANCELLED.code ? reason : 'failed';
}

function finishedBefore(earlier: ReadonlyMap<string, WorkResult>, percentage: number): EarlierRuns {
  const finished = new Set(
    [...earlier.values()].filter(({ outcome }) => outcome === 'analyzed').map((result) => workKey(result)),
  );
  return { percentage, finished: (type, path) => finished.has(workKey({ type, path })) };
}

// Listeners to the events of tasks. The failure of one is logged and affects no other.

export class Listeners {
  readonly #log: Log;
  readonly #all = new Set<TaskListener>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Answers the function that ends the subscription. */
  add(listener: TaskListener): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  notify(task_id: string, event: TaskEvent): void {
    for (const listener of this.#all) {
      try {
        listener(task_id, event);
      } catch (error) {
        this.#log.error('a listener failed', { task_id, event: event.type, error });
      }
    }
  }
}
