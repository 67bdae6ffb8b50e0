// A task, followed to its end: its events feed a view, and the results are read from the task itself, so that
// none is missed while a connection is lost.

import type { TaskProgress } from '../actors/analysis/progress.ts';
import { fileProgressFrom, progressFrom, workKey, workResult } from '../actors/analysis/result.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { FileResult, TaskDetail } from '../actors/analysis/tasks/contract.ts';
import type { ProgressEvent } from '../events/protocol.ts';
import { ApiError, clientErrors } from '../http/client/error.ts';
import { engineErrors, errorTable } from '../runtime/errors.ts';
import type { Context } from './context.ts';
import { createTally, type ProgressView, type Report } from './progress-view.ts';
import type { Service } from './service.ts';

const followErrors = errorTable({
  TASK_LEFT: { meaning: 'The service stopped while the task was running', status: 503, retryable: true },
});

/** Results asked for at a time. */
const PAGE = 1000;
/** The service looks through all results for each page: it gets that many times longer for its work. */
const PATIENCE = 10;

/**
 * Resolves when the task has ended. The first interrupt cancels it, and its end is awaited; the second one
 * only leaves.
 */
export async function followTask(
  service: Service,
  task_id: string,
  view: ProgressView,
  context: Context,
): Promise<Report> {
  const { client } = service;
  const { signal, leave, clock } = context;
  const tally = createTally();
  const ended = new Set<string>();
  const onResult = (file: FileResult) => {
    const result = workResult(stageKinds, file);
    ended.add(workKey(result));
    tally.add(result);
    view.event({ type: 'result', result });
  };
  let [read, readAgain] = [0, 0];
  const readResults = async (): Promise<TaskDetail> => {
    for (;;) {
      const page = await client.getTask({ task_id, offset: read, limit: PAGE }, { signal: leave });
      read += page.results.length;
      page.results.forEach(onResult);
      if (read >= page.total_results || page.results.length === 0) return page;
    }
  };
  const unlisten = cancelOn(signal, service, task_id, context);
  try {
    const { types } = (await client.getTask({ task_id, offset: 0, limit: 0 }, { signal: leave })).request;
    let last: ProgressEvent | undefined;
    for await (const event of client.follow(task_id, { signal: leave })) {
      tellWaiting(event, last, context);
      last = event;
      if (event.done) break;
      const hasMore = (event.files_done ?? 0) + (event.jobs_done ?? 0) > read;
      if (hasMore && clock.now() >= readAgain) {
        const began = clock.now();
        await readResults();
        readAgain = clock.now() + (clock.now() - began) * PATIENCE;
      }
      show(event, types, view, ended);
    }
    const task = await readResults();
    const progress = progressOf(task);
    view.event({ type: 'task', task: progress });
    const { counts, ofFiles, failures } = tally;
    const cancelled = task.state === 'cancelled';
    const error = task.error ?? interruption(last);
    const { model_key } = task.request;
    return { cancelled, error, counts, ofFiles, failures, progress, model_key };
  } catch (error) {
    if (signal.aborted || leave.aborted) throw engineErrors.CANCELLED();
    throw service.isOwn ? error : explained(error, task_id);
  } finally {
    unlisten();
  }
}

/** A service that stops or is gone leaves its task interrupted; the error says how to resume it. */
function explained(error: unknown, task_id: string): unknown {
  const stopping = error instanceof ApiError && error.status === 503;
  if (!stopping && !clientErrors.NO_SERVICE.is(error)) return error;
  const reason = `${error.message.replace(/\.$/, '')}. Finished work is kept. When the service is running again, continue with:`;
  return followErrors.TASK_LEFT(`${reason} framehound tasks resume ${task_id}`, {}, error);
}

/** Answers the function that removes the abort listener. */
function cancelOn(
  signal: AbortSignal,
  { client, isOwn }: Service,
  task_id: string,
  { screen, leave }: Context,
): () => void {
  const cancel = async () => {
    if (!isOwn)
      screen.write('Asked the service to stop the task. Press Ctrl-C again to exit without waiting\n');
    try {
      // Cancels by id, never somebody else's task.
      await client.cancelTask({ task_id }, { signal: leave });
    } catch (error) {
      if (!leave.aborted)
        screen.write(`✗ the service could not be asked to stop the task: ${(error as Error).message}\n`);
    }
  };
  const listener = () => void cancel();
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Where it waits for its turn, each time that is another place. */
function tellWaiting(
  { queue_position: place, waits_for }: ProgressEvent,
  last: ProgressEvent | undefined,
  { screen }: Context,
): void {
  if (place === undefined || place === last?.queue_position) return;
  screen.write(
    `Waiting in the queue, position ${place}${waits_for === undefined ? '' : `, behind task ${waits_for}`}\n`,
  );
}

function show(
  event: ProgressEvent,
  types: readonly string[],
  view: ProgressView,
  ended: ReadonlySet<string>,
): void {
  const { video_path: path, type, files, surveyed, cluster_job_name: job, cluster_progress } = event;
  if (job !== undefined && cluster_progress !== undefined && type !== 'summary') {
    const closing = { name: job, type, percentage: cluster_progress };
    if (!ended.has(workKey({ path: job, type }))) view.event({ type: 'closing', closing });
  }
  if (
    path !== null &&
    type !== 'summary' &&
    event.error === undefined &&
    !ended.has(workKey({ path, type }))
  ) {
    const file = fileProgressFrom(stageKinds, { path, type }, event);
    if (file) view.event({ type: 'file', file });
  }
  if (files === undefined || surveyed === undefined) return;
  const { files_done = 0, jobs = 0, jobs_done = 0, elapsed_seconds = 0 } = event;
  const percentage = Number(event.progress);
  const { estimated_remaining_seconds = null } = event;
  const standing = { surveyed, percentage, elapsed_seconds, estimated_remaining_seconds };
  const counted = { types, files, files_done, jobs, jobs_done, ...standing };
  view.event({ type: 'task', task: progressFrom(stageKinds, counted, event) });
}

function progressOf(task: TaskDetail): TaskProgress {
  const { request, counts, progress, elapsed_seconds } = task;
  const counted = {
    types: request.types,
    files: counts.files,
    files_done: counts.done,
    jobs: counts.jobs,
    jobs_done: counts.jobs_done,
    surveyed: true,
    percentage: progress,
    elapsed_seconds,
    estimated_remaining_seconds: task.estimated_remaining_seconds,
  };
  return progressFrom(stageKinds, counted, task);
}

function interruption(last: ProgressEvent | undefined): Report['error'] {
  if (!last?.interrupted) return null;
  const message = `The service restarted while the task was running. To continue: framehound tasks resume ${last.task_id}`;
  return { code: last.error_code ?? 'INTERRUPTED', error: 'The task was interrupted', message };
}
