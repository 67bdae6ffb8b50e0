// The report of a task that has ended, and its summary in text.
import type { TaskCounts, TaskError, WorkResult } from '../actors/analysis/contract.ts';
import type { TaskProgress } from '../actors/analysis/progress.ts';
import { count, noneDone } from '../actors/analysis/result.ts';
import { measured, type StageKind } from '../actors/analysis/stages/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import { duration, printable } from './terminal.ts';

export interface Report {
  readonly cancelled: boolean;
  readonly error: TaskError | null;
  readonly counts: TaskCounts;
  readonly failures: readonly Failure[];
  /** Undefined when it ended before it began to work. */
  readonly progress: TaskProgress | undefined;
  /** The visual model; null when no pictures were analysed. */
  readonly model_key: string | null;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Counts results as they come. */
export function createTally(kinds: readonly StageKind[] = stageKinds) {
  const counts = noneDone(kinds, 0);
  const failures: Failure[] = [];
  const add = (result: WorkResult) => {
    count(counts, result);
    if (result.outcome === 'failed' && result.error) failures.push(result.error);
  };
  return { counts, failures, add };
}

export function summary(
  { counts, failures, progress, cancelled, model_key }: Report,
  walkFailures: readonly Failure[],
  kinds: readonly StageKind[] = stageKinds,
): string {
  const byWord: Readonly<Record<string, number>> = counts;
  const { jobs_done, jobs_failed, jobs_cancelled } = counts;
  const jobs = (n: number, how = '') => [n, `${jobWord(kinds, n)}${how}`] as const;
  const ends: (readonly [number, string])[] = [
    [counts.analyzed, 'analysed'],
    [counts.stored, 'already known'],
    ...kinds.flatMap(({ notApplicable, labels }) =>
      notApplicable === null
        ? []
        : [[byWord[notApplicable] ?? 0, labels.notApplicable ?? notApplicable] as const],
    ),
    [counts.failed + walkFailures.length, 'failed'],
    [counts.cancelled, 'not finished'],
    jobs(jobs_done - jobs_failed - jobs_cancelled),
    jobs(jobs_failed, ' failed'),
    jobs(jobs_cancelled, ' not finished'),
  ];
  const said = ends.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const lines = [
    `${cancelled ? 'Stopped' : 'Done'}: ${said.join(', ')} in ${duration(progress?.elapsed_seconds ?? 0)}${worked(kinds, progress)}${model_key === null ? '' : ` (${model_key})`}`,
    ...[...failures, ...walkFailures].map(({ code, message }) => `  ${code}: ${printable(message)}`),
    ...(cancelled ? ['What is finished stays; the same command goes on with the rest.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** What is counted when jobs are, beside files. */
export function jobWord(kinds: readonly StageKind[], count: number): string {
  const [one, several] = kinds.find(({ labels }) => labels.jobs)?.labels.jobs ?? ['job', 'jobs'];
  return count === 1 ? one : several;
}

/** The amounts that are counts, and the speed of the task. */
function worked(kinds: readonly StageKind[], progress: TaskProgress | undefined): string {
  const done = measured(kinds)
    .map(({ type, unit }) => ({ unit, amount: progress?.stages[type]?.done ?? 0 }))
    .filter(({ unit, amount }) => unit.measure === 'count' && amount > 0);
  if (!progress || done.length === 0) return '';
  const parts = done.map(
    ({ unit, amount }) => `${amount} ${amount === 1 ? unit.label.replace(/s$/, '') : unit.label}`,
  );
  return `, ${parts.join(', ')}, ${progress.speed.toFixed(1)}× real time`;
}
