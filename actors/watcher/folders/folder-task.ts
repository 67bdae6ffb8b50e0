// Some files of a folder: they are taken, filtered, worked on as one task, and what became of them is told.
import { stat } from 'node:fs/promises';
import { type ErrorRow, engineErrors } from '../../../runtime/errors.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { orAborted } from '../../../runtime/sync/shared-work.ts';
import {
  type Analysis,
  analysisErrors,
  type TaskEvent,
  type TaskRequest,
  type Tasks,
  type WorkResult,
} from '../../analysis/contract.ts';
import type { TaskError } from '../../analysis/tasks/contract.ts';
import { mediaErrors } from '../../decoder/contract.ts';
import { facesErrors } from '../../faces/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { modelErrors, noModelErrors } from '../../models/contract.ts';
import { visualModelErrors } from '../../search/models/contract.ts';
import { speechErrors } from '../../transcriber/contract.ts';
import type { FileEnd, SeenFile } from '../contract.ts';
import type { FolderSettings } from './configuration.ts';

// Outcomes of the files of a task: the results of their kinds of work arrive one by one.

export interface FolderFault {
  readonly code: string;
  readonly message: string;
}

export interface FileOutcome extends SeenFile {
  readonly end: FileEnd;
  /** Why it was not analysed; null when it was, and when somebody stopped the work. */
  readonly fault: FolderFault | null;
}

const { MODEL_RUN_FAILED: _, ...modelRows } = modelErrors;
const { MEDIA_IN_WORK, STAGE_LOST, NOT_ANALYZED, NOT_LOADED, WRONG_DIMENSIONS, ...storeRows } = storeErrors;
const { LANGUAGE_UNSUPPORTED } = speechErrors;
const { HOME_UNWRITABLE, STOPPING, OTHER_MODEL } = analysisErrors;

/** Errors of the analysis folder, a model or the engine. */
const surroundings: Readonly<Record<string, ErrorRow>> = {
  ...modelRows,
  ...visualModelErrors,
  ...facesErrors,
  ...noModelErrors,
  ...storeRows,
  ...{ LANGUAGE_UNSUPPORTED, HOME_UNWRITABLE, STOPPING, OTHER_MODEL },
};
/** Errors that may be of one file. */
const others: Readonly<Record<string, ErrorRow>> = {
  ...{ MEDIA_IN_WORK, STAGE_LOST, NOT_ANALYZED, NOT_LOADED, WRONG_DIMENSIONS },
  ...engineErrors,
  ...analysisErrors,
  ...mediaErrors,
  ...speechErrors,
};

/**
 * Whom an error concerns. `file`: it comes again until the file changes. `attempt`: the same work on the file
 * may succeed. `surroundings`: any other file would have had it.
 */
export function scopeOf({ code }: FolderFault): 'file' | 'attempt' | 'surroundings' {
  if (code in surroundings) return 'surroundings';
  return others[code]?.retryable ? 'attempt' : 'file';
}

/** The closing step of a task: its result, or whether there will be one. */
export type ClosingOutcome = WorkResult | 'awaited' | 'none';

/** `isComplete`: every kind of work on the file has a result. */
export function outcomeOf(
  results: readonly WorkResult[],
  isComplete: boolean,
  closing: ClosingOutcome,
): Pick<FileOutcome, 'end' | 'fault'> {
  const faults = results.filter(({ outcome }) => outcome === 'failed').map(faultOf);
  // A fault of the file itself counts more than one that may pass.
  const fault = faults.find((candidate) => scopeOf(candidate) === 'file') ?? faults[0];
  if (fault) return { end: scopeOf(fault) === 'file' ? 'failed' : 'returned', fault };
  const isStopped = closing === 'awaited' || (closing !== 'none' && closing.outcome === 'cancelled');
  if (!isComplete || results.some(({ outcome }) => outcome === 'cancelled')) {
    return { end: 'returned', fault: null };
  }
  const hasFaces = results.some(
    ({ type, outcome }) => type === 'faces' && (outcome === 'analyzed' || outcome === 'stored'),
  );
  // Faces that are in no clustering are not done. A job without any is not closed, and that is no fault.
  if (hasFaces && typeof closing === 'object' && closing.outcome === 'failed') {
    const ofJob = faultOf(closing);
    if (ofJob.code !== analysisErrors.NO_MEDIA.code) {
      return { end: scopeOf(ofJob) === 'file' ? 'failed' : 'returned', fault: ofJob };
    }
  }
  return { end: isStopped ? 'returned' : 'analyzed', fault: null };
}

function faultOf({ error }: WorkResult): FolderFault {
  return error ?? { code: engineErrors.INTERNAL.code, message: engineErrors.INTERNAL.meaning };
}

export class TaskOutcomes {
  readonly #files: Map<string, { readonly file: SeenFile; readonly results: WorkResult[] }>;
  #kinds = Number.POSITIVE_INFINITY;
  #closing: ClosingOutcome;

