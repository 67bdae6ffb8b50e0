// What an analysis is asked for, what it tells while it works, and what it answers at the end.
import { type Static, type TSchema, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { DecodeMode } from '../decoder/contract.ts';
import { SpeakerCount } from '../diarizer/contract.ts';
import { xPreferences } from '../transcriber/contract.ts';

export const analysisErrors = errorTable({
  NO_MEDIA: { meaning: 'No media file can be read', status: 400, retryable: false },
  NO_FILES: { meaning: 'There is no media to analyse', status: 400, retryable: false },
  QUARANTINED: {
    meaning: 'The file ended the engine twice and is left alone',
    status: 400,
    retryable: false,
  },
  FOLDER_UNREADABLE: { meaning: 'The folder cannot be read', status: 400, retryable: false },
  LINK_LOOP: { meaning: 'The link leads back to a folder above it', status: 400, retryable: false },
  ANOTHER_TASK: { meaning: 'Another task is active', status: 409, retryable: true },
  INVALID_REQUEST: { meaning: 'Invalid request', status: 400, retryable: false },
  NO_VALID_MEDIA: { meaning: 'No valid media supplied', status: 400, retryable: false },
  NOT_A_FOLDER: { meaning: 'The analysis folder is no folder', status: 400, retryable: false },
  NO_FACES: { meaning: 'Face analysis is not available', status: 503, retryable: false },
  NO_SUMMARIES: { meaning: 'Summaries are not available', status: 503, retryable: false },
  OTHER_MODEL: { meaning: 'The task needs another visual model', status: 409, retryable: false },
  TASK_UNKNOWN: { meaning: 'No task has this id', status: 404, retryable: false },
  TASK_RUNNING: { meaning: 'The task is running', status: 409, retryable: true },
  TASK_DAMAGED: { meaning: 'The record of the task cannot be read', status: 500, retryable: false },
  HOME_UNWRITABLE: {
    meaning: 'The home folder cannot be written, so no task can be recorded',
    status: 503,
    retryable: true,
  },
  STOPPING: { meaning: 'The engine is stopping', status: 503, retryable: true },
});

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

/** Says that subtitles are to be read, whatever models there are. */
export const subtitlesKey = 'subtitles';

export const speechPreferences = [...xPreferences, subtitlesKey] as const;
export type SpeechPreference = (typeof speechPreferences)[number];
const SpeechPreference = Type.Unsafe<SpeechPreference>({ type: 'string', enum: [...speechPreferences] });

/** A file whose speech is to be written down. */
export const SpeechJob = Type.Object({
  /** Absolute. */
  path: Type.String({ minLength: 1 }),
  /** BCP 47; null for whatever is spoken. */
  language: Nullable(Type.String()),
  /** Counted from 1 over all audio tracks, each by itself; null: all mixed into one. */
  channels: Nullable(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1 })),
  detect_speakers: Type.Boolean(),
  speaker_count: SpeakerCount,
  preferred: SpeechPreference,
});
export type SpeechJob = Static<typeof SpeechJob>;

export const AnalysisRequest = Type.Object({
  cache_dir: Type.String({ minLength: 1 }),
  /** Absolute paths of media files to look at. */
  paths: Type.Array(Type.String({ minLength: 1 })),
  /** Files to listen to, each once. */
  speech: Type.Array(SpeechJob),
  /** The visual model; null when there is nothing to look at. */
  model_key: Nullable(Type.String({ minLength: 1 })),
  decode: DecodeMode,
  /** Redo what is stored already. */
  force: Type.Boolean(),
});
export type AnalysisRequest = Static<typeof AnalysisRequest>;

/** What is done with a file: `video` looks at it, `speech` listens to it. */
export const WorkType = Type.Union([Type.Literal('video'), Type.Literal('speech')]);
export type WorkType = Static<typeof WorkType>;

/**
 * How the work on one file ended. `stored`: it was analysed before. `no_picture`: nothing to look at. `no_sound`: nothing
 * to listen to.
 */
export const FileOutcome = Type.Union([
  Type.Literal('analyzed'),
  Type.Literal('stored'),
  Type.Literal('no_picture'),
  Type.Literal('no_sound'),
  Type.Literal('failed'),
  Type.Literal('cancelled'),
]);
export type FileOutcome = Static<typeof FileOutcome>;

