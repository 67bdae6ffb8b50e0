// `framehound analyze PATH...`: analyses every second of the films and stills it finds.
import { parseArgs } from 'node:util';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, usageErrors } from '../context.ts';
import { type MediaTask, runMediaTask } from '../media-task.ts';
import { summaryRequests, summaryWish } from '../summary-wishes.ts';
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
  return withBackend(context, context.values.decoders, (backend) => {
    const looking = pictureTask(positionals, cache, values.force, context);
    const requestOf: MediaTask['requestOf'] = async (files) => ({
      ...(await looking.requestOf(files)),
      ...(wish && {
        summary_requests: await summaryRequests(backend.summaries, cache, files, wish, context),
      }),
    });
    return runMediaTask(backend, { ...looking, requestOf, json: values.json }, context);
  });
};

/** Looks at every second of what lies under the paths. */
export function pictureTask(
  paths: readonly string[],
  cacheDir: string,
  force: boolean,
  { values }: Context,
): MediaTask {
  const { decode } = values;
  const requestOf: MediaTask['requestOf'] = async (files) => {
    return { cache_dir: cacheDir, visual_media_paths: files, decode, force };
  };
  return { paths, cacheDir, json: false, requestOf };
}
