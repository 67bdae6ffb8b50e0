// The report of a task that has ended, and its summary in text.
import type { WorkResult } from '../actors/analysis/contract.ts';
import type { TaskProgress } from '../actors/analysis/progress.ts';
import { count, noneDone } from '../actors/analysis/result.ts';
import { measured, type StageKind } from '../actors/analysis/stages/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { TaskCounts, TaskError } from '../actors/analysis/tasks/contract.ts';
import { duration } from './terminal.ts';

export interface Report {
  readonly cancelled: boolean;
  readonly error: TaskError | null;
  /** Of pieces of work: a file counts once for each kind of work on it. */
  readonly counts: TaskCounts;
  /** Of files, by the worst that became of the work on each. */
  readonly ofFiles: TaskCounts;
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

type Ended = Pick<WorkResult, 'outcome' | 'reason'>;

/** What became of a file, when the work on it ended in several ways: the first of these. */
const worstFirst: readonly WorkResult['outcome'][] = [
  'failed',
  'cancelled',
  'analyzed',
  'stored',
  'not_applicable',
];

/** Counts results as they come. */
export function createTally(kinds: readonly StageKind[] = stageKinds) {
  const counts = noneDone(kinds, 0);
  const files = new Map<string, Ended>();
  const failures: Failure[] = [];
  const add = (result: WorkResult) => {
    const { path, outcome, reason, error } = result;
    count(counts, result);
    if (outcome === 'failed' && error) failures.push(error);
    if (result.closing) return;
    const before = files.get(path);
    if (!before || worstFirst.indexOf(outcome) < worstFirst.indexOf(before.outcome))
      files.set(path, { outcome, reason });
  };
  return {
    counts,
    failures,
    add,
    get ofFiles(): TaskCounts {
      const { jobs, jobs_done, jobs_failed, jobs_cancelled } = counts;
      const ofFiles = { ...noneDone(kinds, files.size), jobs, jobs_done, jobs_failed, jobs_cancelled };
      for (const file of files.values()) count(ofFiles, file);
      return ofFiles;
    },
  };
}

/** In one line: why files failed was told when they did. `unread`: files that could not be looked at. */
export function summary(
  { ofFiles: counts, progress, cancelled, model_key }: Report,
  unread: number,
  kinds: readonly StageKind[] = stageKinds,
): string {
  const byWord: Readonly<Record<string, number>> = counts;
  const { jobs_done, jobs_failed, jobs_cancelled } = counts;
  const jobs = (n: number, how = '') => [n, `${jobWord(kinds, n)}${how}`] as const;
  const ends: (readonly [number, string])[] = [
    [counts.analyzed, 'analysed'],
    [counts.stored, 'already analysed'],
    ...kinds.flatMap(({ notApplicable, labels }) =>
      notApplicable === null
        ? []
        : [[byWord[notApplicable] ?? 0, labels.notApplicable ?? notApplicable] as const],
    ),
    [counts.failed + unread, 'failed'],
    [counts.cancelled, 'not finished'],
    jobs(jobs_done - jobs_failed - jobs_cancelled),
    jobs(jobs_failed, ' failed'),
    jobs(jobs_cancelled, ' not finished'),
  ];
  const said = ends.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const lines = [
    `${cancelled ? 'Stopped' : 'Done'}: ${said.join(', ')} in ${duration(progress?.elapsed_seconds ?? 0)}${worked(kinds, progress)}${model_key === null ? '' : ` (${model_key})`}`,
    ...(cancelled ? ['Finished work is kept. Run the same command again to continue with the rest.'] : []),
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
