// The result of the work on one file in its two forms: as the engine passes it on, and as records and answers
// write it, where every kind of work has fields of its own.
import type { WorkResult } from './contract.ts';
import { type Amounts, type FileProgress, fileProgress, progressOf, type TaskProgress } from './progress.ts';
import { type OutcomeWordOf, outcomeWords } from './schemas.ts';
import { measured, type StageKind, type Unit } from './stages/kind.ts';
import type { stageKinds } from './stages/kinds.ts';
import type { FileResult, TaskCounts } from './tasks/contract.ts';

// Progress as snapshots and events write it: each kind of work has two fields of its own.

type Fields = Readonly<Record<string, number>>;

/** Seconds to the millisecond. */
export function rounded(value: number, measure: Unit['measure'] = 'seconds'): number {
  return measure === 'count' ? value : Math.round(Math.max(0, value) * 1000) / 1000;
}

/** `frames`, `grid_frames`, … of every kind; 0 for what the task does not do. */
export function amountFields(
  kinds: readonly StageKind[],
  stages: Readonly<Record<string, Amounts>> | undefined,
): Fields {
  return Object.fromEntries(
    measured(kinds).flatMap(({ type, unit }) => [
      [unit.done, rounded(stages?.[type]?.done ?? 0, unit.measure)],
      [unit.all, rounded(stages?.[type]?.all ?? 0, unit.measure)],
    ]),
  );
}

/** `file_frames`, `file_grid_frames`, … of the file's kind. */
export function fileFields(kinds: readonly StageKind[], { type, done, all }: FileProgress): Fields {
  const { unit } = kindOf(kinds, type);
  if (unit === null) return {};
  return {
    [`file_${unit.done}`]: rounded(done, unit.measure),
    [`file_${unit.all}`]: rounded(all, unit.measure),
  };
}

export interface ProgressFields {
  readonly types: readonly string[];
  readonly files: number;
  readonly files_done: number;
  readonly jobs?: number;
  readonly jobs_done?: number;
  readonly surveyed: boolean;
  readonly percentage: number;
  readonly elapsed_seconds: number;
  readonly estimated_remaining_seconds?: number | null;
}

/** The progress that such fields tell. */
export function progressFrom(
  kinds: readonly StageKind[],
  progress: ProgressFields,
  fields: Readonly<Record<string, unknown>>,
): TaskProgress {
  const amounts = Object.fromEntries(
    measured(kinds).map(({ type, unit }) => [
      type,
      { done: Number(fields[unit.done] ?? 0), all: Number(fields[unit.all] ?? 0) },
    ]),
  );
  return progressOf(kinds, { ...progress, amounts });
}

/** The progress of a file that such fields tell; undefined when they tell none. */
export function fileProgressFrom(
  kinds: readonly StageKind[],
  { path, type }: Pick<FileProgress, 'path' | 'type'>,
  fields: Readonly<Record<string, unknown>>,
): FileProgress | undefined {
  const { unit } = kindOf(kinds, type);
  if (unit === null) return undefined;
  const [done, all] = [fields[`file_${unit.done}`], fields[`file_${unit.all}`]];
  if (typeof done !== 'number' || typeof all !== 'number') return undefined;
  return fileProgress({ path, type, done, all });
}

export function kindOf(kinds: readonly StageKind[], type: string): StageKind {
  const kind = kinds.find((candidate) => candidate.type === type);
  if (!kind) throw new Error(`there is no kind of work ${type}`);
  return kind;
}

/** One piece of work of a task. */
export function workKey({ type, path }: Pick<WorkResult, 'type' | 'path'>): string {
  return `${type}:${path}`;
}

/** The outcome as results and counts write it: the reason where there is one. */
export function outcomeWord({ outcome, reason }: Pick<WorkResult, 'outcome' | 'reason'>): string {
  return reason ?? outcome;
}

/** Counts of files, and of jobs with a closing step, of which none has ended. */
export function noneDone(kinds: readonly StageKind[], files: number, jobs = 0): TaskCounts {
  const words = outcomeWords(kinds).map((word) => [word, 0]);
  const ofJobs = { jobs, jobs_done: 0, jobs_failed: 0, jobs_cancelled: 0 };
  return { files, done: 0, ...Object.fromEntries(words), ...ofJobs } as TaskCounts;
}

type Ended = Pick<WorkResult, 'outcome' | 'reason' | 'closing'>;

export function count(counts: TaskCounts, result: Ended): void {
  if (result.closing) {
    counts.jobs_done++;
    if (result.outcome === 'failed') counts.jobs_failed++;
    if (result.outcome === 'cancelled') counts.jobs_cancelled++;
    return;
  }
  const word = outcomeWord(result) as OutcomeWordOf<typeof stageKinds>;
  counts.done++;
  counts[word]++;
}

/** Result in the form that is recorded and answered. */
export function fileResult(kinds: readonly StageKind[], result: WorkResult): FileResult {
  const { path, type, hash_str, facts, duration_seconds, error, warning, closing } = result;
  const noFacts = Object.assign({}, ...kinds.map((kind) => kind.noFacts));
  const outcome = outcomeWord(result);
  const of = { path, type, ...(closing && { closing }), hash_str, outcome };
  const details = { duration_seconds, error, ...(warning !== undefined && { media_warning: warning }) };
  const fields = { ...of, ...noFacts, ...facts, ...details };
  return fields as FileResult;
}

/** The result that was recorded so. */
export function workResult(kinds: readonly StageKind[], file: FileResult): WorkResult {
  const { path, type, hash_str, outcome, duration_seconds, error, media_warning, closing } = file;
  const kind = kindOf(kinds, type);
  const values: Readonly<Record<string, unknown>> = file;
  const none: Readonly<Record<string, unknown>> = kind.noFacts;
  const stored = Object.keys(kind.facts).map((name) => [name, values[name] ?? none[name]] as const);
  const facts = Object.fromEntries(stored.filter(([, value]) => value !== undefined));
  const applies = outcome !== kind.notApplicable;
  return {
    path,
    type,
    hash_str,
    outcome: (applies ? outcome : 'not_applicable') as WorkResult['outcome'],
    reason: applies ? null : outcome,
    facts,
    duration_seconds,
    error,
    ...(media_warning !== undefined && { warning: media_warning }),
    ...(closing && { closing }),
  };
}
