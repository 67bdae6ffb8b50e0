// Tasks whose events and records are made by a test.
import {
  analysisErrors,
  type TaskEvent,
  type TaskListener,
  type Tasks,
} from '../../actors/analysis/contract.ts';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { SavedSearches } from '../../events/searches/contract.ts';

export function detailOf(task_id: string, more: Partial<TaskDetail> = {}): TaskDetail {
  return {
    task_id,
    state: 'completed',
    created: 1,
    started: 1,
    ended: 2,
    counts: {
      files: 3,
      done: 2,
      analyzed: 2,
      stored: 0,
      no_picture: 0,
      nothing_to_read: 0,
      nothing_to_summarize: 0,
      no_sound: 0,
      no_frames: 0,
      no_visible_things: 0,
      nothing_to_hear: 0,
      failed: 0,
      cancelled: 0,
      jobs: 0,
      jobs_done: 0,
      jobs_failed: 0,
      jobs_cancelled: 0,
    },
    progress: 40,
    frames: 30,
    grid_frames: 90,
    heard_seconds: 0,
    listened_seconds: 0,
    listening_seconds: 0,
    face_frames: 0,
    text_frames: 0,
    face_grid_frames: 0,
    text_grid_frames: 0,
    thing_frames: 0,
    thing_grid_frames: 0,
    sound_seconds: 0,
    summarized_seconds: 0,
    summary_seconds: 0,
    elapsed_seconds: 1,
    estimated_remaining_seconds: null,
    error: null,
    source: 'request',
    queue_position: null,
    waits_for: null,
    request: { cache_dir: '/c', model_key: 'm', decode: 'exact', force: false, files: 3, types: ['video'] },
    total_results: 2,
    offset: 0,
    limit: 1,
    results: [],
    ...more,
  };
}

export interface FakeTasks extends Pick<Tasks, 'subscribe' | 'get'> {
  emit(task_id: string, event: TaskEvent): void;
  /** Records by id; an error is thrown. Others run, but for those called unknown. */
  readonly records: Map<string, TaskDetail | Error>;
  readonly listeners: number;
}

export function fakeTasks(): FakeTasks {
  const listeners = new Set<TaskListener>();
  const records = new Map<string, TaskDetail | Error>();
  return {
    records,
    get listeners() {
      return listeners.size;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get: async (task_id) => {
      const isUnknown = task_id.startsWith('unknown');
      const other = isUnknown
        ? analysisErrors.TASK_UNKNOWN(task_id)
        : detailOf(task_id, { state: 'running' });
      const record = records.get(task_id) ?? other;
      if (record instanceof Error) throw record;
      return record;
    },
    emit: (task_id, event) => {
      for (const listener of listeners) listener(task_id, event);
    },
  };
}

export const noSearches: Pick<SavedSearches, 'has' | 'subscribe' | 'onFound'> = {
  has: () => false,
  subscribe: () => () => {},
  onFound: () => () => {},
};
