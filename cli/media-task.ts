// A task on the media that are found under paths: runs it, shows its progress and tells its end, to a person
// or as lines of JSON.
import { resolve } from 'node:path';
import { type AnalysisEvent, analysisErrors, type TaskRequest } from '../actors/analysis/contract.ts';
import type { ClosingProgress, FileProgress, TaskProgress } from '../actors/analysis/progress.ts';
import {
  amountFields,
  fileFields,
  fileProgressFrom,
  fileResult,
  progressFrom,
  rounded,
  workKey,
  workResult,
} from '../actors/analysis/result.ts';
import type { StageKind } from '../actors/analysis/stages/kind.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { FileResult, TaskDetail, TaskError } from '../actors/analysis/tasks/contract.ts';
import { mediaErrors } from '../actors/decoder/contract.ts';
import { isMediaName } from '../actors/decoder/media-names.ts';
import type { ProgressEvent } from '../events/protocol.ts';
import { ApiError, clientErrors } from '../http/client/error.ts';
import type { Clock } from '../runtime/clock.ts';
import { type EngineError, engineErrors, errorTable, toFields } from '../runtime/errors.ts';
import { conflate } from '../runtime/sync/queue.ts';
import { type Context, exit } from './context.ts';
import { findMedia, type MediaFiles } from './find-media.ts';
import {
  createProgressView,
  createTally,
  failureLine,
  type ProgressView,
  type Report,
  summary,
} from './progress-view.ts';
import { type CommandService, useModelAndTell } from './service.ts';
import { printable, type Screen } from './terminal.ts';

/** Hooks of a command into a task, beside its progress and its report. */
interface Ending {
  /** Hears what the progress view hears. */
  readonly listener?: ProgressView['event'];
  /** Asked when the task has ended, and told as lines of JSON before the end of it is. */
  more?(report: Report): Promise<More | null>;
}

/** In words, and as a line of JSON. */
export interface More {
  readonly text: string;
  readonly event: string;
  readonly fields: object;
}

export interface MediaTask extends Ending {
  readonly paths: readonly string[];
  readonly cacheDir: string;
  /** Writes lines of JSON to standard output; the last one is the end. */
  readonly json: boolean;
  /** Media that are named and not there may be known by their previews: the task says. */
  readonly takesMissing?: boolean;
  /** `files`: absolute, at least one. */
  requestOf(files: string[]): TaskRequest | Promise<TaskRequest>;
}

/** Answers the exit code. */
export async function runMediaTask(
  service: CommandService,
  task: MediaTask,
  context: Context,
): Promise<number> {
  const { paths, cacheDir, json } = task;
  const { screen, signal, clock, out } = context;
  const view = json ? createJsonView(out, clock) : null;
  const onDisk = await findMedia(paths, cacheDir, signal).catch((error: unknown) => {
    view?.broke(error, codeOf(error));
    throw error;
  });
  const media = task.takesMissing ? withMissing(onDisk, paths) : onDisk;
  view?.found(media);
  const unreadable = media.failures.map(({ error }) => error);
  if (!json) for (const error of unreadable) screen.write(failureLine(error));
  if (media.files.length > 0) {
    const start = async (watcher: ProgressView) =>
      analyze(service, await task.requestOf(media.files), watcher, context);
    return runTask(start, { ...task, unreadable }, context, view);
  }
  const message = `No media files were found in ${paths.map(json ? String : printable).join(', ')}`;
  view?.broke(analysisErrors.NO_FILES(message), exit.error);
  if (!json) screen.write(`${message}\n`);
  return unreadable.length > 0 && !json ? exit.someFailed : exit.error;
}

export async function analyze(
  service: CommandService,
  request: TaskRequest,
  view: ProgressView,
  context: Context,
): Promise<Report> {
  const { visual_media_paths = [], scenes_only = false } = request;
  if (visual_media_paths.length > 0 && !scenes_only) await useModelAndTell(service, context);
  const { task_id } = await service.client.analyze(request);
  return followTask(service, task_id, view, context);
}

/** Adds missing paths that were named explicitly and look like media. */
function withMissing({ files, failures }: MediaFiles, paths: readonly string[]): MediaFiles {
  const named = new Set(paths.map((path) => resolve(path)));
  const { missing = [], others = [] } = Object.groupBy(failures, ({ path, error }) => {
    const isMissing = mediaErrors.FILE_NOT_FOUND.is(error) && named.has(path) && isMediaName(path);
    return isMissing ? 'missing' : 'others';
  });
  return { files: [...new Set([...files, ...missing.map(({ path }) => path)])], failures: others };
}

/** `unreadable`: what was found and could not be looked at. */
interface TaskEnding extends Ending {
  readonly json: boolean;
  readonly unreadable: readonly EngineError[];
}

/** Runs a task with its progress and tells its end. Answers the exit code. */
export async function runTask(
  start: (view: ProgressView) => Promise<Report>,
  ending: TaskEnding,
  { screen, clock, out }: Context,
  jsonView: JsonView | null = null,
): Promise<number> {
  const { json, unreadable, listener } = ending;
  if (!json) {
    const view = createProgressView(screen, clock);
    const report = await start(heard(view, listener)).finally(view.end);
    const code = tellEnd(report, unreadable.length, screen);
    const more = await ending.more?.(report);
    if (more) out(more.text);
    return code;
  }
  const view = jsonView ?? createJsonView(out, clock);
  try {
    const report = await start(heard(view, listener));
    const code = exitCodeOf(report, unreadable.length);
    const more = await ending.more?.(report);
    if (more) view.more(more.event, more.fields);
    view.report(report, code);
    return code;
  } catch (error) {
    view.broke(error, codeOf(error));
    throw error;
  }
}

