// `framehound analyze PATH...`: looks at every second of the films and stills it finds.
import { parseArgs } from 'node:util';
import type { AnalysisReport } from '../../actors/analysis/contract.ts';
import { folders } from '../../actors/analysis/settings.ts';
import { findMedia } from '../../actors/analysis/walk.ts';
import type { Engine } from '../../main.ts';
import { createProgressView, duration, printable } from '../terminal.ts';
import { type Command, type Context, exit, usageErrors, withEngine } from './context.ts';

export const analyze: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { force: { type: 'boolean', default: false } },
  });
  if (positionals.length === 0) throw usageErrors.USAGE('analyze needs the path of a file or folder');
  return withEngine(context, context.values.decoders, (engine) =>
    analyzePaths(engine, positionals, folders(context.values).cache, values.force, context),
  );
};

/** Analyses what is found under the paths; prints progress and a summary. Answers the exit code. */
export async function analyzePaths(
  engine: Engine,
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
    paths: found.files,
    model_key: values.model,
    decode: values.decode,
    force,
  };
  const report = await engine.analysis.run(request, { signal, onEvent: view.event }).finally(view.end);
  screen.write(
    summary(
      report,
      found.failures.map(({ error }) => error),
    ),
  );
  if (report.cancelled) return exit.cancelled;
  const failed = report.results.some(({ outcome }) => outcome === 'failed') || found.failures.length > 0;
  return failed ? exit.someFailed : exit.ok;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

export function summary(
  { results, progress, cancelled, model_key }: AnalysisReport,
  walkFailures: readonly Failure[],
): string {
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const counts: [number, string][] = [
    [count('analyzed'), 'analysed'],
    [count('stored'), 'already known'],
    [count('no_picture'), 'sound only'],
    [count('failed') + walkFailures.length, 'failed'],
    [count('cancelled'), 'not finished'],
  ];
  const said = counts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const speed = progress.elapsed_seconds > 0 ? progress.media_seconds / progress.elapsed_seconds : 0;
  const looked =
    progress.frames > 0
      ? `, ${progress.frames} ${progress.frames === 1 ? 'frame' : 'frames'}, ${speed.toFixed(1)}× real time`
      : '';
  const failures = results.flatMap(({ error, outcome }) => (outcome === 'failed' && error ? [error] : []));
  const lines = [
    `${cancelled ? 'Stopped' : 'Done'}: ${said.join(', ')} in ${duration(progress.elapsed_seconds)}${looked} (${model_key})`,
    ...[...failures, ...walkFailures].map(({ code, message }) => `  ${code}: ${printable(message)}`),
    ...(cancelled ? ['What is finished stays; the same command goes on with the rest.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