  /** `closes`: a closing step follows, for which files wait. */
  constructor(files: readonly SeenFile[], closes: boolean) {
    this.#files = new Map(files.map((file) => [file.path, { file, results: [] }]));
    this.#closing = closes ? 'awaited' : 'none';
  }

  /** The task has begun, with so many kinds of work on each file. */
  begin(kinds: number): void {
    this.#kinds = kinds;
  }

  /** The outcome of a file for which this was the last result; null for none. */
  add(result: WorkResult): FileOutcome | null {
    if (result.closing) this.#closing = result;
    const pending = result.closing ? undefined : this.#files.get(result.path);
    if (!pending) return null;
    pending.results.push(result);
    if (this.#closing !== 'none' || pending.results.length < this.#kinds) return null;
    this.#files.delete(result.path);
    return { ...pending.file, ...outcomeOf(pending.results, true, 'none') };
  }

  /** Outcomes of the other files when the task has ended with `error`. */
  remaining(error: TaskError | null): FileOutcome[] {
    // When all have failed, each has an error of its own.
    const fault = error?.code === analysisErrors.ALL_FAILED.code ? null : error;
    return Array.from(this.#files.values(), ({ file, results }) => {
      const outcome = outcomeOf(results, results.length >= this.#kinds, this.#closing);
      return { ...file, ...outcome, ...(outcome.end === 'returned' && fault && { fault }) };
    });
  }
}

export interface FolderTaskParts {
  readonly tasks: Pick<Tasks, 'start' | 'finish' | 'subscribe'>;
  readonly analysis: Pick<Analysis, 'properties'>;
  readonly index: Ref<typeof indexContract>;
}

export interface FolderTaskRequest {
  readonly settings: FolderSettings;
  readonly cache_dir: string;
  readonly files: readonly SeenFile[];
  /** Called with what became of files. Never throws. */
  readonly report: (outcomes: readonly FileOutcome[]) => void;
}

export interface FolderTaskEnd {
  /** Somebody stopped the task, or files changed under it: the same would happen again at once. */
  readonly isHandedBack: boolean;
  readonly fault: { readonly message: string } | null;
}

/** The task for files of a folder. What holds no picture, sound or face says so, and counts as done. */
export function taskRequest(
  settings: FolderSettings,
  cache_dir: string,
  paths: readonly string[],
): TaskRequest {
  const { detect_speakers, speaker_count, preferred_x_model_key, channels } = settings;
  const { cluster_job_name, face_eps, face_min_samples, audio_language: language } = settings;
  return {
    cache_dir,
    ...(settings.enable_visual_analysis && { visual_media_paths: [...paths] }),
    ...(settings.enable_audio_analysis && {
      ...{ detect_speakers, speaker_count, preferred_x_model_key },
      transcription_jobs: paths.map((path) => ({ path, language, channels })),
    }),
    ...(settings.enable_face_analysis &&
      cluster_job_name !== null && {
        face_clustering_jobs: [
          { cluster_job_name, face_media_paths: [...paths], face_eps, face_min_samples },
        ],
      }),
  };
}

/** Work on each file as a text to compare. Options of disabled work do not count. */
export function workOf(settings: FolderSettings, cache_dir: string): string {
  const filters = settings.metadata_filter_request?.filters ?? [];
  return JSON.stringify([1, taskRequest(settings, cache_dir, ['']), filters]);
}

export class FolderTask {
  task_id: string | null = null;
  readonly #parts: FolderTaskParts;
  readonly #request: FolderTaskRequest;
  /** Ends what comes before the task. */
  readonly #starting = new AbortController();
  /** Files without an outcome, by path. */
  readonly #pending: Map<string, SeenFile>;
  /** File of the latest progress. */
  #current: string | null = null;

  constructor(parts: FolderTaskParts, request: FolderTaskRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#pending = new Map(request.files.map((file) => [file.path, file]));
  }

