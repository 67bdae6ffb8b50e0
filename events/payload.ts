// Makes the payloads of `progress` events. A run is what is known of a task since it was started or resumed.
import type { AnalysisEvent, QueuePlace, WorkResult } from '../actors/analysis/contract.ts';
import type { ClosingProgress, FileProgress, TaskProgress } from '../actors/analysis/progress.ts';
import { amountFields, fileFields, kindOf, outcomeWord, rounded } from '../actors/analysis/result.ts';
import { measured, type StageKind } from '../actors/analysis/stages/kind.ts';
import {
  type EndState,
  isEnd,
  type TaskError,
  type TaskSnapshot,
} from '../actors/analysis/tasks/contract.ts';
import { type EndedFile, type EventType, type ProgressEvent, percentageOf } from './protocol.ts';

export interface AnnouncedTask {
  readonly kinds: readonly StageKind[];
  readonly task_id: string;
  readonly files: number;
  readonly jobs: number;
  /** Percentage, 0 to 100. */
  readonly percentage: number;
  readonly task: TaskProgress | undefined;
  /** The file of each type that was worked on last. */
  readonly file: Readonly<Record<string, FileProgress>>;
  /** The closing step of each type that is under way. */
  readonly closing: Readonly<Record<string, ClosingProgress | undefined>>;
  /** Where the task waits for its turn; null when it does not. */
  readonly standing: QueuePlace | null;
  /** The type that was worked on last; at the beginning, the first. */
  readonly latest: string;
  /** The type that the task works on first; its end is an event of this type. */
  readonly first: string;
}

export function newRun(
  kinds: readonly StageKind[],
  task_id: string,
  files: number,
  types: readonly string[] = [],
  jobs = 0,
): AnnouncedTask {
  const first = types[0] ?? kinds[0]?.type ?? '';
  return {
    kinds,
    task_id,
    files,
    jobs,
    percentage: 0,
    task: undefined,
    file: {},
    closing: {},
    standing: null,
    latest: first,
    first,
  };
}

export function advance(run: AnnouncedTask, event: AnalysisEvent): AnnouncedTask {
  if (event.type === 'file') {
    const { file } = event;
    const closing = { ...run.closing, [file.type]: undefined };
    return { ...run, file: { ...run.file, [file.type]: file }, closing, latest: file.type };
  }
  if (event.type === 'closing') {
    const { closing } = event;
    return { ...run, closing: { ...run.closing, [closing.type]: closing }, latest: closing.type };
  }
  if (event.type === 'result') {
    const { type, closing } = event.result;
    return closing ? { ...run, closing: { ...run.closing, [type]: undefined } } : run;
  }
  return { ...run, task: event.task, percentage: Math.max(run.percentage, event.task.percentage) };
}

/** The state of the run, as an event of one type of work. */
export function stateOf(run: AnnouncedTask, type: string): ProgressEvent {
  const [file, closing] = [run.file[type], run.closing[type]];
  const underWay =
    closing &&
    kindOf(run.kinds, type).closing?.underWay(closing.name, closing.percentage, closing.detail ?? {});
  if (underWay) return { ...head(run, type), ...underWay, ...counts(run) };
  if (!file) return { ...head(run, type), ...standingOf(run), ...counts(run) };
  const { path, percentage, step } = file;
  const amounts = { ...counts(run), file_progress: percentage, ...fileFields(run.kinds, file) };
  const fields = step && kindOf(run.kinds, type).eventFields?.underWay(step.step, step.part);
  return { ...head(run, type), video_path: path, ...fields, ...amounts };
}

/** One file that failed; the task goes on. */
export function failureOf(run: AnnouncedTask, result: WorkResult): ProgressEvent {
  const { code, message } = result.error ?? { code: 'INTERNAL', message: `${result.path}: failed` };
  if (hasOwnEnd(run, result)) return { ...closedOf(run, result), error: message, error_code: code };
  return {
    ...head(run, result.type),
    video_path: result.path,
    ...counts(run),
    ended_files: [endedFile(result)],
    ...kindOf(run.kinds, result.type).eventFields?.failed(message),
    error: message,
    error_code: code,
  };
}

/** Its end is an event of its own. */
export function hasOwnEnd({ kinds }: AnnouncedTask, { type, closing }: WorkResult): boolean {
  return closing === true && kindOf(kinds, type).closing !== undefined;
}

/** The closing step of a job that has ended. */
export function closedOf(run: AnnouncedTask, { type, path, facts }: WorkResult): ProgressEvent {
  return { ...head(run, type), ...kindOf(run.kinds, type).closing?.ended(path, facts), ...counts(run) };
}

/** Files whose work of one type has ended; at least one. */
export function endingsOf(run: AnnouncedTask, results: readonly WorkResult[]): ProgressEvent {
  const [first] = results;
  const warning = warningOf(run.kinds, results);
  return {
    ...head(run, first?.type ?? run.first),
    video_path: first?.path ?? null,
    ...counts(run),
    ended_files: results.map(endedFile),
    ...(warning !== undefined && { warning }),
  };
}

function endedFile(result: WorkResult): EndedFile {
  return { video_path: result.path, outcome: outcomeWord(result) as EndedFile['outcome'] };
}

const MOST_NAMES = 5;

