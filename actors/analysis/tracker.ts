// Keeps the counts of a running task and turns them into events.
import { toFields } from '../../runtime/errors.ts';
import type { MediaRecord } from '../index/contract.ts';
import type { AnalysisEvent, FileOutcome, FileResult, TaskCounts, TaskProgress } from './contract.ts';
import { noneDone } from './ledger.ts';

export interface Tracker {
  /** The file's grid is known and will be looked at. */
  toLookAt(media: MediaRecord): void;
  surveyed(): void;
  /** Frames of a file that are stored but not yet committed; negative when they were given up. */
  frames(media: MediaRecord, count: number): void;
  result(path: string, outcome: FileOutcome, media?: MediaRecord, frames?: number): void;
  failure(path: string, error: unknown, media?: MediaRecord): void;
  readonly counts: TaskCounts;
  progress(): TaskProgress;
}

/** `now`: ms that only go forward. */
export function createTracker(
  files: number,
  now: () => number,
  emit: (event: AnalysisEvent) => void,
): Tracker {
  const started = now();
  const counts = noneDone(files);
  const seen = new Map<string, number>();
  let grid = 0;
  let frames = 0;
  let surveyed = false;
  /** Files whose length is known, and the grid frames of those that need not be looked at. */
  let known = 0;
  let before = 0;
  let percentage = 0;

  const share = (): number => {
    const all = before + grid;
    const done = all > 0 ? (before + frames) / all : known > 0 ? counts.done / known : 0;
    // Frames that are looked at may still have to be committed.
    const most = counts.done === files ? 100 : 99;
    return Math.min(most, 100 * done * (surveyed ? 1 : known / files));
  };
  const progress = (): TaskProgress => ({
    files,
    files_done: counts.done,
    surveyed,
    percentage,
    frames,
    grid_frames: grid,
    media_seconds: frames,
    elapsed_seconds: (now() - started) / 1000,
  });
  const tell = () => {
    // What a task that was told to stop leaves undone is not done.
    if (counts.cancelled === 0) percentage = Math.max(percentage, share());
    emit({ type: 'task', task: progress() });
  };
  const end = (result: FileResult) => {
    if (!seen.has(result.path)) known++;
    counts.done++;
    counts[result.outcome]++;
    seen.delete(result.path);
    emit({ type: 'result', result });
    tell();
  };
  return {
    toLookAt: (media) => {
      grid += media.probe.grid_frames;
      seen.set(media.path, 0);
      known++;
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
      if (outcome === 'stored' && media) before += media.probe.grid_frames;
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
      const outcome = code === 'CANCELLED' ? 'cancelled' : 'failed';
      // What was looked at of this file is gone. One that failed is not left either; one that was cancelled is.
      const lost = seen.get(path);
      if (media && lost !== undefined) {
        frames -= lost;
        if (outcome === 'failed') grid -= media.probe.grid_frames;
      }
      end({
        path,
        hash_str: media?.identity.hash_str ?? null,
        outcome,
        frames: 0,
        missing_frames: 0,
        duration_seconds: media?.probe.duration_seconds ?? 0,
        error: { code, message },
      });
    },
    counts,
    progress,
  };
}
