// Counts every step of a running task in the progress model, and emits it as events.
import { toFields } from '../../../runtime/errors.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { AnalysisEvent, TaskCounts, WorkResult } from '../contract.ts';
import { ProgressModel, type TaskProgress } from '../progress.ts';
import { count, noneDone } from '../result.ts';
import type { StageKind } from './kind.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Counts and reports the work of one type. */
export interface WorkTracker {
  /** The file is known and there is work on it. */
  begin(media: MediaRecord): void;
  /** Every file is known. */
  surveyed(): void;
  /** Work on the file goes on behind this amount, which an earlier attempt did. */
  takenUp(media: MediaRecord, amount: number): void;
  /** Work that is done but not yet committed, in the unit of the stage; negative when it was given up. */
  worked(media: MediaRecord, amount: number): void;
  analyzed(media: MediaRecord, facts: Facts): void;
  /** It was analysed before. */
  stored(media: MediaRecord, facts: Facts): void;
  notApplicable(media: MediaRecord): void;
  /** `path`: of a file; the name of a job for its closing step. CANCELLED counts as cancelled. */
  failed(path: string, error: unknown, media?: MediaRecord): void;
  /** The closing step of a job. */
  closed(name: string, outcome: 'analyzed' | 'stored', facts: Facts): void;
}

export interface Tracker {
  of(type: string): WorkTracker;
  readonly counts: TaskCounts;
  progress(): TaskProgress;
}

/** `files`: pieces of work by type. `percentage`: where an earlier run stood. `now`: ms that only go forward. */
export function createTracker(
  kinds: readonly StageKind[],
  { files, percentage }: { readonly files: Readonly<Record<string, number>>; readonly percentage: number },
  now: () => number,
  emit: (event: AnalysisEvent) => void,
): Tracker {
  const started = now();
  const model = new ProgressModel(kinds, files, percentage);
  const counts = noneDone(
    kinds,
    Object.values(files).reduce((sum, of) => sum + of, 0),
  );
  const progress = () => model.view((now() - started) / 1000);
  const tell = () => emit({ type: 'task', task: progress() });
  const trackers = new Map(
    kinds.map((kind) => {
      const end = (result: WorkResult, media?: MediaRecord) => {
        count(counts, result);
        model.end(kind.type, { ...result, media });
        emit({ type: 'result', result });
        tell();
      };
      return [kind.type, createWork(kind, model, { emit, tell, end })];
    }),
  );
  return {
    of: (type) => {
      const tracker = trackers.get(type);
      if (!tracker) throw new Error(`there is no work of type ${type}`);
      return tracker;
    },
    counts,
    progress,
  };
}

interface Telling {
  emit(event: AnalysisEvent): void;
  tell(): void;
  end(result: WorkResult, media?: MediaRecord): void;
}

function createWork(kind: StageKind, model: ProgressModel, { emit, tell, end }: Telling): WorkTracker {
  const { type } = kind;
  const result = (path: string, media: MediaRecord | undefined, ended: Partial<WorkResult>): WorkResult => ({
    path,
    type,
    hash_str: media?.identity.hash_str ?? null,
    outcome: 'analyzed',
    reason: null,
    facts: kind.noFacts as Facts,
    duration_seconds: media?.probe.duration_seconds ?? 0,
    error: null,
    ...ended,
  });
  return {
    begin: (media) => {
      model.begin(type, media);
      tell();
    },
    surveyed: () => {
      model.surveyed(type);
      tell();
    },
    takenUp: (media, amount) => {
      emit({ type: 'file', file: model.takenUp(type, media, amount) });
      tell();
    },
    worked: (media, amount) => {
      emit({ type: 'file', file: model.worked(type, media, amount) });
      tell();
    },
    analyzed: (media, facts) => end(result(media.path, media, { facts }), media),
    stored: (media, facts) => end(result(media.path, media, { outcome: 'stored', facts }), media),
    notApplicable: (media) => {
      const ended = { outcome: 'not_applicable', reason: kind.notApplicable } as const;
      end(result(media.path, media, ended), media);
    },
    failed: (path, error, media) => {
      const { code, message } = toFields(error);
      const outcome = code === 'CANCELLED' ? 'cancelled' : 'failed';
      end(result(path, media, { outcome, error: { code, message } }), media);
    },
    closed: (name, outcome, facts) => end(result(name, undefined, { outcome, facts })),
  };
}
