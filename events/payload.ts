// What a task tells as the payloads that clients hear. A run is what is known of a task since it began to run. Pure.
import type {
  AnalysisEvent,
  EndState,
  FileProgress,
  FileResult,
  TaskError,
  TaskProgress,
  TaskSnapshot,
  WorkType,
} from '../actors/analysis/contract.ts';
import type { ProgressEvent } from './protocol.ts';

export interface Run {
  readonly task_id: string;
  readonly files: number;
  /** Percentage, 0 to 100. */
  readonly percentage: number;
  readonly task: TaskProgress | undefined;
  /** The file of each type that was worked on last. */
  readonly file: Readonly<Partial<Record<WorkType, FileProgress>>>;
  /** What was worked on last; before that, what the task does first. Its end is told as what it does first. */
  readonly latest: WorkType;
  readonly first: WorkType;
}

export function newRun(task_id: string, files: number, types: readonly WorkType[] = []): Run {
  const first = types[0] ?? 'video';
  return { task_id, files, percentage: 0, task: undefined, file: {}, latest: first, first };
}

export function advance(run: Run, event: AnalysisEvent): Run {
  if (event.type === 'file') {
    const { file } = event;
    return { ...run, file: { ...run.file, [file.type]: file }, latest: file.type };
  }
  if (event.type === 'result') return run;
  return { ...run, task: event.task, percentage: Math.max(run.percentage, event.task.percentage) };
}

/** The run as it stands, told to those who follow one type of work. */
export function stateOf(run: Run, type: WorkType): ProgressEvent {
  const file = run.file[type];
  if (!file) return { ...head(run, type), ...counts(run) };
  const { path, frames, grid_frames } = file;
  const of =
    type === 'video'
      ? { file_frames: frames, file_grid_frames: grid_frames }
      : { file_heard_seconds: seconds(frames), file_sound_seconds: seconds(grid_frames) };
  const file_progress = percent(frames, grid_frames);
  return { ...head(run, type), video_path: path, ...counts(run), file_progress, ...of };
}

/** One file that failed; the task goes on. */
export function failureOf(run: Run, result: FileResult): ProgressEvent {
  const { code, message } = result.error ?? { code: 'INTERNAL', message: `${result.path}: failed` };
  return {
    ...head(run, result.type),
    video_path: result.path,
    ...counts(run),
    error: message,
    error_code: code,
  };
}

export interface End {
  readonly state: EndState;
  readonly error: TaskError | null;
}

/** The run is over. */
export function endOf(run: Run, end: End): ProgressEvent {
  const progress = end.state === 'completed' ? 100 : shown(run.percentage);
  const { estimated_remaining_seconds: _, ...counted } = counts(run);
  return { ...head(run, run.first), progress, done: true, ...counted, ...reasonOf(run.task_id, end) };
}

/** The end of a task that ran before this process; undefined when it has not ended. */
export function recordOf(task: TaskSnapshot): ProgressEvent | undefined {
  const { task_id, state, error, counts, frames, grid_frames, heard_seconds, sound_seconds } = task;
  if (state === 'running' || state === 'stopping') return undefined;
  return {
    task_id,
    progress: state === 'completed' ? 100 : shown(task.progress),
    video_path: null,
    done: true,
    type: task.request.types[0] ?? 'video',
    files: counts.files,
    files_done: counts.done,
    frames,
    grid_frames,
    heard_seconds: seconds(heard_seconds),
    sound_seconds: seconds(sound_seconds),
    elapsed_seconds: task.elapsed_seconds,
    ...reasonOf(task_id, { state, error }),
  };
}

function head({ task_id, percentage }: Run, type: WorkType): ProgressEvent {
  return { task_id, progress: shown(percentage), video_path: null, done: false, type };
}

/** To the millisecond. */
function seconds(value: number): number {
  return Math.round(Math.max(0, value) * 1000) / 1000;
}

/** 100 is said by the end alone: what has been looked at may still have to be stored. */
function shown(percentage: number): number {
  return Math.max(0, Math.min(99.9, Math.floor(percentage * 10) / 10));
}

function counts({ files, task }: Run): Partial<ProgressEvent> {
  if (!task) return { files, files_done: 0 };
  const { files_done, frames, grid_frames, surveyed } = task;
  const heard_seconds = seconds(task.heard_seconds);
  const sound_seconds = seconds(task.sound_seconds);
  const elapsed_seconds = seconds(task.elapsed_seconds);
  const all = { files: task.files, files_done, frames, grid_frames, heard_seconds, sound_seconds };
  const known = { ...all, surveyed, elapsed_seconds };
  const done = frames + heard_seconds;
  const whole = grid_frames + sound_seconds;
  if (!surveyed || done === 0 || done >= whole) return known;
  const left = (task.elapsed_seconds * (whole - done)) / done;
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
