// `framehound transcript search TEXT | show FILE | export FILE | name FILE SPEAKER NAME`: stored transcripts.

import { parse, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type DocumentFormat, documentFormats } from '../../actors/exporter/contract.ts';
import { maxResults, mostMatches } from '../../actors/search/scope/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { saveNew } from '../../runtime/files/save-new.ts';
import { folders } from '../../settings.ts';
import { numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, usageErrors } from '../context.ts';
import { unknownAction } from '../help.ts';
import { outputFolder } from '../output-folder.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { allTranscripts, documentRows, foundLine, moreLine, uncertainNote, written } from '../transcripts.ts';

/** Options of all actions. */
const { search: searching, show: showing, export: exporting } = commandTable.transcript.actions;
const options = { ...searching.options, ...showing.options, ...exporting.options };

const parseOptions = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options });
type Values = ReturnType<typeof parseOptions>['values'];

/** Says what cannot be meant before an engine is started for the work it answers. */
type Action = (
  context: Context,
  rest: readonly string[],
  values: Values,
) => (client: Client) => Promise<number>;

export const transcript: Command = async (args, context) => {
  const { values, positionals } = parseOptions(args);
  const [action = '', ...parameters] = positionals;
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw unknownAction('transcript', action);
  const work = run(context, parameters, values);
  return withService(context, 0, ({ client }) => work(client));
};

const search: Action = ({ values: settings, out, screen }, words, values) => {
  const query = words.join(' ').trim();
  if (query === '') throw usageErrors.USAGE('transcript search needs a search text');
  const media_paths = values.media.map((path) => resolve(path));
  const cache_dir = folders(settings).cache;
  return async (client) => {
    const { transcriptions: stored } = await client.loadTranscriptions({ cache_dir });
    const answer = await client.searchTranscript({
      cache_dir,
      query,
      media_paths,
      search_all: media_paths.length === 0,
      max_results: numberArgument('--max', values.max, maxResults),
      ...(values.speaker !== undefined && { speaker_name: values.speaker }),
    });
    if (values.json) {
      out(`${JSON.stringify(answer)}\n`);
      return exit.ok;
    }
    for (const [i, match] of answer.matches.entries()) out(foundLine(match, i + 1));
    if (stored === 0)
      throw usageErrors.USAGE(
        `no transcripts in ${printable(cache_dir)}; to make one: framehound transcribe`,
      );
    if (answer.matches.length === 0) out('  nothing was found\n');
    out(moreLine(answer, mostMatches));
    if (answer.toast_warning) screen.write(`note: ${printable(answer.toast_warning)}\n`);
    return exit.ok;
  };
};

const show: Action = ({ values: settings, out, screen }, files, values) => {
  if (files.length === 0) throw usageErrors.USAGE('transcript show needs a file');
  const media_paths = files.map((path) => resolve(path));
  return async (client) => {
    const answer = await allTranscripts(client, folders(settings).cache, media_paths, values.language);
    if (values.json) out(`${JSON.stringify(answer)}\n`);
    else for (const path of media_paths) out(written(path, answer, media_paths.length > 1));
    screen.write(uncertainNote(answer));
    const without = media_paths.filter((path) => !answer.transcriptions[path]);
    if (without.length === 0) return exit.ok;
    throw usageErrors.USAGE(
      `no transcript of ${without.map(printable).join(', ')}; to make one: framehound transcribe`,
    );
  };
};

const exported: Action = ({ values: settings, out, screen }, files, values) => {
  if (files.length === 0) throw usageErrors.USAGE('transcript export needs a file');
  const format = formatOf(values.format);
  if (values.out === '-' && (files.length > 1 || values.json)) {
    throw usageErrors.USAGE('--out - prints a single document and cannot be combined with --json');
  }
  const folder = values.out === '-' ? null : outputFolder(values.out);
  const media_paths = files.map((path) => resolve(path));
  return async (client) => {
    const answer = await allTranscripts(client, folders(settings).cache, media_paths);
    const documents: { media_path: string; output_path: string | null }[] = [];
    for (const path of media_paths) {
      if (!answer.transcriptions[path]) {
        screen.write(`✗ ${printable(path)}: no transcript; to make one: framehound transcribe\n`);
        continue;
      }
      const segments = documentRows(path, answer);
      const display_name = parse(path).name;
      const { speaker_range } = answer.transcription_data[path] ?? {};
      const range = speaker_range && { speaker_range };
      const document = await client.exportTranscript({ format, display_name, segments, ...range });
      const bytes = Buffer.from(document.content_base64 ?? '', 'base64');
      if (document.warning) screen.write(`note: ${printable(path)}: ${printable(document.warning)}\n`);
      const output_path = folder === null ? null : await saveNew(folder, document.filename, bytes);
      documents.push({ media_path: path, output_path });
      if (output_path === null) out(bytes);
      else if (!values.json) out(`${output_path}\n`);
    }
    if (values.json) out(`${JSON.stringify({ documents })}\n`);
    return documents.length < media_paths.length ? exit.someFailed : exit.ok;
  };
};

function formatOf(text: string | undefined): DocumentFormat {
  const format = documentFormats.find((name) => name === text);
  if (format) return format;
  throw usageErrors.USAGE(`transcript export needs --format with one of ${documentFormats.join(', ')}`);
}

const name: Action = ({ values: settings, out }, [file, speaker, ...words]) => {
  const given = words.join(' ').trim();
  if (file === undefined || speaker === undefined) {
    throw usageErrors.USAGE('transcript name needs FILE SPEAKER NAME; leave out NAME to remove the name');
  }
  const path = resolve(file);
  return async (client) => {
    const cache_dir = folders(settings).cache;
    const { transcription_data } = await allTranscripts(client, cache_dir, [path]);
    const transcription = transcription_data[path];
    if (!transcription)
      throw usageErrors.USAGE(
        `no speakers are known for ${printable(path)}; to detect them: framehound transcribe`,
      );
    const assignments = [{ speaker, name: given }];
    const { speaker_names } = await client.nameSpeakers({
      cache_dir,
      hash_str: transcription.hash_str,
      assignments,
    });
    for (const [id, said] of Object.entries(speaker_names)) out(`${printable(id)}  ${printable(said)}\n`);
    return exit.ok;
  };
};

const actions: Readonly<Record<string, Action>> = { search, show, export: exported, name };
