// What is counted of one run of a task, and how it stands. Pure but for the clock it is given.
import type {
  AnalysisRequest,
  FileResult,
  TaskCounts,
  TaskError,
  TaskProgress,
  TaskSnapshot,
  TaskState,
  WorkType,
} from '../contract.ts';

/** One piece of work of a task. */
export function workKey({ type, path }: Pick<FileResult, 'type' | 'path'>): string {
  return `${type}:${path}`;
}

/** Counts of files of which none has ended. */
export function noneDone(files: number): TaskCounts {
  return { files, done: 0, analyzed: 0, stored: 0, no_picture: 0, no_sound: 0, failed: 0, cancelled: 0 };
}

/** What is done in a task, in the order in which it is told. */
function typesOf({ paths, speech }: AnalysisRequest): WorkType[] {
  return [...(paths.length > 0 ? ['video' as const] : []), ...(speech.length > 0 ? ['speech' as const] : [])];
}

/** A task at the moment its first run begins; `now`: Unix seconds. */
export function newTask(task_id: string, request: AnalysisRequest, now: number): TaskSnapshot {
  const { cache_dir, model_key, decode, force, paths, speech } = request;
  const files = paths.length + speech.length;
  return {
    task_id,
    state: 'running',
    created: now,
    started: now,
    ended: null,
    counts: noneDone(files),
    progress: 0,
    frames: 0,
    grid_frames: 0,
    heard_seconds: 0,
    sound_seconds: 0,
    elapsed_seconds: 0,
    estimated_remaining_seconds: null,
    error: null,
    request: { cache_dir, model_key, decode, force, files, types: typesOf(request) },
  };
}

export interface Ledger {
  /** Answers the result that stands for the file, and whether it still has to be recorded. */
  result(result: FileResult): { readonly stands: FileResult; readonly fresh: boolean };
  progress(progress: TaskProgress): void;
  /** `ended`: Unix seconds. */
  snapshot(state: TaskState, ended?: number, error?: TaskError | null): TaskSnapshot;
}

/** `earlier`: results of earlier runs of the task by `workKey`; each is dropped when this run reaches the file. */
export function createLedger(
  first: TaskSnapshot,
  earlier: Map<string, FileResult> | null,
  now: () => number,
): Ledger {
  const began = now();
  const counts = { ...first.counts };
  let latest: TaskProgress | undefined;
  return {
    result: (result) => {
      const before = earlier?.get(workKey(result));
      earlier?.delete(workKey(result));
      const stands = before && saysTheSame(before, result) ? before : result;
      counts.done++;
      counts[stands.outcome]++;
      return { stands, fresh: stands !== before };
    },
    progress: (progress) => {
      latest = progress;
    },
    snapshot: (state, ended, error = null) => ({
      ...first,
      state,
      ended: ended ?? null,
      counts: { ...counts },
      progress: state === 'completed' ? 100 : (latest?.percentage ?? 0),
      frames: latest?.frames ?? 0,
      grid_frames: latest?.grid_frames ?? 0,
      heard_seconds: latest?.heard_seconds ?? 0,
      sound_seconds: latest?.sound_seconds ?? 0,
      elapsed_seconds: (now() - began) / 1000,
      estimated_remaining_seconds: state === 'running' && latest ? remaining(latest) : null,
      error,
    }),
  };
}

/** What this task had analysed itself is, for it, not "known before" when it is resumed. */
function saysTheSame(before: FileResult, now: FileResult): boolean {
  if (before.hash_str !== now.hash_str) return false;
  const resumed = before.outcome === 'analyzed' && now.outcome === 'stored';
  return resumed || (before.outcome === now.outcome && before.error?.message === now.error?.message);
}

/** A second of picture and a second of sound count the same. */
function remaining({ surveyed, elapsed_seconds, ...task }: TaskProgress): number | null {
  const done = task.frames + task.heard_seconds;
  const all = task.grid_frames + task.sound_seconds;
  if (!surveyed || done <= 0) return null;
  return (Math.max(0, all - done) * elapsed_seconds) / done;
}
