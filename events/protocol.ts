// The events between the server and its clients: one map, shared by the server, the command line and the web
// page. A client emits `join` with a task id and receives `progress` until an event is `done`.
import { type Static, type TOptional, type TProperties, Type } from 'typebox';
import { Check } from 'typebox/value';
import {
  amountSchemas,
  fileAmountSchemas,
  outcomeWords,
  taskIdMeaning,
  wordsOf,
} from '../actors/analysis/schemas.ts';
import { SampleFaceNaming } from '../actors/analysis/stages/faces/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { LiveText } from '../runtime/live-text.ts';
import { field } from '../runtime/schema.ts';
import type { SearchHit } from './searches/contract.ts';

/** Where the event server listens, on the host and port of the API: the default of Socket.IO's clients. */
export const EVENT_PATH = '/socket.io';

/**
 * `video` is visual analysis, `speech` transcription, `faces` finding and clustering faces, `summary` making
 * summaries, `clips` cutting clips, `pull` downloading models, `proxy` making a proxy. The end of a task that
 * does several is of the first of them.
 */
export const EventType = wordsOf(stageKinds.map(({ type }) => type));
export type EventType = Static<typeof EventType>;

/** A file whose work has ended, and how. */
export const EndedFile = Type.Object({
  video_path: field('Absolute path of the film or still.', Type.String()),
  outcome: field(
    'How the work on the file ended. `stored`: it had already been analysed.',
    wordsOf(outcomeWords(stageKinds)),
  ),
});
export type EndedFile = Static<typeof EndedFile>;

const Count = Type.Integer({ minimum: 0 });

function optional<P extends TProperties>(properties: P): { [K in keyof P]: TOptional<P[K]> } {
  const fields = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(fields) as { [K in keyof P]: TOptional<P[K]> };
}

/**
 * State of a task; or files that have ended, in `ended_files`. One that failed has an event of its own: then
 * `video_path` and `error` are there and `done` is false.
 */
export const ProgressEvent = Type.Object({
  task_id: Type.String(),
  /**
   * Percentage of the whole task, 0 to 100, never less than before; summary events write it as a decimal
   * string.
   */
  progress: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.String()]),
  /** The file that is being worked on, the one that failed, or the first of `ended_files`. */
  video_path: Type.Union([Type.String(), Type.Null()]),
  /** True when the task has ended, however it did; no event of this run follows. */
  done: Type.Boolean(),
  type: EventType,

  /** Position of a waiting task in its queue, 1 for the next one, and the id of the task that runs there. */
  queue_position: Type.Optional(Type.Integer({ minimum: 1 })),
  waits_for: Type.Optional(Type.String()),

  /** The clustering of a job: under way, or ended, and then `cluster_media_hashes` are there. */
  is_cluster_job: Type.Optional(Type.Boolean()),
  cluster_job_name: Type.Optional(Type.String()),
  /** How much of the clustering is done, percentage. */
  cluster_progress: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  cluster_media_hashes: Type.Optional(Type.Array(Type.String())),
  sample_face_naming: Type.Optional(SampleFaceNaming),

  summary_stage: Type.Optional(
    Type.Union([
      Type.Literal('loading_model'),
      Type.Literal('preparing_evidence'),
      Type.Literal('generating_observations'),
      Type.Literal('generating_summary'),
      Type.Literal('generating_short_summary'),
    ]),
  ),
  summary_node_id: Type.Optional(Type.String()),
  summary_error: Type.Optional(Type.String()),

  /** The model that is downloaded, the file of it that is, and how much of the whole model is there. */
  pull_model_key: Type.Optional(Type.String()),
  pull_file: Type.Optional(Type.String()),
  pull_phase: Type.Optional(wordsOf(['checking', 'connecting', 'receiving', 'waiting'])),
  received_bytes: Type.Optional(Count),
  total_bytes: Type.Optional(Count),

  /** Every file that was not cancelled is in one event. */
  ended_files: Type.Optional(Type.Array(EndedFile, { minItems: 1 })),
  /** Remark about `ended_files` for a person, for example that there was nothing to analyse. */
  warning: Type.Optional(Type.String()),

  /** Why the file failed, or with `done` why the task did. */
  error: Type.Optional(Type.String()),
  /** The same as a word that does not change: `UNREADABLE`. */
  error_code: Type.Optional(Type.String()),
  /** With `done`: the task was cancelled. */
  cancelled: Type.Optional(Type.Boolean()),
  /** With `done`: the engine ended while the task ran; the task can be resumed. */
  interrupted: Type.Optional(Type.Boolean()),

  /** Files of the task, one with both types of work twice, and how many of them have a result. */
  files: Type.Optional(Count),
  files_done: Type.Optional(Count),
  /**
   * Jobs of faces, each clustered when its files have ended, clips, or models; and how many have a result.
   * Left out without any.
   */
  jobs: Type.Optional(Count),
  jobs_done: Type.Optional(Count),
  /** Completed and total amounts for each kind of work; totals grow while files are being surveyed. */
  ...optional(amountSchemas(stageKinds)),
  /** True if the amount of work in every file is known. */
  surveyed: Type.Optional(Type.Boolean()),
  /** Percentage of `video_path`, and its amounts. */
  file_progress: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  ...optional(fileAmountSchemas(stageKinds)),
  elapsed_seconds: Type.Optional(Type.Number({ minimum: 0 })),
  /** Left out while it cannot be estimated. */
  estimated_remaining_seconds: Type.Optional(Type.Number({ minimum: 0 })),
});
export type ProgressEvent = Static<typeof ProgressEvent>;

