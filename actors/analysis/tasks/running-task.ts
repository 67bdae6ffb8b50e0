// A task that runs: hands its request to the analysis, records its results and how it stands, tells its events, and stops
// when it is asked to.
import type { Clock } from '../../../runtime/clock.ts';
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import {
  type Analysis,
  type AnalysisEvent,
  analysisErrors,
  type EarlierRuns,
  type EndState,
  type TaskError,
  type TaskSnapshot,
  type UnfinishedWork,
  type WorkResult,
} from '../contract.ts';
import { workKey } from '../result.ts';
import type { StageKind } from '../stages/kind.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Listeners } from './listeners.ts';
import type { OwnRun } from './records.ts';

/** How long a stop is awaited before the answer is that the task is still stopping. */
export const STOP_WITHIN_MS = 2_000;
/** How often the record of a running task is brought up to date. */
const SAVE_EVERY_MS = 2_000;

export interface RunParts {
  readonly analysis: Pick<Analysis, 'run'>;
  /** The kinds of work there are. */
  readonly kinds: readonly StageKind[];
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly listeners: Listeners;
  /** Called when the end is recorded, or could not be, before listeners hear of it. */
  ended(task: TaskSnapshot, isRecorded: boolean): void;
}

type Reason = 'cancelled' | 'interrupted';

export class RunningTask {
  readonly #parts: RunParts;
  readonly #run: OwnRun;
  readonly #ledger: Ledger;
  readonly #stop = new AbortController();
  readonly #drain = new AbortController();
  /** Pieces of work that have their result, by `workKey`. */
  readonly #finished = new Set<string>();
  /** Why it was asked to stop; the first reason holds. */
  #reason: Reason | null = null;
  /** Why its results cannot be recorded; null while they can. */
  #fault: unknown = null;
  /** Never rejects. */
  #over: Promise<void> = Promise.resolve();

  constructor(parts: RunParts, run: OwnRun) {
    this.#parts = parts;
    this.#run = run;
    this.#ledger = createLedger(parts.kinds, run.task, run.earlier, parts.clock.now);
  }

  get task_id(): string {
    return this.#run.task.task_id;
  }

  get state(): 'running' | 'stopping' {
    return this.#reason ? 'stopping' : 'running';
  }

  /** `request`: a recorded one, as JSON. */
  does(request: string): boolean {
    return JSON.stringify(this.#run.request) === request;
  }

  snapshot(): TaskSnapshot {
    return this.#ledger.snapshot(this.state);
  }

  unfinished(): UnfinishedWork {
    const { request } = this.#run;
    const { cache_dir } = request;
    const pieces = this.#parts.kinds.flatMap((kind) =>
      kind.jobsOf(request).flatMap(({ items }) => items.map(({ path }) => ({ type: kind.type, path }))),
    );
    const left = pieces.filter((piece) => !this.#finished.has(workKey(piece)));
    return { task_id: this.task_id, cache_dir, paths: new Set(left.map(({ path }) => path)) };
  }

  begin(): void {
    const { log, listeners } = this.#parts;
    const { task_id } = this;
    const { cache_dir, types } = this.#run.task.request;
    const { counts, progress: percentage } = this.#run.task;
    const { files, jobs } = counts;
    log.info('a task starts', { task_id, files, jobs, types, cache_dir });
    listeners.notify(task_id, { type: 'start', files, jobs, types, percentage });
    this.#over = this.#work();
  }

  /** Begins nothing more; what is being worked on is finished. */
  finish(): void {
    this.#drain.abort();
  }

  /** True when the task has ended within a short while. */
  async halt(reason: Reason): Promise<boolean> {
    this.#reason ??= reason;
    this.#stop.abort();
    const { promise, resolve: late } = Promise.withResolvers<boolean>();
    const disarm = this.#parts.clock.after(STOP_WITHIN_MS, () => late(false));
    const stopped = await Promise.race([this.#over.then(() => true), promise]);
    disarm();
    return stopped;
  }

  async #work(): Promise<void> {
    const { task_id } = this;
    const { task, request, attachment, earlier: recorded } = this.#run;
    const endSaving = this.#savePeriodically();
    const earlier = recorded && finishedBefore(recorded, task.progress);
    const { signal } = this.#stop;
    const draining = this.#drain.signal;
    let state: EndState;
    let error: TaskError | null = null;
    try {
      const report = await this.#parts.analysis.run(
        { task_id, request, earlier, attachment },
        { signal, draining, onEvent: (event) => this.#note(event) },
      );
      if (this.#fault) throw this.#fault;
      error = this.#ledger.failure();
      state = report.cancelled ? (this.#reason ?? 'cancelled') : error ? 'failed' : 'completed';
    } catch (thrown) {
      state = endOf(thrown, this.#reason);
      if (state === 'failed') error = this.#failure(this.#fault ?? thrown);
    }
    endSaving();
    this.#end(state, error);
  }

  #end(state: EndState, error: TaskError | null): void {
    const { log, now, listeners, ended } = this.#parts;
    const { task_id } = this;
    const task = this.#ledger.snapshot(state, now(), error);
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
  }

  #note(event: AnalysisEvent): void {
    const { task_id } = this;
    const { listeners } = this.#parts;
    if (event.type === 'result') this.#finished.add(workKey(event.result));
    if (event.type === 'task') this.#ledger.progress(event.task);
    if (event.type !== 'result') listeners.notify(task_id, event);
    // A file that the end of the engine cut short gets no result: it is done when the task is resumed.
    else if (event.result.outcome !== 'cancelled' || this.#reason !== 'interrupted') {
      listeners.notify(task_id, { type: 'result', result: this.#record(event.result) });
    }
  }

  #record(result: WorkResult): WorkResult {
    const { stands, fresh } = this.#ledger.result(result);
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

  #savePeriodically(): () => void {
    const { clock, log } = this.#parts;
    const { task_id } = this;
    let disarm = () => {};
    let failing = false;
    const save = () => {
      try {
        this.#run.save(this.snapshot());
        failing = false;
      } catch (error) {
        if (!failing) log.warn('the state of a task cannot be saved', { task_id, error });
        failing = true;
      }
      disarm = clock.after(SAVE_EVERY_MS, save);
    };
    disarm = clock.after(SAVE_EVERY_MS, save);
    return () => disarm();
  }

  #failure(thrown: unknown): TaskError {
    const { code, meaning, message } = toFields(thrown);
    const { task_id } = this;
    if (code === 'INTERNAL') this.#parts.log.error('a task failed', { task_id, error: thrown });
    return { code, error: meaning, message };
  }
}

/** How a run ended that threw. When the engine stops it is `interrupted`, whatever the error. */
function endOf(thrown: unknown, reason: Reason | null): EndState {
  if (reason === 'interrupted') return 'interrupted';
  return reason && engineErrors.CANCELLED.is(thrown) ? reason : 'failed';
}

function finishedBefore(earlier: ReadonlyMap<string, WorkResult>, percentage: number): EarlierRuns {
  const finished = new Set(
    [...earlier.values()].filter(({ outcome }) => outcome === 'analyzed').map((result) => workKey(result)),
  );
  return { percentage, finished: (type, path) => finished.has(workKey({ type, path })) };
}
