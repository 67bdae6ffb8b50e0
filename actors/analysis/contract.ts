// The request of an analysis, its events and its results. What differs by kind of work comes from the kinds.

import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import type { Ref } from '../../runtime/ref.ts';
import { described, field, sentPath } from '../../runtime/schema.ts';
import type { ClipsRequest } from '../exporter/clips/contract.ts';
import type { indexContract } from '../index/contract.ts';
import { ContentHash, FilePath } from '../index/store/contract.ts';
import type { ModelState } from '../models/contract.ts';
import type { ClosingProgress, FileProgress, TaskProgress } from './progress.ts';
import { howFields } from './request.ts';
import { fieldsOf, requestSchema } from './schemas.ts';
import type { StageKind } from './stages/kind.ts';
import { stageKinds } from './stages/kinds.ts';
import type {
  EndState,
  FileResult,
  TaskCounts,
  TaskDetail,
  TaskError,
  TaskSnapshot,
  TaskSource,
} from './tasks/contract.ts';

export const analysisErrors = errorTable({
  NO_MEDIA: { meaning: 'None of the media files can be read', status: 400 },
  NO_FILES: { meaning: 'No media files were found', status: 400 },
  QUARANTINED: { meaning: 'The file crashed or hung the engine twice and is now skipped', status: 400 },
  SUSPECT: {
    meaning: 'The engine crashed while this file was being analysed; it will be tried again by itself',
    status: 503,
    retryable: true,
  },
  PREVIEWS_TOO_SMALL: { meaning: 'The stored previews are too small for the model', status: 400 },
  FOLDER_UNREADABLE: { meaning: 'The folder cannot be read', status: 400 },
  LINK_LOOP: { meaning: 'The link points back to a folder above it', status: 400 },
  /** The error of a task, never of a request. */
  ALL_FAILED: { meaning: 'Every file of the task failed', status: 500 },
  ANOTHER_TASK: { meaning: 'Another task is active', status: 409, retryable: true },
  LINE_FULL: { meaning: 'Too many tasks are queued', status: 503, retryable: true },
  INVALID_REQUEST: { meaning: 'Invalid request', status: 400 },
  NO_VALID_MEDIA: { meaning: 'No valid media supplied', status: 400 },
  NOT_A_FOLDER: { meaning: 'The analysis folder is not a folder', status: 400 },
  OTHER_MODEL: { meaning: 'The task needs another visual model', status: 409 },
  TASK_UNKNOWN: { meaning: 'Task not found', status: 404 },
  TASK_RUNNING: { meaning: 'The task is running', status: 409, retryable: true },
  TASK_DAMAGED: { meaning: 'The record of the task cannot be read', status: 500 },
  HOME_UNWRITABLE: { meaning: 'The home folder cannot be written, so no task can be recorded', status: 507 },
  STOPPING: { meaning: 'The engine is stopping', status: 503, retryable: true },
});

/** The body of a request: every kind of work takes some of the fields. */
export function analyzeRequest<K extends readonly StageKind[]>(kinds: K) {
  return Type.Object({
    cache_dir: described(
      sentPath(Type.String({ minLength: 1 })),
      'Absolute path of the analysis folder. It is created if it does not exist.',
    ),
    ...fieldsOf(kinds, 'body'),
    ...howFields,
  });
}

export const AnalyzeRequest = analyzeRequest(stageKinds);
export type AnalyzeRequest = Static<typeof AnalyzeRequest>;

/** A request in the form in which it is recorded: every kind of work has settled its fields. */
export const AnalysisRequest = requestSchema(stageKinds);
export type AnalysisRequest = Static<typeof AnalysisRequest>;

/**
 * How the work on one file ended. `stored`: it was analysed before. `not_applicable`: it holds nothing of the
 * kind; `reason` says of which.
 */
export type WorkOutcome = 'analyzed' | 'stored' | 'not_applicable' | 'failed' | 'cancelled';

export interface WorkResult {
  readonly path: string;
  readonly type: string;
  readonly hash_str: string | null;
  readonly outcome: WorkOutcome;
  /** Reason for `not_applicable`, as `no_picture`; else null. */
  readonly reason: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly duration_seconds: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Remark for a person about parts beside the media itself that could not be read. */
  readonly warning?: string;
  /** True for the closing step of a job, whose name is in `path`. */
  readonly closing?: true;
}

export type AnalysisEvent =
  | { readonly type: 'file'; readonly file: FileProgress }
  | { readonly type: 'result'; readonly result: WorkResult }
  | { readonly type: 'closing'; readonly closing: ClosingProgress }
  | { readonly type: 'task'; readonly task: TaskProgress };

export interface AnalysisReport {
  /** Some files were not finished because the run was told to stop. */
  readonly cancelled: boolean;
  readonly counts: TaskCounts;
  readonly progress: TaskProgress;
}

