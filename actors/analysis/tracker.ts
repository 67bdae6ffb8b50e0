// Keeps the counts of a running task and turns them into events.
import { toFields } from '../../runtime/errors.ts';
import type { MediaRecord } from '../index/contract.ts';
import type { AnalysisEvent, FileOutcome, FileResult, TaskProgress } from './contract.ts';

export interface Tracker {
  /** The file's grid is known and will be looked at. */
  toLookAt(media: MediaRecord): void;
  surveyed(): void;
  /** Frames of a file that are stored but not yet committed; negative when they were given up. */
  frames(media: MediaRecord, count: number): void;
  result(path: string, outcome: FileOutcome, media?: MediaRecord, frames?: number): void;
  failure(path: string, error: unknown, media?: MediaRecord): void;
  readonly results: readonly FileResult[];
  progress(): TaskProgress;
}

/** `now`: ms that only go forward. */
export function createTracker(
  files: number,
  now: () => number,
  emit: (event: AnalysisEvent) => void,
): Tracker {
  const started = now();
  const results: FileResult[] = [];
  const seen = new Map<string, number>();
  let grid = 0;
  let frames = 0;
  let surveyed = false;

  const progress = (): TaskProgress => ({
    files,
    files_done: results.length,
    surveyed,
    frames,
    grid_frames: grid,
    media_seconds: frames,
    elapsed_seconds: (now() - started) / 1000,
  });
  const tell = () => emit({ type: 'task', task: progress() });
  const end = (result: FileResult) => {
    results.push(result);
    seen.delete(result.path);
    emit({ type: 'result', result });
    tell();
  };
  return {
    toLookAt: (media) => {
      grid += media.probe.grid_frames;
      seen.set(media.path, 0);
      tell();
    },
    surveyed: () => {
      surveyed = true;
      tell();
    },
    frames: (media, count) => {
      frames += count;
      const of = (seen.get(media.path) ?? 0) + count;
      seen.set(media.path, of);
      emit({ type: 'file', file: { path: media.path, frames: of, grid_frames: media.probe.grid_frames } });
      tell();
    },
    result: (path, outcome, media, of = 0) => {
      // Another path with the same content was looked at meanwhile: there is nothing left to do for this one.
      if (outcome === 'stored' && media && seen.has(path)) grid -= media.probe.grid_frames;
      end({
        path,
        hash_str: media?.identity.hash_str ?? null,
        outcome,
        frames: of,
        missing_frames: outcome === 'analyzed' ? (media?.probe.grid_frames ?? 0) - of : 0,
        duration_seconds: media?.probe.duration_seconds ?? 0,
        error: null,
      });
    },
    failure: (path, error, media) => {
      const { code, message } = toFields(error);
      // What was looked at of this file is gone: it counts neither as done nor as left.
      const lost = seen.get(path);
      if (media && lost !== undefined) {
        frames -= lost;
        grid -= media.probe.grid_frames;
      }
      end({
        path,
        hash_str: media?.identity.hash_str ?? null,
        outcome: code === 'CANCELLED' ? 'cancelled' : 'failed',
        frames: 0,
        missing_frames: 0,
        duration_seconds: media?.probe.duration_seconds ?? 0,
        error: { code, message },
      });
    },
    results,
    progress,
  };
}