  /** One that is worked on. Until progress is told of any, that is the first: they are taken up in order. */
  get file(): string | null {
    if (this.task_id === null) return null;
    if (this.#current !== null && this.#pending.has(this.#current)) return this.#current;
    const [first = null] = this.#pending.keys();
    return first;
  }

  /** Finishes the work in hand and begins nothing more. */
  finish(): void {
    this.#starting.abort();
    if (this.task_id !== null) this.#parts.tasks.finish(this.task_id);
  }

  /**
   * `shutdown` aborts when the engine ends: then nothing is waited for any more. Every file has an outcome in
   * the end. Throws what kept the task from being started.
   */
  async run(shutdown: AbortSignal): Promise<FolderTaskEnd> {
    const signal = AbortSignal.any([shutdown, this.#starting.signal]);
    try {
      const files = await this.#candidates(signal);
      if (files.length === 0) return { isHandedBack: false, fault: null };
      return await this.#work(files, shutdown, signal);
    } catch (error) {
      const files = [...this.#pending.values()];
      this.#report(files.map((file) => ({ ...file, end: 'returned', fault: null })));
      if (engineErrors.CANCELLED.is(error)) return { isHandedBack: false, fault: null };
      throw error;
    }
  }

  /** Files that pass the metadata filter, and files with too little metadata to decide. */
  async #candidates(signal: AbortSignal): Promise<readonly SeenFile[]> {
    const { settings, cache_dir, files } = this.#request;
    const { analysis, index } = this.#parts;
    if (settings.metadata_filter_request === null) return files;
    const media_paths = files.map(({ path }) => path);
    // Nothing is remembered in a folder that is not there, and what is not known passes.
    makeFolder(cache_dir);
    try {
      // This reads and stores the properties once; the task that follows reuses them.
      await analysis.properties({ cache_dir, media_paths, model_key: null }, signal);
    } catch (error) {
      // Unreadable files pass, so that the task reports the reason.
      if (!analysisErrors.NO_MEDIA.is(error)) throw error;
    }
    const { filters } = settings.metadata_filter_request;
    while (!(await index.ask('ready_facets', { cache_dir }, { signal })).done);
    const { passing } = await index.ask('passing', { cache_dir, names: media_paths, filters }, { signal });
    const others = files.filter((_, i) => !passing[i]);
    this.#report(others.map((file) => ({ ...file, end: 'filtered', fault: null })));
    return files.filter((_, i) => passing[i]);
  }

  async #work(
    files: readonly SeenFile[],
    shutdown: AbortSignal,
    signal: AbortSignal,
  ): Promise<FolderTaskEnd> {
    const { settings, cache_dir } = this.#request;
    const outcomes = new TaskOutcomes(files, settings.enable_face_analysis);
    let fault: FolderTaskEnd['fault'] = null;
    const report = (outcomes: readonly FileOutcome[]) => {
      fault ??= outcomes.find(({ end }) => end === 'returned')?.fault ?? null;
      this.#report(outcomes);
    };
    const end = Promise.withResolvers<Extract<TaskEvent, { type: 'end' }>>();
    // Events may come before the answer that says of which task they are.
    const queue: [string, TaskEvent][] = [];
    const handle = (event: TaskEvent) => {
      if (event.type === 'start') outcomes.begin(event.types.length);
      else if (event.type === 'file') this.#current = event.file.path;
      else if (event.type === 'result') report([outcomes.add(event.result) ?? []].flat());
      else if (event.type === 'end') end.resolve(event);
    };
    const unsubscribe = this.#parts.tasks.subscribe((task_id, event) => {
      if (this.task_id === null) queue.push([task_id, event]);
      else if (task_id === this.task_id) handle(event);
    });
    try {
      const request = taskRequest(
        settings,
        cache_dir,
        files.map(({ path }) => path),
      );
      const options = { whenBusy: 'refuse', source: 'watch_folder', signal } as const;
      ({ task_id: this.task_id } = await this.#parts.tasks.start(request, options));
      for (const [task_id, event] of queue) if (task_id === this.task_id) handle(event);
      // It was asked to finish while the task was being started.
      if (this.#starting.signal.aborted) this.finish();
      const { state, error } = await orAborted(end.promise, shutdown);
      report(outcomes.remaining(error));
      const ofTask = error?.code === analysisErrors.ALL_FAILED.code ? null : error;
      const isHandedBack = state === 'cancelled' && !this.#starting.signal.aborted;
      return { isHandedBack, fault: ofTask ?? fault };
    } catch (error) {
      if (!analysisErrors.NO_VALID_MEDIA.is(error)) throw error;
      const unsupported = await this.#unsupported(files, signal);
      report(unsupported);
      return { isHandedBack: unsupported.some(({ end }) => end === 'returned'), fault: null };
    } finally {
      unsubscribe();
    }
  }

  /** All of them are unreadable, so each is probed for its own reason. */
  async #unsupported(files: readonly SeenFile[], signal: AbortSignal): Promise<FileOutcome[]> {
    const outcomes: FileOutcome[] = [];
    for (const file of files) {
      const fault = await this.#faultOf(file.path, signal);
      outcomes.push({ ...file, end: fault === null ? 'returned' : 'failed', fault });
    }
    return outcomes;
  }

  /** Null when the file is gone, or readable by now. */
  async #faultOf(path: string, signal: AbortSignal): Promise<FolderFault | null> {
    const { cache_dir } = this.#request;
    try {
      await this.#parts.analysis.properties({ cache_dir, media_paths: [path], model_key: null }, signal);
      return null;
    } catch (error) {
      if (!analysisErrors.NO_MEDIA.is(error) || error.details['unsupported'] !== true) throw error;
      // One that is gone is said to be unsupported, too.
      const isThere = await stat(path).then(
        () => true,
        () => false,
      );
      return isThere ? { code: mediaErrors.NOT_MEDIA.code, message: error.message } : null;
    }
  }

  #report(outcomes: readonly FileOutcome[]): void {
    for (const { path } of outcomes) this.#pending.delete(path);
    if (outcomes.length > 0) this.#request.report(outcomes);
  }
}