function codeOf(error: unknown): number {
  return engineErrors.CANCELLED.is(error) ? exit.cancelled : exit.error;
}

/** The same view; `listener` hears each event first. */
function heard({ event, end }: ProgressView, listener?: ProgressView['event']): ProgressView {
  return {
    event: (taskEvent) => {
      listener?.(taskEvent);
      event(taskEvent);
    },
    end,
  };
}

/** Says how a task ended; answers the exit code. `unread`: files that could not be looked at, as was told. */
export function tellEnd(
  report: Report,
  unread: number,
  screen: Screen,
  kinds?: readonly StageKind[],
): number {
  // Failed files were reported at once.
  if (report.error && report.error.code !== analysisErrors.ALL_FAILED.code) {
    screen.write(`framehound: ${printable(report.error.message)}\n`);
    return exit.error;
  }
  // Stopped before it began to work.
  if (report.cancelled && !report.progress) return exit.cancelled;
  screen.write(summary(report, unread, kinds));
  return exitCodeOf(report, unread);
}

function exitCodeOf({ error, cancelled, failures }: Report, unreadable: number): number {
  if (error) return exit.error;
  if (cancelled) return exit.cancelled;
  return failures.length > 0 || unreadable > 0 ? exit.someFailed : exit.ok;
}

// A task as lines of JSON, one an event, for programs. The fields stand in docs/guide.md.

/** Between two events of the same file, and of the whole. */
const EVERY_MS = 500;

interface JsonView extends ProgressView {
  found(media: MediaFiles): void;
  /** Events of the command itself, before the last line. */
  more(event: string, fields: object): void;
  /** The last line of a task that came to an end of its own. */
  report(report: Report, exitCode: number): void;
  /** The last line of one that could not be begun, or was lost. */
  broke(error: unknown, exitCode: number): void;
}

/** `out` is given whole lines. */
export function createJsonView(out: (text: string) => void, clock: Clock): JsonView {
  const line = (event: string, fields: object) => out(`${JSON.stringify({ event, ...fields })}\n`);
  let latest: TaskProgress | undefined;
  const files = conflate<string, FileProgress>(clock, EVERY_MS, (file) => {
    const { path, type, percentage } = file;
    line('file', { path, type, percentage, ...fileFields(stageKinds, file) });
  });
  const whole = conflate<'task', TaskProgress>(clock, EVERY_MS, (task) => line('progress', wholeOf(task)));
  const closings = conflate<string, ClosingProgress>(clock, EVERY_MS, ({ name, type, percentage }) =>
    line('closing', { name, type, percentage }),
  );
  const flush = () => {
    files.flush();
    closings.flush();
    whole.flush();
  };
  return {
    event: (event: AnalysisEvent) => {
      if (event.type === 'file') files.put(workKey(event.file), event.file);
      else if (event.type === 'task') {
        latest = event.task;
        whole.put('task', event.task);
      } else if (event.type === 'closing')
        closings.put(`${event.closing.type} ${event.closing.name}`, event.closing);
      else {
        // A file is told of no more once it has ended.
        files.flush();
        closings.flush();
        line('result', fileResult(stageKinds, event.result));
      }
    },
    end: flush,
    found: ({ files: paths, failures }) => {
      for (const { path, error } of failures) {
        line('unreadable', { path, error: { code: error.code, message: error.message } });
      }
      line('found', { files: paths.length, unreadable: failures.length });
    },
    more: (event, fields) => {
      flush();
      line(event, fields);
    },
    report: ({ cancelled, error, counts, progress = latest, model_key }, exit_code) => {
      flush();
      const state = error ? 'failed' : cancelled ? 'cancelled' : 'completed';
      const wholeTask = progress ? wholeOf(progress) : null;
      const { files = counts.done, jobs = counts.jobs_done } = progress ?? {};
      const all = { ...counts, files, jobs };
      line('end', { state, exit_code, error, counts: all, model_key, progress: wholeTask });
    },
    broke: (thrown, exit_code) => {
      flush();
      const { code, meaning, message } = toFields(thrown);
      const error: TaskError = { code, error: meaning, message };
      const state = code === 'CANCELLED' ? 'cancelled' : 'failed';
      const wholeTask = latest ? wholeOf(latest) : null;
      line('end', { state, exit_code, error, counts: null, model_key: null, progress: wholeTask });
    },
  };
}

function wholeOf(task: TaskProgress) {
  const { files, files_done, jobs, jobs_done, surveyed, percentage, stages } = task;
  const { elapsed_seconds, speed, estimated_remaining_seconds: remainingSeconds } = task;
  return {
    percentage: rounded(percentage),
    files,
    files_done,
    jobs,
    jobs_done,
    surveyed,
    ...amountFields(stageKinds, stages),
    elapsed_seconds: rounded(elapsed_seconds),
    estimated_remaining_seconds: remainingSeconds === null ? null : rounded(remainingSeconds),
    speed: rounded(speed),
  };
}

// A task, followed to its end: its events feed a view, and the results are read from the task itself, so that
// none is missed while a connection is lost.

const followErrors = errorTable({
  TASK_LEFT: { meaning: 'The service stopped while the task was running', status: 503, retryable: true },
});

const PAGE = 1000;
/** The service looks through all results for each page: it gets that many times longer for its work. */
const PATIENCE = 10;

/**
 * Resolves when the task has ended. The first interrupt cancels it, and its end is awaited; the second one
 * only leaves.
 */
export async function followTask(
  service: CommandService,
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
  { client, isOwn }: CommandService,
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
