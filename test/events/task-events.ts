// Events of tasks, as tests need them.
import type { FileResult, TaskEvent, TaskProgress } from '../../actors/analysis/contract.ts';

export function progress(percentage: number, more: Partial<TaskProgress> = {}): TaskEvent {
  const task = { files: 4, files_done: 1, surveyed: true, percentage, frames: 30, grid_frames: 120 };
  const sound = { heard_seconds: 0, sound_seconds: 0 };
  return { type: 'task', task: { ...task, ...sound, media_seconds: 30, elapsed_seconds: 3, ...more } };
}

export function failure(path: string): TaskEvent {
  const result: FileResult = {
    path,
    type: 'video',
    hash_str: null,
    outcome: 'failed',
    frames: 0,
    missing_frames: 0,
    duration_seconds: 0,
    speech: null,
    error: { code: 'UNREADABLE', message: `${path}: cannot be read` },
  };
  return { type: 'result', result };
}