/** What was heard in a file. */
export const SpeechFacts = Type.Object({
  /** The model really used; `subtitles` for what was read. */
  model_key: Type.String(),
  /** BCP 47; null when nothing was said. */
  language: Nullable(Type.String()),
  segments: Count,
  /** Null when nobody looked who speaks. */
  speakers: Nullable(Count),
  /** Seconds in which somebody speaks; null for what was read. */
  speech_seconds: Nullable(Type.Number()),
});
export type SpeechFacts = Static<typeof SpeechFacts>;

export const FileResult = Type.Object({
  path: Type.String(),
  type: WorkType,
  hash_str: Type.Union([Type.String(), Type.Null()]),
  outcome: FileOutcome,
  frames: Type.Integer(),
  /** Grid frames that could not be decoded. */
  missing_frames: Type.Integer(),
  duration_seconds: Type.Number(),
  /** Of work of type `speech` that was done now. */
  speech: Nullable(SpeechFacts),
  error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
});
export type FileResult = Static<typeof FileResult>;

/** State of the work on one file. A grid frame is a second of picture; of speech they are seconds of sound. */
export interface FileProgress {
  readonly path: string;
  readonly type: WorkType;
  readonly frames: number;
  readonly grid_frames: number;
}

/** State of the whole task. `grid_frames` and `sound_seconds` grow while files are still being surveyed. */
export interface TaskProgress {
  readonly files: number;
  readonly files_done: number;
  readonly surveyed: boolean;
  /** How much of the work is done, 0 to 100; never less than it was before. */
  readonly percentage: number;
  readonly frames: number;
  readonly grid_frames: number;
  /** Seconds of sound listened to, and how many there are. */
  readonly heard_seconds: number;
  readonly sound_seconds: number;
  /** Seconds of media looked at and listened to in this run, and wall time so far. */
  readonly media_seconds: number;
  readonly elapsed_seconds: number;
}

export type AnalysisEvent =
  | { readonly type: 'file'; readonly file: FileProgress }
  | { readonly type: 'result'; readonly result: FileResult }
  | { readonly type: 'task'; readonly task: TaskProgress };

export const TaskState = Type.Union([
  Type.Literal('running'),
  /** Asked to stop, still unwinding. */
  Type.Literal('stopping'),
  Type.Literal('completed'),
  Type.Literal('cancelled'),
  Type.Literal('failed'),
  /** The engine ended while it ran; it can be resumed. */
  Type.Literal('interrupted'),
]);
export type TaskState = Static<typeof TaskState>;

export type EndState = Exclude<TaskState, 'running' | 'stopping'>;

/** `error`: the phrase of the row, `message`: which file or folder. */
export const TaskError = Type.Object({ code: Type.String(), error: Type.String(), message: Type.String() });
export type TaskError = Static<typeof TaskError>;

/**
 * `done` is the sum of the six ends the work on a file can have. A file that is both looked at and listened to counts
 * twice.
 */
export const TaskCounts = Type.Object({
  files: Count,
  done: Count,
  analyzed: Count,
  stored: Count,
  no_picture: Count,
  no_sound: Count,
  failed: Count,
  cancelled: Count,
});
export type TaskCounts = Static<typeof TaskCounts>;

/** A task as it stands. Times are Unix seconds. */
export const TaskSnapshot = Type.Object({
  task_id: Type.String(),
  state: TaskState,
  created: Type.Number(),
  /** Of the latest run; a resumed task starts again. */
  started: Type.Number(),
  ended: Nullable(Type.Number()),
  counts: TaskCounts,
  /** Percentage. */
  progress: Type.Number({ minimum: 0, maximum: 100 }),
  frames: Count,
  /** Grows while files are still being surveyed. */
  grid_frames: Count,
  heard_seconds: Type.Number({ minimum: 0 }),
  /** Grows while files are still being surveyed. */
  sound_seconds: Type.Number({ minimum: 0 }),
  elapsed_seconds: Type.Number(),
  /** Null when it is not known, and when nothing runs. */
  estimated_remaining_seconds: Nullable(Type.Number()),
  error: Nullable(TaskError),
  request: Type.Object({
    cache_dir: Type.String(),
    model_key: Nullable(Type.String()),
    decode: DecodeMode,
    force: Type.Boolean(),
    files: Count,
    types: Type.Array(WorkType),
  }),
});
export type TaskSnapshot = Static<typeof TaskSnapshot>;

