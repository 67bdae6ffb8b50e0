// Counts every step of a running task in the progress model, and emits it as events.
import { toFields } from '../../../runtime/errors.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { AnalysisEvent, WorkResult } from '../contract.ts';
import { type FileProgress, ProgressModel, type TaskProgress, type WorkStep } from '../progress.ts';
import { count, noneDone } from '../result.ts';
import type { TaskCounts } from '../tasks/contract.ts';
import type { StageKind } from './kind.ts';

type Facts = Readonly<Record<string, unknown>>;

export interface WorkTracker {
  /** The file is known and there is work on it. */
  begin(media: MediaRecord): void;
  surveyed(): void;
  /** Work on the file goes on behind this amount, which an earlier attempt did. */
  takenUp(media: MediaRecord, amount: number): void;
  /** Work that is done but not yet committed, in the unit of the stage; negative when it was given up. */
  worked(media: MediaRecord, amount: number): void;
  /** `warning`: what could not be read of the file although it was analysed. */
  analyzed(media: MediaRecord, facts: Facts, warning?: string): void;
  /** It was analysed before. */
  stored(media: MediaRecord, facts: Facts): void;
  notApplicable(media: MediaRecord): void;
  /** Sets the current step of the file, which is reported with its amounts until the next one. */
  step(media: MediaRecord, step: WorkStep): void;
  /** CANCELLED counts as cancelled. `facts`: what there is to tell all the same. */
  failed(path: string, error: unknown, media?: MediaRecord, facts?: Facts): void;
  /** How much of the closing step of a job is done, 0 to 1. `detail`: what its events tell beside. */
  closing(name: string, fraction: number, detail?: Facts): void;
  closed(name: string, outcome: 'analyzed' | 'stored', facts: Facts): void;
  /** Like `failed`, for the closing step of a job. */
  notClosed(name: string, error: unknown, facts?: Facts): void;
}

export interface TaskTracker {
  of(type: string): WorkTracker;
  readonly counts: TaskCounts;
  progress(): TaskProgress;
}

export interface RunStart {
  /** Pieces of work by type, closing steps among them. */
  readonly files: Readonly<Record<string, number>>;
  /** Closing steps of all types. */
  readonly closings: number;
  /** Where an earlier run stood. */
  readonly percentage: number;
}

/** `now`: ms that only go forward. */
export function createTracker(
  kinds: readonly StageKind[],
  start: RunStart,
  now: () => number,
  emit: (event: AnalysisEvent) => void,
): TaskTracker {
  const started = now();
  const model = new ProgressModel(kinds, start);
  const pieces = Object.values(start.files).reduce((sum, of) => sum + of, 0);
  const counts = noneDone(kinds, pieces - start.closings, start.closings);
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

function mediaWarning(media: MediaRecord | undefined, damage?: string): Pick<WorkResult, 'warning'> {
  const { warning, xmp } = media?.probe ?? {};
  const texts = [warning, xmp?.warning, damage].filter((text) => text !== undefined);
  return texts.length > 0 ? { warning: texts.join('; ') } : {};
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
    ...mediaWarning(media),
    ...ended,
  });
  const steps = new Map<string, WorkStep>();
  const tellFile = (file: FileProgress) => {
    const step = steps.get(file.path);
    emit({ type: 'file', file: step ? { ...file, step } : file });
    tell();
  };
  const ends = (ended: WorkResult, media?: MediaRecord) => {
    steps.delete(ended.path);
    end(ended, media);
  };
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
      tellFile(model.takenUp(type, media, amount));
    },
    worked: (media, amount) => {
      tellFile(model.worked(type, media, amount));
    },
    step: (media, step) => {
      steps.set(media.path, step);
      tellFile(model.worked(type, media, 0));
    },
    analyzed: (media, facts, damage) =>
      ends(result(media.path, media, { facts, ...mediaWarning(media, damage) }), media),
    stored: (media, facts) => ends(result(media.path, media, { outcome: 'stored', facts }), media),
    notApplicable: (media) => {
      const ended = { outcome: 'not_applicable', reason: kind.notApplicable } as const;
      ends(result(media.path, media, ended), media);
    },
    failed: (path, error, media, facts) =>
      ends(result(path, media, { ...failure(error), ...(facts && { facts }) }), media),
    closing: (name, fraction, detail) => {
      const closing = model.closing(type, name, fraction);
      emit({ type: 'closing', closing: detail ? { ...closing, detail } : closing });
      tell();
    },
    closed: (name, outcome, facts) => end(result(name, undefined, { outcome, facts, closing: true })),
    notClosed: (name, error, facts) =>
      end(result(name, undefined, { ...failure(error), ...(facts && { facts }), closing: true })),
  };
}

function failure(error: unknown): Pick<WorkResult, 'outcome' | 'error'> {
  const { code, message } = toFields(error);
  return { outcome: code === 'CANCELLED' ? 'cancelled' : 'failed', error: { code, message } };
}
