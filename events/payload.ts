// What a task tells as the payloads that clients hear. A run is what is known of a task since it began to run. Pure.
import type {
  AnalysisEvent,
  EndState,
  FileProgress,
  FileResult,
  TaskError,
  TaskProgress,
  TaskSnapshot,
} from '../actors/analysis/contract.ts';
import type { ProgressEvent } from './protocol.ts';

export interface Run {
  readonly task_id: string;
  readonly files: number;
  /** Percentage, 0 to 100. */
  readonly percentage: number;
  readonly task: TaskProgress | undefined;
  /** The file that was worked on last. */
  readonly file: FileProgress | undefined;
}

export function newRun(task_id: string, files: number): Run {
  return { task_id, files, percentage: 0, task: undefined, file: undefined };
}

export function advance(run: Run, event: AnalysisEvent): Run {
  if (event.type === 'file') return { ...run, file: event.file };
  if (event.type === 'result') return run;
  return { ...run, task: event.task, percentage: Math.max(run.percentage, event.task.percentage) };
}

/** The run as it stands. */
export function stateOf(run: Run): ProgressEvent {
  const { file } = run;
  if (!file) return { ...head(run), ...counts(run) };
  const { path, frames, grid_frames } = file;
  const of = {
    file_progress: percent(frames, grid_frames),
    file_frames: frames,
    file_grid_frames: grid_frames,
  };
  return { ...head(run), video_path: path, ...counts(run), ...of };
}

/** One file that failed; the task goes on. */
export function failureOf(run: Run, result: FileResult): ProgressEvent {
  const { code, message } = result.error ?? { code: 'INTERNAL', message: `${result.path}: failed` };
  return { ...head(run), video_path: result.path, ...counts(run), error: message, error_code: code };
}

export interface End {
  readonly state: EndState;
  readonly error: TaskError | null;
}

/** The run is over. */
export function endOf(run: Run, end: End): ProgressEvent {
  const progress = end.state === 'completed' ? 100 : shown(run.percentage);
  const { estimated_remaining_seconds: _, ...counted } = counts(run);
  return { ...head(run), progress, done: true, ...counted, ...reasonOf(run.task_id, end) };
}

/** The end of a task that ran before this process; undefined when it has not ended. */
export function recordOf(task: TaskSnapshot): ProgressEvent | undefined {
  const { task_id, state, error, counts, frames, grid_frames, elapsed_seconds } = task;
  if (state === 'running' || state === 'stopping') return undefined;
  return {
    task_id,
    progress: state === 'completed' ? 100 : shown(task.progress),
    video_path: null,
    done: true,
    type: 'video',
    files: counts.files,
    files_done: counts.done,
    frames,
    grid_frames,
    elapsed_seconds,
    ...reasonOf(task_id, { state, error }),
  };
}

function head({ task_id, percentage }: Run): ProgressEvent {
  return { task_id, progress: shown(percentage), video_path: null, done: false, type: 'video' };
}

/** 100 is said by the end alone: what has been looked at may still have to be stored. */
function shown(percentage: number): number {
  return Math.max(0, Math.min(99.9, Math.floor(percentage * 10) / 10));
}

function counts({ files, task }: Run): Partial<ProgressEvent> {
  if (!task) return { files, files_done: 0 };
  const { files_done, frames, grid_frames, surveyed } = task;
  const elapsed_seconds = Math.round(task.elapsed_seconds * 1000) / 1000;
  const known = { files: task.files, files_done, frames, grid_frames, surveyed, elapsed_seconds };
  if (!surveyed || frames === 0 || frames >= grid_frames) return known;
  const left = (task.elapsed_seconds * (grid_frames - frames)) / frames;
  return { ...known, estimated_remaining_seconds: Math.ceil(left) };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.max(0, Math.min(100, Math.floor((100 * part) / whole)));
}

function reasonOf(task_id: string, { state, error }: End): Partial<ProgressEvent> {
  if (state === 'completed') return {};
  if (state === 'cancelled') return { cancelled: true };
  if (state === 'failed') return reason(error ?? { code: 'INTERNAL', message: 'The task failed' });
  const resume = `POST /api/v1/tasks/${encodeURIComponent(task_id)}/resume`;
  const message = `The task was interrupted because the engine ended; ${resume} goes on with what is missing`;
  return { interrupted: true, ...reason({ code: 'INTERRUPTED', message }) };
}

function reason({ code, message }: Pick<TaskError, 'code' | 'message'>): Partial<ProgressEvent> {
  return { error: message, error_code: code };
}