/** A task with a page of its results, each file once for each type of work, in the order in which they ended. */
export const TaskDetail = Type.Object({
  ...TaskSnapshot.properties,
  /** Results there are, on all pages. */
  total_results: Count,
  offset: Count,
  limit: Count,
  results: Type.Array(FileResult),
});
export type TaskDetail = Static<typeof TaskDetail>;

export interface AnalysisReport {
  /** Some files were not finished because the run was told to stop. */
  readonly cancelled: boolean;
  readonly model_key: string | null;
  readonly counts: TaskCounts;
  readonly progress: TaskProgress;
}

/** What is told of a task: `start` each time it begins to run, what the analysis tells, and `end`, always last. */
export type TaskEvent =
  | { readonly type: 'start'; readonly files: number; readonly types: readonly WorkType[] }
  | AnalysisEvent
  | { readonly type: 'end'; readonly state: EndState; readonly error: TaskError | null };

/** Told as things happen, before whoever caused them goes on; it must not throw and must not block. */
export type TaskListener = (task_id: string, event: TaskEvent) => void;

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** What a task is asked for; `decode` left out is what the settings say. Paths that are named twice count once. */
export type TaskRequest = Omit<AnalysisRequest, 'decode' | 'speech'> & {
  readonly decode?: AnalysisRequest['decode'];
  readonly speech?: AnalysisRequest['speech'];
};

/** The tasks of this home folder. One runs at a time. */
export interface Tasks {
  /** Id of the task of this engine that runs or is stopping. */
  readonly running: string | null;
  /** One runs, is stopping or is about to start: from the call of `start` or `resume` on, not only from its answer. */
  readonly busy: boolean;
  /**
   * Answers when the task is recorded (*flushed*) and runs. A task that is running is asked to stop first; when it is
   * still unwinding after a short while: ANOTHER_TASK. Also NO_FILES, HOME_UNWRITABLE, STOPPING.
   */
  start(request: TaskRequest): Promise<{ readonly task_id: string }>;
  /** Asks the running task to stop. `stopped` false: it is still unwinding after a short while. */
  cancel(): Promise<{ readonly stopped: boolean; readonly task_id: string | null }>;
  /**
   * Runs a task that is not running again: same id, same request; what is stored already is not done again. Errors as
   * `start`, and TASK_UNKNOWN, TASK_RUNNING.
   */
  resume(task_id: string): Promise<{ readonly task_id: string }>;
  /** Newest first, those of other processes with the same home too. */
  list(): Promise<TaskSnapshot[]>;
  /** Throws TASK_UNKNOWN. */
  get(task_id: string, page: Page): Promise<TaskDetail>;
  /** Answers the function that ends the subscription. */
  subscribe(listener: TaskListener): () => void;
  /** No task is admitted any more; the running one is asked to stop and will be `interrupted`. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** What one media file is. */
export const MediaProperties = Type.Object({
  /** The visual analysis is stored. */
  video_cached: Type.Boolean(),
  /** The transcript is stored. */
  audio_cached: Type.Boolean(),
  /** Duration `HH:MM:SS`; null for stills and where the file does not say. */
  runtime: Type.Union([Type.String(), Type.Null()]),
  /** Frames per second; 0 for stills and sound, null where the file does not say. */
  fps: Type.Union([Type.Number(), Type.Null()]),
  media_path: Type.String(),
  /** Start timecode `HH:MM:SS:FF`. */
  timecode: Type.String(),
  hash_str: Type.String(),
  drop_frame: Type.Boolean(),
  /** Frames per second the timecode counts by. */
  timecode_rate: Type.Number(),
  kind: Type.Union([Type.Literal('video'), Type.Literal('audio'), Type.Literal('image')]),
  /** Size as shown, in px; 0 for sound. */
  width: Type.Integer(),
  height: Type.Integer(),
});
export type MediaProperties = Static<typeof MediaProperties>;

export const MediaPropertiesAnswer = Type.Object({
  /** By media path. */
  media_properties: Type.Record(Type.String(), MediaProperties),
  /** Why the files that are left out cannot be read, by media path. */
  unreadable: Type.Record(Type.String(), Type.String()),
});
export type MediaPropertiesAnswer = Static<typeof MediaPropertiesAnswer>;