export interface RunSize {
  readonly files: number;
  /** Jobs with a closing step; none when left out. */
  readonly jobs?: number;
  readonly types: readonly string[];
  /** Where an earlier run stood, 0 to 100; 0 when left out. */
  readonly percentage?: number;
}

/** Where a task waits; see `TaskSnapshot`. */
export interface QueuePlace {
  readonly queue_position: number;
  readonly waits_for: string | null;
}

/**
 * Events of a task: `queued` each time its place in the line is another one, `start` each time it begins to
 * run, those of the analysis, and `end`, always last.
 */
export type TaskEvent =
  | ({ readonly type: 'queued' } & RunSize & QueuePlace)
  | ({ readonly type: 'start' } & RunSize)
  | AnalysisEvent
  | { readonly type: 'end'; readonly state: EndState; readonly error: TaskError | null };

/** Called synchronously for every event; it must not throw and must not block. */
export type TaskListener = (task_id: string, event: TaskEvent) => void;

export interface ResultPage {
  readonly offset: number;
  readonly limit: number;
}

/** A request whose other fields have their defaults. Paths that are named twice count once. */
export type TaskRequest = Partial<AnalyzeRequest> & Pick<AnalyzeRequest, 'cache_dir'>;

export interface StartOptions {
  /** While another runs: it is stopped (the default), this one waits or is refused with ANOTHER_TASK. */
  readonly whenBusy?: 'replace' | 'wait' | 'refuse';
  /** Priority among waiting tasks; the highest runs first (default 0), equal ones in order of arrival. */
  readonly priority?: number;
  /** Ends the checks, not the task. */
  readonly signal?: AbortSignal;
  /** A request (the default), or a folder that is watched. */
  readonly source?: TaskSource;
  /** Makes a resume retry quarantined work. */
  readonly force?: boolean;
}

export type JobOptions = Pick<StartOptions, 'priority' | 'signal'>;

/** A task that is recorded (*flushed*): it runs, or waits its turn. */
export interface Accepted {
  readonly task_id: string;
  /** Its place in the line, 1 for the next one; left out when it runs. */
  readonly queue_position?: number;
}

/** Files of a task that runs, without those whose work has ended. */
export interface UnfinishedWork {
  readonly cache_dir: string;
  readonly paths: ReadonlySet<string>;
}

export interface ProxyRequest {
  readonly cache_dir: string;
  readonly hash_str: string;
  readonly media_path: string;
  /** Longest side of its pictures, px. */
  readonly max_side: number;
}

/** Tasks of jobs without files, by kind of work. Paths are absolute. */
export interface JobRequests {
  readonly clips: ClipsRequest;
  /** Models to download: their keys, and words that stand for several. */
  readonly pull: { readonly model_keys: readonly string[] };
  readonly proxy: ProxyRequest;
}

/**
 * The tasks of this home folder, and the only way to run one. One runs at a time in each place: an analysis,
 * an export and a download of models beside each other. In each place tasks may wait, as `queued`.
 */
export interface Tasks {
  /** Id of the analysis of this engine that runs or is stopping. */
  readonly running: string | null;
  /** An analysis runs, is stopping, waits or is about to start. */
  readonly busy: boolean;
  /**
   * Checks the whole request before anything happens, then answers when the task is recorded and runs, or
   * waits. Throws INVALID_REQUEST naming the field, NO_VALID_MEDIA, NOT_A_FOLDER, NO_FILES, NO_FACE_MODEL,
   * those of models, what the visual model in use throws, the errors of the store, HOME_UNWRITABLE, STOPPING;
   * ANOTHER_TASK when a task that was asked to stop is still unwinding after a short while; LINE_FULL when it
   * is to wait and too many do.
   */
  start(request: TaskRequest, options?: StartOptions): Promise<Accepted>;
  /**
   * The same for jobs without files, in the place of their kind of work. It never ends another task: it waits
   * its turn. Whoever asks for what runs or waits already gets that task. Throws what is wrong with the
   * request, HOME_UNWRITABLE, STOPPING, LINE_FULL.
   */
  begin<T extends keyof JobRequests>(
    type: T,
    request: JobRequests[T],
    options?: JobOptions,
  ): Promise<Accepted>;
  /**
   * Asks the running analysis to stop, or the task with this id and no other; one that waits ends at once.
   * `stopped` false: it is still unwinding after a short while. `task_id` null: it did not run. Throws
   * TASK_UNKNOWN, TASK_RUNNING when another process runs it.
   */
  cancel(task_id?: string): Promise<{ readonly stopped: boolean; readonly task_id: string | null }>;
  /**
   * Runs a task that is not running again: same id, same request; what is stored already is not done again.
   * One of jobs without files waits its turn as with `begin`. Errors as `start`, and TASK_UNKNOWN,
   * TASK_RUNNING, OTHER_MODEL when it was asked for by another visual model than the one in use.
   */
  resume(task_id: string, options?: StartOptions): Promise<Accepted>;
  /** Newest first, those of other processes with the same home too. */
  list(): Promise<TaskSnapshot[]>;
  /** Throws TASK_UNKNOWN. */
  get(task_id: string, page: ResultPage): Promise<TaskDetail>;
  /** Results that say the work failed, `most` at most; none of a task that does not exist. */
  failures(task_id: string, most: number, signal: AbortSignal): Promise<FileResult[]>;
  /**
   * Begins no further file of this task: files that are being worked on are finished, a closing step takes
   * what is done, the others end as cancelled. Answers at once; does nothing when the task does not run.
   */
  finish(task_id: string): void;
  /**
   * Records the end of runs whose engine has ended without recording it, and answers their tasks: each is
   * answered once.
   */
  endInterrupted(): Promise<TaskSnapshot[]>;
  /** Remaining work of the running analyses; null if none runs. */
  unfinished(): Promise<UnfinishedWork | null>;
  /** Answers the function that ends the subscription. */
  subscribe(listener: TaskListener): () => void;
  /**
   * No task starts any more; those that run are asked to stop and will be `interrupted`, and so are those
   * that wait. Resolves when they have ended.
   */
  stop(): Promise<void>;
}

