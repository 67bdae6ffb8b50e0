// The result of the work on one file in its two forms: as the engine passes it on, and as records and answers
// write it, where every kind of work has fields of its own.
import type { WorkResult } from './contract.ts';
import { kindOf } from './progress-fields.ts';
import { type OutcomeWordOf, outcomeWords } from './schemas.ts';
import type { StageKind } from './stages/kind.ts';
import type { stageKinds } from './stages/kinds.ts';
import type { FileResult, TaskCounts } from './tasks/contract.ts';

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

/** As it is recorded and answered. */
export function fileResult(kinds: readonly StageKind[], result: WorkResult): FileResult {
  const { path, type, hash_str, facts, duration_seconds, error, closing } = result;
  const noFacts = Object.assign({}, ...kinds.map((kind) => kind.noFacts));
  const outcome = outcomeWord(result);
  const of = { path, type, ...(closing && { closing }), hash_str, outcome };
  const fields = { ...of, ...noFacts, ...facts, duration_seconds, error };
  return fields as FileResult;
}

/** The result that was recorded so. */
export function workResult(kinds: readonly StageKind[], file: FileResult): WorkResult {
  const { path, type, hash_str, outcome, duration_seconds, error, closing } = file;
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
    ...(closing && { closing }),
  };
}
