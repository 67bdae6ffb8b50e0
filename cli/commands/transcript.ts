// `framehound transcript search TEXT | show FILE | export FILE | name FILE SPEAKER NAME`: stored transcripts.
import { parse, resolve } from 'node:path';
import { clockTime } from '../../actors/decoder/contract.ts';
import { uncertainSpeakers } from '../../actors/diarizer/contract.ts';
import { type DocumentFormat, documentFormats } from '../../actors/exporter/contract.ts';
import { maxResults, mostMatches } from '../../actors/search/scope/contract.ts';
import {
  mostTranscriptions,
  type TranscriptionsAnswer,
  type TranscriptSearchAnswer,
  type TranscriptSearchMatch,
} from '../../actors/search/transcripts/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { saveNew } from '../../runtime/files/save-new.ts';
import { folders } from '../../settings.ts';
import { numberArgument, outputFolder } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, type Context, exit, usageErrors } from '../context.ts';
import { unknownAction } from '../help.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';

/** Options of all actions. */
const { search: searching, show: showing, export: exporting } = commandTable.transcript.actions;
const whole = {
  help: '',
  options: { ...searching.options, ...showing.options, ...exporting.options },
} as const;

const parseOptions = (args: readonly string[]) => argumentsOf(whole, args);
type Values = ReturnType<typeof parseOptions>['values'];

/** Says what cannot be meant before an engine is started for the work it answers. */
type Action = (
  context: Context,
  words: readonly string[],
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

// Stored transcripts: read, and as lines and rows.

/** Transcripts of these files. An answer holds a limited amount of text and names the remaining files. */
export async function allTranscripts(
  client: Client,
  cache_dir: string,
  media_paths: readonly string[],
  language?: string,
): Promise<TranscriptionsAnswer> {
  const all: TranscriptionsAnswer = {
    transcriptions: {},
    transcription_data: {},
    transcription_languages: {},
  };
  const unreadable: string[] = [];
  for (let remaining = [...media_paths]; remaining.length > 0; ) {
    const batch = remaining.slice(0, mostTranscriptions);
    const choice = language === undefined ? {} : { language };
    const part = await client.transcriptions({ cache_dir, media_paths: batch, ...choice });
    Object.assign(all.transcriptions, part.transcriptions);
    Object.assign(all.transcription_data, part.transcription_data);
    Object.assign(all.transcription_languages, part.transcription_languages);
    unreadable.push(...(part.unreadable ?? []));
    const { remaining_media_paths: next = [] } = part;
    if (next.length >= batch.length) break;
    remaining = [...next, ...remaining.slice(mostTranscriptions)];
  }
  return unreadable.length > 0 ? { ...all, unreadable } : all;
}

/** A note on recordings whose speakers may be too many or too few; empty without any. */
function uncertainNote({ transcription_data }: TranscriptionsAnswer): string {
  const uncertain = Object.values(transcription_data).filter((data) => data.speakers_uncertain);
  if (uncertain.length === 0) return '';
  const range = uncertain.length === 1 ? (uncertain[0]!.speaker_range ?? null) : null;
  const which = uncertain.length === 1 ? '' : `${uncertain.length} recordings: `;
  return `note: ${which}${uncertainSpeakers(range, null)}\n`;
}

// A transcript as lines for a person: when, who, what.

/** `heading`: the path stands above. Empty for a file without a transcript. */
export function written(path: string, answer: TranscriptionsAnswer, heading: boolean): string {
  const segments = answer.transcriptions[path];
  if (!segments) return '';
  const speakers = speakersByIndex(answer, path).map(printable);
  const width = speakers.reduce((most, name) => Math.max(most, name.length), 0);
  const lines = segments.map(([start, text], i) => {
    const who = width > 0 ? `${(speakers[i] ?? '').padEnd(width)}  ` : '';
    return `${clockTime(start)}  ${who}${printable(text.trim())}`;
  });
  const { other_languages = [] } = answer.transcription_languages[path] ?? {};
  const others = other_languages.length > 0 ? [`  also in: ${other_languages.join(', ')} (--language)`] : [];
  const all = [...(lines.length === 0 ? ['  nobody speaks'] : lines), ...others];
  return `${[...(heading ? [printable(path)] : []), ...all].join('\n')}\n${heading ? '\n' : ''}`;
}

/** The rows of a document: start, text, end, and who speaks. */
export function documentRows(
  path: string,
  answer: TranscriptionsAnswer,
): (readonly [number, string, number, string | null])[] {
  const speakers = speakersByIndex(answer, path);
  const segments = answer.transcriptions[path] ?? [];
  return segments.map(([start, text, end], i) => [start, text, end, speakers[i] ?? null] as const);
}

/** The name of who says each segment, or its id; sparse where nobody knows. */
function speakersByIndex({ transcription_data }: TranscriptionsAnswer, path: string): string[] {
  const names: string[] = [];
  const { speakers = {} } = transcription_data[path] ?? {};
  for (const [id, { display_name, segment_indices }] of Object.entries(speakers)) {
    for (const index of segment_indices) names[index] = display_name ?? id;
  }
  return names;
}

function foundLine(match: TranscriptSearchMatch, number: number): string {
  const { start_timestamp, end_timestamp, media_path, speaker, speaker_name, text } = match;
  const who = printable(speaker_name || speaker);
  const when = start_timestamp === end_timestamp ? start_timestamp : `${start_timestamp}–${end_timestamp}`;
  return (
    `${String(number).padStart(3)}. ${when}  ${printable(media_path)}\n` +
    `     ${who === '' ? '' : `${who}: `}${printable(text.trim())}\n`
  );
}

/** Remark about further matches; empty if there are none. `most`: limit of a request. */
export function moreLine(
  { matches, total, total_is_exact }: Pick<TranscriptSearchAnswer, 'matches' | 'total' | 'total_is_exact'>,
  most: number,
): string {
  const more = total - matches.length;
  if (more <= 0) return total_is_exact ? '' : '  there may be more\n';
  const shown = total_is_exact ? Math.min(total, most) : most;
  return `  ${total_is_exact ? '' : 'at least '}${more} more${matches.length < most ? `: --max ${shown}` : ''}\n`;
}