export interface EarlierRuns {
  /** Where the last of them stood, 0 to 100. */
  readonly percentage: number;
  finished(type: string, path: string): boolean;
}

export interface TaskRun {
  readonly task_id: string;
  readonly request: AnalysisRequest;
  /** Results of earlier runs of the same task; null in its first run. */
  readonly earlier: EarlierRuns | null;
  /** Path of what came with the request and is kept beside its record; left out where nothing is. */
  readonly attachment?: (number: number) => string;
  /** Work in quarantine that is tried again; left out: none. */
  readonly retries?: 'closings' | 'all';
  /** The closing steps of its jobs are not taken. */
  readonly isWithoutClosings?: boolean;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Aborted when no further file is to be begun; what is being worked on is finished. */
  readonly draining?: AbortSignal;
  readonly index?: Ref<typeof indexContract>;
  onEvent(event: AnalysisEvent): void;
}

/** The coordinator of analysis, the only one that writes. */
export interface Analysis {
  /** Properties of media files; see `media/properties.ts`. */
  properties(request: PropertiesRequest, signal: AbortSignal): Promise<MediaPropertiesAnswer>;
  /** True if one of these files is missing and the folder has previews of its pictures. */
  hasGone(cache_dir: string, paths: readonly string[], signal: AbortSignal): Promise<boolean>;
  summaryNames(
    cache_dir: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly string[]>>;
  collections(cache_dir: string, signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** Summaries are being made: visual searches have to wait. */
  readonly summarizing: boolean;
  /** The speech model in use; there is one only while a task transcribes. */
  readonly speechModel: ModelState;
  /** The face models in use, as one; there are some only while a task looks for faces. */
  readonly faceModel: ModelState;
  /** Resolves when every file has its result; a stopped run resolves with what was finished. */
  run(run: TaskRun, options: RunOptions): Promise<AnalysisReport>;
}

// Properties of media files that a survey finds.

export const MediaProperties = Type.Object({
  video_cached: field('Whether the visual analysis is stored.', Type.Boolean()),
  audio_cached: field('Whether a transcript is stored.', Type.Boolean()),
  runtime: field('Duration as `HH:MM:SS`; null for stills.', Type.Union([Type.String(), Type.Null()])),
  fps: field(
    'Frames per second; 0 for stills and sound; null if the file does not say.',
    Type.Union([Type.Number(), Type.Null()]),
  ),
  media_path: FilePath,
  timecode: field('Start timecode as `HH:MM:SS:FF`.', Type.String()),
  hash_str: ContentHash,
  drop_frame: field('Whether the timecode is drop-frame (possible at 29.97 and 59.94 fps).', Type.Boolean()),
  timecode_rate: field('Frame rate of the timecode, in frames per second.', Type.Number()),
  kind: field(
    'Kind of the media: `video`, `audio` or `image`.',
    Type.Union([Type.Literal('video'), Type.Literal('audio'), Type.Literal('image')]),
  ),
  width: field('Width of the displayed picture in pixels; 0 for sound.', Type.Integer()),
  height: field('Height of the displayed picture in pixels; 0 for sound.', Type.Integer()),
});
export type MediaProperties = Static<typeof MediaProperties>;

export const MediaPropertiesAnswer = Type.Object({
  media_properties: field(
    'Properties of each readable file. The keys are the paths as they were sent.',
    Type.Record(Type.String(), MediaProperties),
  ),
  unreadable: field(
    'Files that cannot be read, with the reason for each.',
    Type.Record(Type.String(), Type.String()),
  ),
});
export type MediaPropertiesAnswer = Static<typeof MediaPropertiesAnswer>;

export interface PropertiesRequest {
  readonly cache_dir: string;
  /** Absolute paths; one named twice is answered once. */
  readonly media_paths: readonly string[];
  /** `video_cached` speaks of this model; null: of any. */
  readonly model_key: string | null;
}
