// `framehound analyze PATH...`: analyses every second of the films and stills it finds.
import { parseArgs } from 'node:util';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import type { EngineError } from '../../runtime/errors.ts';
import { folders } from '../../settings.ts';
import type { Backend } from '../backend.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, usageErrors } from '../context.ts';
import { findMedia } from '../find-media.ts';
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
  return withBackend(context, context.values.decoders, (backend) =>
    analyzePaths(backend, positionals, folders(context.values).cache, values.force, context),
  );
};

/** Analyses what is found under the paths; prints progress and a summary. Answers the exit code. */
export async function analyzePaths(
  backend: Backend,
  paths: readonly string[],
  cacheDir: string,
  force: boolean,
  { values, screen, signal, clock }: Context,
): Promise<number> {
  const found = await findMedia(paths, cacheDir, signal);
  for (const { error } of found.failures) screen.write(`✗ ${printable(error.message)}\n`);
  if (found.files.length === 0) {
    screen.write(`No film, picture or sound was found in ${paths.map(printable).join(', ')}\n`);
    return found.failures.length > 0 ? exit.someFailed : exit.error;
  }
  const view = createProgressView(screen, clock);
  const request = {
    cache_dir: cacheDir,
    visual_media_paths: found.files,
    decode: values.decode,
    force,
  };
  const report = await backend.analyze(request, view).finally(view.end);
  return tellEnd(
    report,
    found.failures.map(({ error }) => error),
    screen,
  );
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
  if (report.cancelled) return exit.cancelled;
  return report.failures.length > 0 || walkFailures.length > 0 ? exit.someFailed : exit.ok;
}
