// Keeps the counts of a running task and turns them into events.
import { toFields } from '../../runtime/errors.ts';
import type { MediaRecord } from '../index/store/contract.ts';
import type {
  AnalysisEvent,
  FileOutcome,
  FileResult,
  SpeechFacts,
  TaskCounts,
  TaskProgress,
  WorkType,
} from './contract.ts';
import { noneDone } from './tasks/ledger.ts';

/** What is told of the work of one type: looking or listening. */
export interface WorkTracker {
  /** The file is known and there is work on it: grid frames to look at, or seconds to listen to. */
  toDo(media: MediaRecord): void;
  surveyed(): void;
  /** Frames or seconds of a file that are done but not yet committed; negative when they were given up. */
  worked(media: MediaRecord, amount: number): void;
  /** `done`: frames or seconds. */
  result(
    path: string,
    outcome: FileOutcome,
    media?: MediaRecord,
    done?: number,
    speech?: SpeechFacts | null,
  ): void;
  failure(path: string, error: unknown, media?: MediaRecord): void;
}

export interface Tracker {
  readonly video: WorkTracker;
  readonly speech: WorkTracker;
  readonly counts: TaskCounts;
  progress(): TaskProgress;
}

/** Frames and seconds of one type of work. */
interface Amount {
  /** Pieces of work, and those whose length is known. */
  readonly files: number;
  known: number;
  surveyed: boolean;
  all: number;
  done: number;
  /** Of those that need not be done. */
  before: number;
}

/** `files`: pieces of work of each type. `now`: ms that only go forward. */
export function createTracker(
  files: Readonly<Record<WorkType, number>>,
  now: () => number,
  emit: (event: AnalysisEvent) => void,
): Tracker {
  const started = now();
  const counts = noneDone(files.video + files.speech);
  const amount = (of: number): Amount => ({
    files: of,
    known: 0,
    surveyed: of === 0,
    all: 0,
    done: 0,
    before: 0,
  });
  const video = amount(files.video);
  const speech = amount(files.speech);
  let percentage = 0;

  const share = (): number => {
    // A second of picture and a second of sound count the same.
    const before = video.before + speech.before;
    const all = before + video.all + speech.all;
    const known = video.known + speech.known;
    const done = all > 0 ? (before + video.done + speech.done) / all : known > 0 ? counts.done / known : 0;
    // What was looked at may still have to be committed.
    const most = counts.done === counts.files ? 100 : 99;
    return Math.min(most, 100 * done * (video.surveyed && speech.surveyed ? 1 : known / counts.files));
  };
  const progress = (): TaskProgress => ({
    files: counts.files,
    files_done: counts.done,
    surveyed: video.surveyed && speech.surveyed,
    percentage,
    frames: video.done,
    grid_frames: video.all,
    heard_seconds: speech.done,
    sound_seconds: speech.all,
    media_seconds: video.done + speech.done,
    elapsed_seconds: (now() - started) / 1000,
  });
  const tell = () => {
    // What a task that was told to stop leaves undone is not done.
    if (counts.cancelled === 0) percentage = Math.max(percentage, share());
    emit({ type: 'task', task: progress() });
  };
  const end = (result: FileResult) => {
    counts.done++;
    counts[result.outcome]++;
    emit({ type: 'result', result });
    tell();
  };
  const work = (type: WorkType, sum: Amount) => createWork(type, sum, { emit, tell, end });
  return { video: work('video', video), speech: work('speech', speech), counts, progress };
}

interface Telling {
  emit(event: AnalysisEvent): void;
  tell(): void;
  end(result: FileResult): void;
}

function createWork(type: WorkType, sum: Amount, { emit, tell, end }: Telling): WorkTracker {
  const seen = new Map<string, number>();
  const lengthOf = ({ probe }: MediaRecord) =>
    type === 'video' ? probe.grid_frames : probe.duration_seconds;
  const finish = (result: FileResult) => {
    if (!seen.has(result.path)) sum.known++;
    seen.delete(result.path);
    end(result);
  };
  const resultOf = (path: string, outcome: FileOutcome, media: MediaRecord | undefined): FileResult => ({
    path,
    type,
    hash_str: media?.identity.hash_str ?? null,
    outcome,
    frames: 0,
    missing_frames: 0,
    duration_seconds: media?.probe.duration_seconds ?? 0,
    speech: null,
    error: null,
  });
  return {
    toDo: (media) => {
      sum.all += lengthOf(media);
      seen.set(media.path, 0);
      sum.known++;
      tell();
    },
    surveyed: () => {
      sum.surveyed = true;
      tell();
    },
    worked: (media, amount) => {
      sum.done += amount;
      const of = (seen.get(media.path) ?? 0) + amount;
      seen.set(media.path, of);
      emit({ type: 'file', file: { path: media.path, type, frames: of, grid_frames: lengthOf(media) } });
      tell();
    },
    result: (path, outcome, media, done = 0, speech = null) => {
      // Another path with the same content was worked on meanwhile, or there was nothing to work on after all.
      if (outcome !== 'analyzed' && media && seen.has(path)) sum.all -= lengthOf(media);
      if (outcome === 'stored' && media) sum.before += lengthOf(media);
      const frames = type === 'video' ? done : 0;
      const missing = type === 'video' && outcome === 'analyzed' ? (media?.probe.grid_frames ?? 0) - done : 0;
      finish({
        ...resultOf(path, outcome, media),
        frames,
        missing_frames: missing,
        speech,
      });
    },
    failure: (path, error, media) => {
      const { code, message } = toFields(error);
      const outcome = code === 'CANCELLED' ? 'cancelled' : 'failed';
      // What was done of this file is gone. One that failed is not left either; one that was cancelled is.
      const lost = seen.get(path);
      if (media && lost !== undefined) {
        sum.done -= lost;
        if (outcome === 'failed') sum.all -= lengthOf(media);
      }
      finish({ ...resultOf(path, outcome, media), error: { code, message } });
    },
  };
}
