// The closing step of a stage: one piece of work over all files of a job, when each has its result.
// Journalled, skipped when stored, quarantined and cancelled as the work on a file is.
import { engineErrors } from '../../../runtime/errors.ts';
import type { WorkResult } from '../contract.ts';
import { expectNotQuarantined, journalled } from '../recovery/journalled.ts';
import { stageKey } from '../recovery/quarantine.ts';
import type { Job } from './kind.ts';
import type { RunningStage } from './piece.ts';
import type { Closing, Facts } from './stage.ts';
import type { TaskContext } from './task-context.ts';

/** Each job that has a name is closed, in their order. Never rejects. */
export async function runClosing(
  task: TaskContext,
  stage: RunningStage,
  jobs: readonly Job[],
): Promise<void> {
  const { closing } = stage.stageRun;
  if (!closing) return;
  const left = jobs.values();
  const one = async () => {
    for (const job of left) {
      if (job.name !== null) await close(task, stage, closing, { ...job, name: job.name });
    }
  };
  await Promise.all(Array.from({ length: closing.together ?? 1 }, one));
}

type NamedJob = Job & { readonly name: string };

async function close(task: TaskContext, stage: RunningStage, closing: Closing, job: NamedJob): Promise<void> {
  const { type, noFacts } = stage.stage.kind;
  const { name } = job;
  try {
    const results = await resultsOf(task, type, job);
    if (task.signal.aborted || (task.ending.aborted && !hasDone(job, results))) {
      throw engineErrors.CANCELLED(`${name}: was not started`);
    }
    if (!task.redo(type, name) && (await task.onceMore(() => closing.isStored(job, results)))) {
      stage.tracker.closed(name, 'stored', closing.storedFacts?.(job) ?? (noFacts as Facts));
      return;
    }
    const once = () => work(task, stage, closing, job, results);
    const facts = await (closing.triesItself ? once() : task.onceMore(once));
    stage.tracker.closed(name, 'analyzed', facts);
  } catch (error) {
    stage.tracker.notClosed(name, task.failure(name, error), closing.failedFacts?.(job));
  }
}

async function resultsOf(task: TaskContext, type: string, { items }: Job): Promise<WorkResult[]> {
  const results = await Promise.all(items.map(({ path }) => task.results.result(type, path)));
  return results.filter((result) => result !== undefined);
}

/**
 * When no more files are begun, the step takes what is done of those that were: the job was cut short only
 * without.
 */
function hasDone({ items }: Job, results: readonly WorkResult[]): boolean {
  const isWhole = items.length > 0 && results.every(({ outcome }) => outcome !== 'cancelled');
  return isWhole || results.some(({ outcome }) => outcome === 'analyzed' || outcome === 'stored');
}

async function work(
  { parts, run, signal, last }: TaskContext,
  { stage, tracker }: RunningStage,
  closing: Closing,
  job: NamedJob,
  results: readonly WorkResult[],
): Promise<Facts> {
  const key = stageKey(await closing.keyOf(job, results), stage.journal, 'closing');
  const { journal } = parts;
  if (run.retries === undefined) expectNotQuarantined(journal, key, job.name, 'a new request');
  const entry = { task_id: run.task_id, key };
  const once = () =>
    journalled(journal, entry, () =>
      closing.work(job, results, signal, (fraction, detail) => tracker.closing(job.name, fraction, detail)),
    );
  if (journal.history.isSuspect(key)) return last.lock.alone(once);
  const leave = await last.lock.share();
  return once().finally(leave);
}