/** Longest task id that is taken, characters. */
export const LONGEST_ID = 200;

const TaskId = Type.String({ minLength: 1, maxLength: LONGEST_ID });
/** Argument of `join` and `leave`: a task, or a saved search. */
export const RoomArgument = Type.Union([
  TaskId,
  Type.Object({ task_id: field(taskIdMeaning, TaskId) }),
  Type.Object({ search_id: field('Id of a saved search.', TaskId) }),
]);
export type RoomArgument = Static<typeof RoomArgument>;

export type JoinAnswer =
  | { readonly joined: true }
  /** `error`: a short phrase that names what is wrong. */
  | { readonly joined: false; readonly error: string };
export interface LeaveAnswer {
  readonly left: boolean;
  readonly error?: string;
}

/** Events from clients. The acknowledgement may be left out. */
export interface ClientEvents {
  /**
   * Refused for a task or a search that is not recorded. For a task it is followed by the failures of files
   * so far and the last event of every type, then by all that follow.
   */
  join(room: RoomArgument, answer?: (answer: JoinAnswer) => void): void;
  leave(room: RoomArgument, answer?: (answer: LeaveAnswer) => void): void;
}

export interface ServerEvents {
  progress(event: ProgressEvent): void;
  /** To those who joined the saved search. */
  search_hit(hit: SearchHit): void;
}

export const serverEvents = ['progress', 'search_hit'] as const satisfies (keyof ServerEvents)[];

/** One of the two, or none. */
export interface RoomNames {
  readonly task_id?: string;
  readonly search_id?: string;
}

/** The id in whatever a client sent; none when it is wrong. */
export function roomIn(argument: unknown): RoomNames {
  if (!Check(RoomArgument, argument)) return {};
  return typeof argument === 'string' ? { task_id: argument } : argument;
}

/** Percentage of an event as a number, whichever way it was written. */
export function percentageOf({ progress }: Pick<ProgressEvent, 'progress'>): number {
  const number = Number(progress);
  return Number.isFinite(number) ? Math.min(100, Math.max(0, number)) : 0;
}

// The same events for clients without Socket.IO.

interface StreamRequest {
  /** Only events of these tasks and saved searches; of all when there is none of both. */
  readonly task_ids: readonly string[];
  readonly search_ids: readonly string[];
  /** Only events of this name. */
  readonly event?: keyof ServerEvents | undefined;
  /** Id of the last event that the client received; empty for none. */
  readonly lastEventId: string;
}

export interface EventStreams {
  /**
   * The events as text. Tasks that are named begin with their state, as after a join. TASK_UNKNOWN,
   * SEARCH_UNKNOWN.
   */
  stream(request: StreamRequest): Promise<LiveText>;
}
