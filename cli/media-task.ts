// A task on the media that are found under paths: runs it, shows its progress and tells its end, to a person or as lines of
// JSON.
import { analysisErrors, type TaskRequest } from '../actors/analysis/contract.ts';
import { type EngineError, engineErrors } from '../runtime/errors.ts';
import type { Backend } from './backend.ts';
import { type Context, exit } from './context.ts';
import { findMedia } from './find-media.ts';
import { createJsonView } from './json-view.ts';
import { createProgressView, type ProgressView } from './progress-view.ts';
import { type Report, summary } from './report.ts';
import { printable, type Screen } from './terminal.ts';

export interface MediaTask {
  readonly paths: readonly string[];
  readonly cacheDir: string;
  /** `files`: absolute, at least one. */
  requestOf(files: string[]): TaskRequest;
  /** Hears what the progress view hears. */
  readonly listener?: ProgressView['event'];
  /** Asked when the task has ended, and told before the end of it is. */
  more?(report: Report): Promise<More | null>;
}

/** What a command tells beside the report: in words, and as a line of JSON. */
export interface More {
  readonly text: string;
  readonly event: string;
  readonly fields: object;
}

/** Prints progress and a summary. Answers the exit code. */
export async function runMediaTask(backend: Backend, task: MediaTask, context: Context): Promise<number> {
  const { screen, signal, clock, out } = context;
  const found = await findMedia(task.paths, task.cacheDir, signal);
  for (const { error } of found.failures) screen.write(`✗ ${printable(error.message)}\n`);
  if (found.files.length === 0) {
    screen.write(`No film, picture or sound was found in ${task.paths.map(printable).join(', ')}\n`);
    return found.failures.length > 0 ? exit.someFailed : exit.error;
  }
  const view = heard(createProgressView(screen, clock), task.listener);
  const report = await backend.analyze(task.requestOf(found.files), view).finally(view.end);
  const failures = found.failures.map(({ error }) => error);
  const code = tellEnd(report, failures, screen);
  const more = await task.more?.(report);
  if (more) out(more.text);
  return code;
}

/** The same as lines of JSON on standard output, whose last one is the end. */
export async function runMediaTaskAsJson(
  backend: Backend,
  task: MediaTask,
  context: Context,
): Promise<number> {
  const { signal, clock, out } = context;
  const view = createJsonView(out, clock);
  try {
    const found = await findMedia(task.paths, task.cacheDir, signal);
    view.found(found);
    if (found.files.length === 0) {
      const message = `No film, picture or sound was found in ${task.paths.join(', ')}`;
      view.broke(analysisErrors.NO_FILES(message), exit.error);
      return exit.error;
    }
    const report = await backend.analyze(task.requestOf(found.files), heard(view, task.listener));
    const code = exitCodeOf(report, found.failures.length);
    const more = await task.more?.(report);
    if (more) view.more(more.event, more.fields);
    view.report(report, code);
    return code;
  } catch (error) {
    view.broke(error, engineErrors.CANCELLED.is(error) ? exit.cancelled : exit.error);
    throw error;
  }
}

/** The same view; `listener` hears each event first. */
export function heard({ event, end }: ProgressView, listener?: ProgressView['event']): ProgressView {
  return {
    event: (one) => {
      listener?.(one);
      event(one);
    },
    end,
  };
}

/** Says how a task ended; answers the exit code. */
export function tellEnd(report: Report, walkFailures: readonly EngineError[], screen: Screen): number {
  // The summary names what failed.
  if (report.error && report.error.code !== analysisErrors.ALL_FAILED.code) {
    screen.write(`framehound: ${printable(report.error.message)}\n`);
    return exit.error;
  }
  // Stopped before it began to work.
  if (report.cancelled && !report.progress) return exit.cancelled;
  screen.write(summary(report, walkFailures));
  return exitCodeOf(report, walkFailures.length);
}

export function exitCodeOf({ error, cancelled, failures }: Report, unreadable: number): number {
  if (error) return exit.error;
  if (cancelled) return exit.cancelled;
  return failures.length > 0 || unreadable > 0 ? exit.someFailed : exit.ok;
}
