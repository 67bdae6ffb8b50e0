// A task as it is answered: its state, its counts and its results.
import { type Static, Type } from 'typebox';
import { described, field, Message, nullable } from '../../../runtime/schema.ts';
import {
  countsSchema,
  resultSchema,
  shownRequestSchema,
  TaskId,
  taskAmountSchemas,
  wordsOf,
} from '../schemas.ts';
import type { StageKind } from '../stages/kind.ts';
import { stageKinds } from '../stages/kinds.ts';

const Count = Type.Integer({ minimum: 0 });

/**
 * Result in the form that is recorded and answered: `outcome` is the reason if there is one, and each fact is
 * a field.
 */
export const FileResult = resultSchema(stageKinds);
export type FileResult = Static<typeof FileResult>;

export const endStates = [
  'completed',
  'cancelled',
  'failed',
  /** The engine ended while it ran or waited; it can be resumed. */
  'interrupted',
] as const;
export type EndState = (typeof endStates)[number];

export function isEnd(state: string): state is EndState {
  return (endStates as readonly string[]).includes(state);
}

export const TaskState = wordsOf([
  /** Accepted, and waits for its turn. */
  'queued',
  'running',
  /** Asked to stop, still unwinding. */
  'stopping',
  ...endStates,
] as const);
export type TaskState = Static<typeof TaskState>;

/** A person or a program at work, or a folder that is watched. */
export const TaskSource = wordsOf(['request', 'watch_folder'] as const);
export type TaskSource = Static<typeof TaskSource>;

/** `error`: the phrase of the row, `message`: which file or folder. */
export const TaskError = Type.Object({
  code: field('Code of the error. Codes do not change between versions.', Type.String()),
  error: field('A short phrase that says what went wrong.', Type.String()),
  message: Message,
});
export type TaskError = Static<typeof TaskError>;

/**
 * `done` is the sum of the ends the work on a file can have. A file with both types of work counts twice.
 * Jobs with a closing step are no files, and are counted apart.
 */
export const TaskCounts = countsSchema(stageKinds);
export type TaskCounts = Static<typeof TaskCounts>;

/** A task as it stands, of some kinds of work. Times are Unix seconds. */
export function taskSnapshot<K extends readonly StageKind[]>(kinds: K) {
  return Type.Object({
    task_id: TaskId,
    state: field(
      'State of the task. `interrupted`: the engine ended while the task was running; the task can be resumed. `stopping`: the task was asked to stop but has not stopped yet.',
      TaskState,
    ),
    created: field('When the task was requested, as a Unix time in seconds.', Type.Number()),
    /**
     * Start of the latest run; a resumed task starts again. While it is `queued`, the time of the request.
     */
    started: field('When the latest run started, as a Unix time in seconds.', Type.Number()),
    ended: field(
      'When the latest run ended, as a Unix time in seconds; null while it runs.',
      nullable(Type.Number()),
    ),
    counts: field(
      'Number of files by outcome. A file with two types of work counts twice. Jobs are counted separately.',
      countsSchema(kinds),
    ),
    progress: field('Progress of the task as a percentage.', Type.Number({ minimum: 0, maximum: 100 })),
    /** Completed and total amounts; totals grow while files are still being surveyed. */
    ...taskAmountSchemas(kinds),
    elapsed_seconds: field('Seconds since the latest run started.', Type.Number()),
    estimated_remaining_seconds: field(
      'Estimated number of seconds until the task ends; null while there is no estimate and when the task is not running.',
      nullable(Type.Number()),
    ),
    error: field('What went wrong; null if there is no error.', nullable(TaskError)),
    source: described(
      TaskSource,
      'Where the task came from. `request`: a person or a program; `watch_folder`: a watch folder.',
    ),
    queue_position: described(
      nullable(Type.Integer({ minimum: 1 })),
      'Position in the queue while the task is `queued`, 1 for the next task; otherwise null.',
    ),
    waits_for: described(
      nullable(Type.String()),
      'Id of the running task that this task is waiting for while it is `queued`; otherwise null.',
    ),
    request: field('The request of the task.', shownRequestSchema(kinds)),
  });
}

export const TaskSnapshot = taskSnapshot(stageKinds);
export type TaskSnapshot = Static<typeof TaskSnapshot>;

/** A task with a page of its results: a file once for each type of work, in the order they ended. */
export const TaskDetail = Type.Object({
  ...TaskSnapshot.properties,
  total_results: field('Total number of results on all pages.', Count),
  offset: field('Number of results before this page.', Count),
  limit: field('Maximum number of results on this page.', Count),
  results: field(
    'The results, in the order in which the work ended. Each file has one result for each type of work.',
    Type.Array(FileResult),
  ),
});
export type TaskDetail = Static<typeof TaskDetail>;
