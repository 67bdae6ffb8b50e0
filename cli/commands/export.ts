// `framehound export`: what was found, for other programs.

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ClipResult } from '../../actors/exporter/clips/contract.ts';
import { type SidecarResult, sidecarFormats } from '../../actors/exporter/sidecars/contract.ts';
import {
  type TimelineAnswer,
  TimelineBody,
  type TimelineFormat,
  timelineFormats,
} from '../../actors/exporter/timeline/contract.ts';
import { createValidator } from '../../http/request/validation.ts';
import { codeOf } from '../../runtime/errors.ts';
import { typedPath } from '../../runtime/files/user-folders.ts';
import { counted } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { outputFolder } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, type Context, exit, only, usageErrors } from '../context.ts';
import { byAction } from '../help.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { formatOfFile, saveTimeline } from '../timeline-file.ts';
import { transcript } from './transcript.ts';

// `framehound export timeline FILE`: a list of scenes as a sequence of an editing program.

const exportTimeline: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.export.actions.timeline, args);
  const file = only(positionals, 'export timeline needs exactly one file with scenes');
  const isPrinted = values.out === '-';
  if (isPrinted && values.json)
    throw usageErrors.USAGE('--json needs --out FILE; without it, the timeline itself is printed');
  const format = formatOf(values.format, values.out);
  const { output_path: _, ...scenes } = await scenesOf(file, format);
  const cache_dir = folders(context.values).cache;
  const marked = values.chapters && { chapter_markers: { cache_dir } };
  // The list's own fields take precedence.
  const request = { cache_dir, ...marked, ...scenes };
  return withService(context, 0, async ({ client }) => {
    const answer = await client.exportTimeline(request);
    tell(answer, context);
    if (isPrinted) context.out(answer.content ?? '');
    else {
      const saved = await saveTimeline(typedPath(values.out), answer);
      context.out(values.json ? `${JSON.stringify(saved)}\n` : `${saved.output_path}\n`);
    }
    return exit.ok;
  });
};

function tell({ warnings = [] }: TimelineAnswer, { screen }: Context): void {
  for (const warning of warnings) screen.write(`note: ${printable(warning)}\n`);
}

function formatOf(named: string | undefined, out: string): TimelineFormat {
  if (named === undefined) return out === '-' ? 'xmeml' : formatOfFile(out);
  const format = timelineFormats.find((name) => name === named);
  if (format) return format;
  throw usageErrors.USAGE(`--format must be one of ${timelineFormats.join(', ')}, not ${printable(named)}`);
}

/**
 * The body of /export/timeline, or its `items` alone. Paths that are not absolute start where the file lies.
 */
async function scenesOf(file: string, format: TimelineFormat): Promise<TimelineBody> {
  const wrong = (what: string) =>
    usageErrors.USAGE(`${file === '-' ? 'the input' : printable(file)}: ${what}`);
  const source = file === '-' ? text(process.stdin) : readFile(file, 'utf8');
  const written = await source.catch((error: Error) => {
    throw wrong(`cannot be read (${codeOf(error)})`);
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch (error) {
    throw wrong(`is not JSON: ${printable((error as Error).message)}`);
  }
  if (typeof parsed !== 'object' || parsed === null) throw wrong('must be an object or a list of items');
  const body: Record<string, unknown> = { ...(Array.isArray(parsed) ? { items: parsed } : parsed), format };
  const folder = file === '-' ? '.' : dirname(file);
  const complaint = createValidator(TimelineBody, { pathAt: (_, path) => resolve(folder, path) })(body);
  if (complaint)
    throw wrong(
      complaint
        .slice(0, 5)
        .map(({ field, problem }) => `${field} ${problem}`)
        .join('; '),
    );
  // Checked right above.
  return body as TimelineBody;
}

// `framehound export clips FILE START-END...`: clips of a film or of sound.

const exportClips: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.export.actions.clips, args);
  const [file, ...texts] = positionals;
  if (file === undefined || texts.length === 0) {
    throw usageErrors.USAGE('export clips needs a file, and START-END for each clip');
  }
  const media_path = resolve(file);
  const ranges = texts.map(range);
  if (values.copy && values.smart) throw usageErrors.USAGE('use either --copy or --smart, not both');
  const mode = values.copy ? 'copy' : values.smart ? 'smart' : 'precise';
  const request = { output_dir: outputFolder(values.out), create_folders: true, mode } as const;
  return withService(context, 1, async ({ client }) => {
    const results: ClipResult[] = [];
    // One by one, so that each path is told as soon as the clip is there.
    for (const range of ranges) {
      const answer = await client.exportClips({ ...request, clips: [{ media_path, ...range }] });
      // Without a task the answer is the clips.
      const [result] = 'results' in answer ? answer.results : [];
      if (!result) continue;
      results.push(result);
      if (!result.success) context.screen.write(`✗ ${printable(result.error ?? '')}\n`);
      else if (!values.json) context.out(`${result.output_path}\n`);
      if (result.mode_reason) {
        context.screen.write(`fully re-encoded: ${printable(result.mode_reason)}\n`);
      }
    }
    if (values.json) context.out(`${JSON.stringify({ clips: results })}\n`);
    else if (results.length > 1) context.screen.write(`${clipCount(results)}\n`);
    return results.every(({ success }) => success) ? exit.ok : exit.someFailed;
  });
};

