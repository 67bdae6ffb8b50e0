// A task on the media that are found under paths: runs it, shows its progress and tells its end, to a person or as lines of
// JSON.
import { resolve } from 'node:path';
import { analysisErrors, type TaskRequest } from '../actors/analysis/contract.ts';
import type { StageKind } from '../actors/analysis/stages/kind.ts';
import { mediaErrors } from '../actors/decoder/contract.ts';
import { isMediaName } from '../actors/decoder/media-names.ts';
import { type EngineError, engineErrors } from '../runtime/errors.ts';
import { type Context, exit } from './context.ts';
import { type Found, findMedia } from './find-media.ts';
import { followTask } from './follow-task.ts';
import { createJsonView, type JsonView } from './json-view.ts';
import { createProgressView, failureLine, type ProgressView } from './progress-view.ts';
import { type Report, summary } from './report.ts';
import { type Service, useModelAndTell } from './service.ts';
import { printable, type Screen } from './terminal.ts';

/** What a command hears and tells of a task beside its progress and its report. */
export interface Ending {
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
  /** As lines of JSON on standard output, whose last one is the end. */
  readonly json: boolean;
  /** Media that are named and not there may be known by their previews: the task says. */
  readonly takesMissing?: boolean;
  /** `files`: absolute, at least one. */
  requestOf(files: string[]): TaskRequest | Promise<TaskRequest>;
}

/** Answers the exit code. */
export async function runMediaTask(service: Service, task: MediaTask, context: Context): Promise<number> {
  const { paths, cacheDir, json } = task;
  const { screen, signal, clock, out } = context;
  const view = json ? createJsonView(out, clock) : null;
  const onDisk = await findMedia(paths, cacheDir, signal).catch((error: unknown) => {
    view?.broke(error, codeOf(error));
    throw error;
  });
  const found = task.takesMissing ? withMissing(onDisk, paths) : onDisk;
  view?.found(found);
  const unreadable = found.failures.map(({ error }) => error);
  if (!json) for (const error of unreadable) screen.write(failureLine(error));
  if (found.files.length > 0) {
    const start = async (watcher: ProgressView) =>
      analyze(service, await task.requestOf(found.files), watcher, context);
    return runTask(start, { ...task, unreadable }, context, view);
  }
  const message = `No media files were found in ${paths.map(json ? String : printable).join(', ')}`;
  view?.broke(analysisErrors.NO_FILES(message), exit.error);
  if (!json) screen.write(`${message}\n`);
  return unreadable.length > 0 && !json ? exit.someFailed : exit.error;
}

/** Starts an analysis, and follows it to its end. */
export async function analyze(
  service: Service,
  request: TaskRequest,
  view: ProgressView,
  context: Context,
): Promise<Report> {
  const { visual_media_paths = [] } = request;
  if (visual_media_paths.length > 0) await useModelAndTell(service, context);
  const { task_id } = await service.client.analyze(request);
  return followTask(service, task_id, view, context);
}

/** What is named outright, looks like media and is not there is a file as well. */
function withMissing({ files, failures }: Found, paths: readonly string[]): Found {
  const named = new Set(paths.map((path) => resolve(path)));
  const { missing = [], others = [] } = Object.groupBy(failures, ({ path, error }) => {
    const isMissing = mediaErrors.FILE_NOT_FOUND.is(error) && named.has(path) && isMediaName(path);
    return isMissing ? 'missing' : 'others';
  });
  return { files: [...new Set([...files, ...missing.map(({ path }) => path)])], failures: others };
}

/** `unreadable`: what was found and could not be looked at. */
export interface TaskEnding extends Ending {
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
    event: (one) => {
      listener?.(one);
      event(one);
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
  // What failed was told when it did.
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
