// `framehound analyze PATH...`: analyses every second of the films and stills it finds.
import { parseArgs } from 'node:util';
import type { TaskRequest } from '../../actors/analysis/contract.ts';
import { presets } from '../../actors/summarizer/contract.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, usageErrors } from '../context.ts';
import { type MediaTask, runMediaTask } from '../media-task.ts';
import { withBackend } from '../with-backend.ts';

export const analyze: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: commandTable.analyze.options,
  });
  if (positionals.length === 0) throw usageErrors.USAGE('analyze needs the path of a file or folder');
  const { cache } = folders(context.values);
  const wish = summaryWish(values);
  const looking = pictureTask(positionals, cache, values.force, context);
  const requestOf: MediaTask['requestOf'] = (files) => ({
    ...looking.requestOf(files),
    ...(wish && { summary_requests: files.map((path) => ({ path, ...wish })) }),
  });
  const task = { ...looking, requestOf, json: values.json };
  return withBackend(context, context.values.decoders, (backend) => runMediaTask(backend, task, context));
};

type Values = ReturnType<typeof parseArgs<{ options: typeof commandTable.analyze.options }>>['values'];
type SummaryWish = Omit<NonNullable<TaskRequest['summary_requests']>[number], 'path'>;

/** What is wanted of every file beside its pictures; null for nothing. */
function summaryWish(values: Values): SummaryWish | null {
  const { summary, 'summary-preset': preset, 'summary-name': analysis_name, collection } = values;
  if (!summary) {
    const [given] = Object.entries({ 'summary-preset': preset, 'summary-name': analysis_name, collection })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name);
    if (given !== undefined) throw usageErrors.USAGE(`--${given} says how to summarise: give --summary too`);
    return null;
  }
  const known = presets.find((one) => one === (preset ?? 'general_understanding'));
  if (!known) throw usageErrors.USAGE(`--summary-preset takes one of ${presets.join(', ')}, not ${preset}`);
  return {
    summary_objective: { preset: known, priority_hints: [] },
    ...(analysis_name !== undefined && { analysis_name }),
    ...(collection !== undefined && { collection }),
    replace_existing: values.force === true,
  };
}

/** Looks at every second of what lies under the paths. */
export function pictureTask(
  paths: readonly string[],
  cacheDir: string,
  force: boolean,
  { values }: Context,
): MediaTask {
  const { decode } = values;
  const requestOf: MediaTask['requestOf'] = (files) => {
    return { cache_dir: cacheDir, visual_media_paths: files, decode, force };
  };
  return { paths, cacheDir, json: false, requestOf };
}