function clipCount(results: readonly ClipResult[]): string {
  const written = results.filter(({ success }) => success).length;
  const failed = results.length - written;
  return `${counted(written, 'clip')} written${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** `10-12.5`, `00:01:00-00:01:30.25`: seconds or clock times. */
function range(text: string): { start_seconds: number; end_seconds: number } {
  const [start, end, ...more] = text.split('-').map(seconds);
  if (typeof start === 'number' && typeof end === 'number' && more.length === 0) {
    return { start_seconds: start, end_seconds: end };
  }
  throw usageErrors.USAGE(`a clip must be START-END, in seconds or HH:MM:SS, not ${printable(text)}`);
}

function seconds(text: string): number | null {
  const match = /^(?:(?:(\d{1,4}):)?([0-5]?\d):)?(\d{1,7}(?:\.\d{1,6})?)$/.exec(text);
  if (!match) return null;
  const [, hours = '0', minutes, seconds = ''] = match;
  if (minutes !== undefined && Number(seconds) >= 60) return null;
  return Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
}

// `framehound export sidecars [PATH...]`: what was found in media, as files of their own.

/** Media of one request: each answer is told as it comes. */
const together = 200;

const exportSidecars: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.export.actions.sidecars, args);
  if (values.out !== undefined && values.beside)
    throw usageErrors.USAGE('use either --out DIR or --beside, not both');
  const formats = sidecarFormats.filter((format) => values.format === undefined || format === values.format);
  if (formats.length === 0)
    throw usageErrors.USAGE(
      `--format must be one of ${sidecarFormats.join(', ')}, not ${printable(values.format!)}`,
    );
  const { cache: cache_dir } = folders(context.values);
  const where = values.beside
    ? { beside_media: true }
    : {
        output_dir: values.out === undefined ? join(outputFolder(), 'Sidecars') : typedPath(values.out),
        create_folders: true,
      };
  const roots = positionals.length === 0 ? [undefined] : positionals.map((path) => resolve(path));
  return withService(context, 0, async ({ client }) => {
    const results: SidecarResult[] = [];
    for (const under of roots) {
      const before = results.length;
      for (let [offset, total] = [0, 1]; offset < total; offset += together) {
        const page = await client.listLibrary({
          cache_dir,
          ...(under && { under }),
          offset,
          limit: together,
        });
        total = page.total;
        const media_paths = [...new Set(page.media.map(({ media_path }) => media_path))];
        if (media_paths.length === 0) break;
        const answer = await client.exportSidecars({ cache_dir, media_paths, formats, ...where });
        for (const result of answer.results) tellSidecar(result, context, values.json);
        results.push(...answer.results);
      }
      if (results.length === before)
        context.screen.write(
          `note: nothing is analysed ${under === undefined ? '' : `at ${printable(under)} `}in ${printable(cache_dir)}\n`,
        );
    }
    if (values.json) context.out(`${JSON.stringify({ sidecars: results })}\n`);
    return results.every(({ success }) => success) ? exit.ok : exit.someFailed;
  });
};

function tellSidecar(
  { media_path, error, output_paths, warning }: SidecarResult,
  context: Context,
  isJson: boolean,
) {
  if (!isJson) for (const path of output_paths) context.out(`${path}\n`);
  if (error !== null) context.screen.write(`✗ ${printable(error)}\n`);
  if (warning) context.screen.write(`note: ${printable(media_path)}: ${printable(warning)}\n`);
}

/** Each takes what follows its name. */
const actions: Readonly<Record<string, Command>> = {
  clips: exportClips,
  sidecars: exportSidecars,
  timeline: exportTimeline,
  transcript: (args, context) => transcript(['export', ...args], context),
};

export const exporting: Command = byAction('export', actions);
