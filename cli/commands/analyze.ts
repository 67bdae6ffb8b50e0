// `framehound analyze PATH...`: analyses every second of the films and stills it finds, their subtitles and
// faces.
import type { parseArgs } from 'node:util';
import type { TaskRequest } from '../../actors/analysis/contract.ts';
import { isStillName } from '../../actors/decoder/media-names.ts';
import { foldName, plainName } from '../../actors/index/summaries/fold-name.ts';
import { presets, priorityHints } from '../../actors/summarizer/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { folders } from '../../settings.ts';

import { commandTable, summaryRequestOptions } from '../command-table.ts';
import { argumentsOf, type Command, type Context, deviceHint, usageErrors } from '../context.ts';
import { type MediaTask, runMediaTask } from '../media-task.ts';
import { type CommandService, withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { type UsualWork, usualTask } from '../usual-work.ts';

export const analyze: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.analyze, args);
  if (positionals.length === 0) throw usageErrors.USAGE('analyze needs the path of a file or folder');
  const { cache } = folders(context.values);
  const parameters = summaryParameters(values);
  const { completes: reuses } = commandTable.analyze.options.reuse;
  const reuse = values.reuse === undefined ? undefined : oneOf('--reuse', reuses, values.reuse);
  if (values.cuts) expectAlone(values);
  if (values.speech && (values['no-subtitles'] || values['from-previews']))
    throw usageErrors.USAGE('--speech cannot be combined with --no-subtitles or --from-previews');
  if (values.sounds && values['from-previews'])
    throw usageErrors.USAGE('--sounds cannot be combined with --from-previews');
  const usual = {
    ...{ paths: positionals, cacheDir: cache, force: values.force },
    ...{ text: textOf(values), faces: !values['no-faces'] },
  };
  const hint = deviceHint(context.values);
  if (hint !== null) context.screen.write(`note: ${hint}\n`);
  return withService(context, context.values.decoders, (service) => {
    const lookingAt = () => {
      if (values.cuts) return sceneTask(positionals, cache, values.force);
      if (values['from-previews']) return previewTask(service, positionals, cache, values.force);
      return usualTask(service, usual, context);
    };
    const looking = lookingAt();
    const requestOf: MediaTask['requestOf'] = async (files) => ({
      ...(await looking.requestOf(files)),
      ...(reuse && { reuse }),
      ...(values.sounds && { sound_media_paths: files.filter((path) => !isStillName(path)) }),
      ...(parameters && {
        summary_requests: await summaryRequests(service.client, cache, files, parameters, context),
      }),
    });
    return runMediaTask(service, { ...looking, requestOf, json: values.json }, context);
  });
};

function textOf(values: { readonly speech: boolean; readonly 'no-subtitles': boolean }): UsualWork['text'] {
  if (values.speech) return 'speech';
  return values['no-subtitles'] ? null : 'subtitles';
}

/** Throws USAGE for an option that says how something else is done. */
function expectAlone(values: object): void {
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  const conflict = Object.entries(values).find(([name, value]) => !besideCuts.has(name) && isGiven(value));
  if (conflict) throw usageErrors.USAGE(`--cuts cannot be combined with --${conflict[0]}`);
}

const besideCuts: ReadonlySet<string> = new Set(['cuts', 'force', 'json']);

/** Finds the edges of scenes anew, and nothing else. */
function sceneTask(paths: readonly string[], cacheDir: string, force: boolean): MediaTask {
  const requestOf: MediaTask['requestOf'] = (files) => ({
    ...{ cache_dir: cacheDir, visual_media_paths: files, scenes_only: true, force },
  });
  return { paths, cacheDir, json: false, requestOf };
}

/**
 * Looks at stored previews: by the visual model in use, for things and for words, as far as there are models.
 */
function previewTask(
  { client }: CommandService,
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

// The part of `framehound analyze --summary`: the request, for files without a summary of that name.

type Values = ReturnType<typeof parseArgs<{ options: typeof summaryRequestOptions }>>['values'] & {
  readonly force?: boolean;
};
type SummaryRequest = NonNullable<TaskRequest['summary_requests']>[number];
/** The same of every file. */
type SummaryParameters = Omit<SummaryRequest, 'path'>;

/** Null for no summaries. Throws USAGE, naming the option. */
export function summaryParameters(values: Values): SummaryParameters | null {
  const { summary, force = false, ...options } = values;
  const given = (Object.keys(summaryRequestOptions) as (keyof typeof options)[]).find(
    (name) => options[name] !== undefined && options[name].length > 0,
  );
  if (!summary && given !== undefined) {
    throw usageErrors.USAGE(`--${given} can only be used with --summary`);
  }
  if (!summary) return null;
  const { 'summary-name': analysis_name, 'summary-model': summary_model_key, collection } = options;
  return {
    summary_objective: objectiveOf(options),
    ...(analysis_name !== undefined && { analysis_name }),
    ...(summary_model_key !== undefined && { summary_model_key }),
    ...(collection !== undefined && { collection }),
    replace_existing: force,
  };
}

function objectiveOf(
  options: Omit<Values, 'summary' | 'force'>,
): NonNullable<SummaryRequest['summary_objective']> {
  const { 'summary-preset': preset = 'general_understanding', 'summary-hint': hints = [] } = options;
  const { 'summary-instructions': instructions = '' } = options;
  if (preset === 'custom' && hints.length === 0 && instructions.trim() === '') {
    throw usageErrors.USAGE('--summary-preset custom needs --summary-instructions or --summary-hint');
  }
  return {
    preset: oneOf('--summary-preset', presets, preset),
    priority_hints: hints.map((hint) => oneOf('--summary-hint', priorityHints, hint)),
    ...(instructions.trim() !== '' && { custom_instructions: instructions }),
  };
}

function oneOf<T extends string>(option: string, choices: readonly T[], given: string): T {
  const choice = choices.find((candidate) => candidate === given);
  if (choice === undefined) {
    throw usageErrors.USAGE(`${option} must be one of ${choices.join(', ')}, not ${printable(given)}`);
  }
  return choice;
}

/**
 * Requests for the files that have no summary of that name; how many have one is told. With
 * `replace_existing` for all.
 */
export async function summaryRequests(
  client: Client,
  cache_dir: string,
  files: readonly string[],
  parameters: SummaryParameters,
  { screen, signal }: Context,
): Promise<SummaryRequest[]> {
  const name = parameters.analysis_name ?? parameters.summary_objective?.preset ?? 'general_understanding';
  const missing: string[] = [];
  for (const path of files) {
    if (signal.aborted) throw engineErrors.CANCELLED();
    // Asked one by one: of copies an answer names only one. What is wrong with a file is told by the work on
    // it.
    const has =
      !parameters.replace_existing &&
      (await client.listSummaries({ cache_dir, media_paths: [path], hash_strs: [] })).summaries.some(
        ({ analysis_name }) => foldName(analysis_name) === foldName(name),
      );
    if (!has) missing.push(path);
  }
  const keptCount = files.length - missing.length;
  if (keptCount > 0) {
    const what = keptCount === 1 ? '1 file already has' : `${keptCount} files already have`;
    const called = printable(JSON.stringify(plainName(name)));
    screen.write(`note: ${what} a summary ${called}, which is kept; to replace it, add --force\n`);
  }
  return missing.map((path) => ({ path, ...parameters }));
}
