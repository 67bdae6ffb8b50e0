// What the stages of one run of a task share: the request, the tracker, the surveys, and the signal that ends
// it.
import { engineErrors } from '../../../runtime/errors.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { AnalysisRequest, TaskRun } from '../contract.ts';
import { worthAnotherTry } from '../recovery/retry.ts';
import type { LastWork } from './last-work.ts';
import type { StageParts } from './parts.ts';
import { Surveys } from './surveys.ts';
import type { Tracker } from './tracker.ts';
import type { WorkResults } from './work-results.ts';

export class TaskContext {
  readonly parts: StageParts;
  readonly run: TaskRun;
  readonly tracker: Tracker;
  /** Aborted by a cancel, and when nothing more can be stored. */
  readonly signal: AbortSignal;
  /**
   * Aborted when nothing further is to be begun: with `signal`, or before it, while what was begun is
   * finished.
   */
  readonly ending: AbortSignal;
  readonly surveys: Surveys;
  /** Results that other work of the task waits for. */
  readonly results: WorkResults;
  /** Work that comes after all other. */
  readonly last: LastWork;
  readonly #broken = new AbortController();

  /** `paths`: of every piece of work, in order. */
  constructor(parts: StageParts, run: TaskRun, given: ContextParts) {
    const { tracker, results, last, paths, signal, draining } = given;
    this.parts = parts;
    this.run = run;
    this.tracker = tracker;
    this.results = results;
    this.last = last;
    this.signal = AbortSignal.any([signal, this.#broken.signal]);
    this.ending = draining ? AbortSignal.any([this.signal, draining]) : this.signal;
    this.surveys = new Surveys(parts, {
      task_id: run.task_id,
      cache_dir: run.request.cache_dir,
      paths,
      retryQuarantined: this.retryQuarantined,
      signal: this.signal,
    });
  }

  get request(): AnalysisRequest {
    return this.run.request;
  }

  /** What was redone before the task was interrupted is not redone again. */
  redo(type: string, path: string): boolean {
    return this.request.force && !this.run.earlier?.finished(type, path);
  }

  /**
   * Holds for one run only: a file that ends the engine again is not tried again when the task is resumed.
   */
  get retryQuarantined(): boolean {
    return this.run.retries === 'all';
  }

  /** Done again at once when an actor ended meanwhile, for example; any other error is thrown. */
  async onceMore<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error) => {
      if (this.signal.aborted || !worthAnotherTry(error)) throw error;
      return work();
    });
  }

  /** The error that a failed file reports; one that concerns every file ends the task. */
  failure(path: string, error: unknown): unknown {
    if (endsTheTask(error)) this.break(error);
    // A file that the end of the task interrupted is cancelled; the reason is reported once, by the task.
    return this.#broken.signal.aborted ? engineErrors.CANCELLED(`${path}: was not finished`) : error;
  }

  /** Nothing more is begun; `throwIfBroken` throws the first reason. */
  break(reason: unknown): void {
    this.#broken.abort(reason);
  }

  /** One reason for the whole task, not the same one for every file. */
  throwIfBroken(): void {
    if (this.#broken.signal.aborted) throw this.#broken.signal.reason;
  }
}

export interface ContextParts {
  readonly tracker: Tracker;
  readonly results: WorkResults;
  readonly last: LastWork;
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
  /** Aborted when what was begun is to be finished, and no more. */
  readonly draining?: AbortSignal | undefined;
}

/** True for an analysis folder that takes nothing more, whichever file comes next. */
function endsTheTask(error: unknown): boolean {
  const { STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_UNAVAILABLE } = storeErrors;
  return [STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_UNAVAILABLE].some((row) =>
    row.is(error),
  );
}
