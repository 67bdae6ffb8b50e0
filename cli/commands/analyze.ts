// `framehound analyze PATH...`: analyses every second of the films and stills it finds.
import { parseArgs } from 'node:util';
import { analysisErrors, type TaskRequest } from '../../actors/analysis/contract.ts';
import { type EngineError, engineErrors } from '../../runtime/errors.ts';
import { folders } from '../../settings.ts';
import type { Backend } from '../backend.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, usageErrors } from '../context.ts';
import { type Found, findMedia } from '../find-media.ts';
import { createJsonView } from '../json-view.ts';
import { createProgressView } from '../progress-view.ts';
import { type Report, summary } from '../report.ts';
import { printable, type Screen } from '../terminal.ts';
import { withBackend } from '../with-backend.ts';

export const analyze: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: commandTable.analyze.options,
  });
  if (positionals.length === 0) throw usageErrors.USAGE('analyze needs the path of a file or folder');
  const { cache: cacheDir } = folders(context.values);
  const named: NamedPaths = { paths: positionals, cacheDir, force: values.force };
  return withBackend(context, context.values.decoders, (backend) =>
    values.json ? analyzeAsJson(backend, named, context) : analyzePaths(backend, named, context),
  );
};

export interface NamedPaths {
  readonly paths: readonly string[];
  readonly cacheDir: string;
  readonly force: boolean;
}

/** Analyses what is found under the paths; prints progress and a summary. Answers the exit code. */
export async function analyzePaths(backend: Backend, named: NamedPaths, context: Context): Promise<number> {
  const { screen, signal, clock } = context;
  const found = await findMedia(named.paths, named.cacheDir, signal);
  for (const { error } of found.failures) screen.write(`✗ ${printable(error.message)}\n`);
  if (found.files.length === 0) {
    screen.write(`No film, picture or sound was found in ${named.paths.map(printable).join(', ')}\n`);
    return found.failures.length > 0 ? exit.someFailed : exit.error;
  }
  const view = createProgressView(screen, clock);
  const report = await backend.analyze(requestFor(named, found, context), view).finally(view.end);
  return tellEnd(
    report,
    found.failures.map(({ error }) => error),
    screen,
  );
}

/** The same as lines of JSON on standard output, whose last one is the end. */
async function analyzeAsJson(backend: Backend, named: NamedPaths, context: Context): Promise<number> {
  const { signal, clock, out } = context;
  const view = createJsonView(out, clock);
  try {
    const found = await findMedia(named.paths, named.cacheDir, signal);
    view.found(found);
    if (found.files.length === 0) {
      const message = `No film, picture or sound was found in ${named.paths.join(', ')}`;
      view.broke(analysisErrors.NO_FILES(message), exit.error);
      return exit.error;
    }
    const report = await backend.analyze(requestFor(named, found, context), view);
    const code = exitCodeOf(report, found.failures.length);
    view.report(report, code);
    return code;
  } catch (error) {
    view.broke(error, engineErrors.CANCELLED.is(error) ? exit.cancelled : exit.error);
    throw error;
  }
}

function requestFor({ cacheDir, force }: NamedPaths, { files }: Found, { values }: Context): TaskRequest {
  return { cache_dir: cacheDir, visual_media_paths: files, decode: values.decode, force };
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

function exitCodeOf({ error, cancelled, failures }: Report, unreadable: number): number {
  if (error) return exit.error;
  if (cancelled) return exit.cancelled;
  return failures.length > 0 || unreadable > 0 ? exit.someFailed : exit.ok;
}