/**
 * Names the files that hold nothing of what was asked for, sound among the pictures, and those with a
 * warning.
 */
function warningOf(kinds: readonly StageKind[], results: readonly WorkResult[]): string | undefined {
  const said = Map.groupBy(results, (result) => saidOf(kindOf(kinds, result.type), result));
  said.delete(undefined);
  const warnings = [...said].map(([what, files]) => {
    const names = files.slice(0, MOST_NAMES).map(({ path }) => path);
    const more = files.length > MOST_NAMES ? ` and ${files.length - MOST_NAMES} more` : '';
    return `${names.join(', ')}${more}: ${what}`;
  });
  return warnings.length > 0 ? warnings.join('; ') : undefined;
}

function saidOf({ labels }: StageKind, { outcome, facts, warning }: WorkResult): string | undefined {
  const said = outcome === 'not_applicable' ? labels.nothing : labels.warning?.(facts);
  return [said, warning].filter((text) => text !== undefined).join('; ') || undefined;
}

export interface End {
  readonly state: EndState;
  readonly error: TaskError | null;
}

/** The run is over. */
export function endOf(run: AnnouncedTask, end: End): ProgressEvent {
  const progress = end.state === 'completed' ? 100 : shown(run.percentage);
  const { estimated_remaining_seconds: _, ...counted } = counts(run);
  const ended = { ...head(run, run.first), progress: written(run.kinds, run.first, progress), done: true };
  return { ...ended, ...counted, ...reasonOf(run.task_id, end) };
}

/** The end of a task that ran before this process; undefined when it has not ended. */
export function recordOf(kinds: readonly StageKind[], task: TaskSnapshot): ProgressEvent | undefined {
  const { task_id, state, error, counts } = task;
  if (!isEnd(state)) return undefined;
  const values: Readonly<Record<string, unknown>> = task;
  const amounts = measured(kinds).map(({ type, unit }) => {
    return [type, { done: Number(values[unit.done] ?? 0), all: Number(values[unit.all] ?? 0) }] as const;
  });
  const type = task.request.types[0] ?? (kinds[0]?.type as EventType);
  return {
    task_id,
    progress: written(kinds, type, state === 'completed' ? 100 : shown(task.progress)),
    video_path: null,
    done: true,
    type,
    files: counts.files,
    files_done: counts.done,
    ...jobFields(counts.jobs, counts.jobs_done),
    ...amountFields(kinds, Object.fromEntries(amounts)),
    elapsed_seconds: task.elapsed_seconds,
    ...reasonOf(task_id, { state, error }),
  };
}

function standingOf({ standing }: AnnouncedTask): Partial<ProgressEvent> {
  if (!standing) return {};
  const { queue_position, waits_for } = standing;
  return waits_for === null ? { queue_position } : { queue_position, waits_for };
}

function head({ kinds, task_id, percentage }: AnnouncedTask, type: string): ProgressEvent {
  const progress = written(kinds, type, shown(percentage));
  return { task_id, progress, video_path: null, done: false, type: type as EventType };
}

/** The same event, which tells no less than `least` percent. */
export function atLeast(kinds: readonly StageKind[], event: ProgressEvent, least: number): ProgressEvent {
  return percentageOf(event) >= least ? event : { ...event, progress: written(kinds, event.type, least) };
}

/** Some kinds of work write the percentage as a text. */
function written(kinds: readonly StageKind[], type: string, percentage: number): number | string {
  const isText = kinds.find((kind) => kind.type === type)?.eventFields?.percentage === 'text';
  return isText ? percentage.toFixed(1) : percentage;
}

/** Only the end of a completed task says 100: before it, results may still have to be stored. */
export function shown(percentage: number): number {
  return Math.max(0, Math.min(99.9, Math.floor(percentage * 10) / 10));
}

/** A task without jobs says nothing of them. */
function jobFields(jobs: number, jobs_done: number): Partial<ProgressEvent> {
  return jobs > 0 ? { jobs, jobs_done } : {};
}

function counts({ kinds, files, jobs, task }: AnnouncedTask): Partial<ProgressEvent> {
  if (!task) return { files, files_done: 0, ...jobFields(jobs, 0) };
  const amounts = {
    files: task.files,
    files_done: task.files_done,
    ...jobFields(task.jobs, task.jobs_done),
    ...amountFields(kinds, task.stages),
    surveyed: task.surveyed,
    elapsed_seconds: rounded(task.elapsed_seconds),
  };
  const seconds = task.estimated_remaining_seconds;
  return seconds === null || seconds <= 0
    ? amounts
    : { ...amounts, estimated_remaining_seconds: Math.ceil(seconds) };
}

function reasonOf(task_id: string, { state, error }: End): Partial<ProgressEvent> {
  if (state === 'completed') return {};
  if (state === 'cancelled') return { cancelled: true };
  if (state === 'failed') return reason(error ?? { code: 'INTERNAL', message: 'The task failed' });
  const resume = `POST /api/v1/tasks/${encodeURIComponent(task_id)}/resume`;
  const message = `The task was interrupted because the engine ended; ${resume} continues with the rest`;
  return { interrupted: true, ...reason({ code: 'INTERRUPTED', message }) };
}

function reason({ code, message }: Pick<TaskError, 'code' | 'message'>): Partial<ProgressEvent> {
  return { error: message, error_code: code };
}
