// `framehound analyze PATH...`: analyses every second of the films and stills it finds.
import { parseArgs } from 'node:util';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, usageErrors } from '../context.ts';
import { type MediaTask, runMediaTask } from '../media-task.ts';
import { type Service, withService } from '../service.ts';
import { summaryParameters, summaryRequests } from '../summary-requests.ts';

export const analyze: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: commandTable.analyze.options,
  });
  if (positionals.length === 0) throw usageErrors.USAGE('analyze needs the path of a file or folder');
  const { cache } = folders(context.values);
  const parameters = summaryParameters(values);
  return withService(context, context.values.decoders, (service) => {
    const looking = values['from-previews']
      ? previewTask(service, positionals, cache, values.force)
      : pictureTask(positionals, cache, values.force, context);
    const requestOf: MediaTask['requestOf'] = async (files) => ({
      ...(await looking.requestOf(files)),
      ...(parameters && {
        summary_requests: await summaryRequests(service.client, cache, files, parameters, context),
      }),
    });
    return runMediaTask(service, { ...looking, requestOf, json: values.json }, context);
  });
};

/**
 * Looks at stored previews: by the visual model in use, for things and for words, as far as there are models.
 */
function previewTask(
  { client }: Service,
  paths: readonly string[],
  cacheDir: string,
  force: boolean,
): MediaTask {
  const requestOf: MediaTask['requestOf'] = async (files) => {
    const { things_key, words_key } = (await client.availableModels()).sight;
    return {
      ...{ cache_dir: cacheDir, from_previews: true, force, visual_media_paths: files },
      thing_media_paths: things_key !== null ? files : [],
      text_media_paths: words_key !== null ? files : [],
    };
  };
  return { paths, cacheDir, json: false, takesMissing: true, requestOf };
}

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
