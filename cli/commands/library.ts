// `framehound list | forget | prune | move | disk`: what an analysis folder holds, what is taken out of it,
// and footage that was moved.
import { resolve } from 'node:path';
import { clockTime } from '../../actors/decoder/contract.ts';
import { type DiskAnswer, type LibraryMedia, PageRequest } from '../../actors/library/contract.ts';
import { counted } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import {
  agreed,
  argumentsOf,
  type Command,
  type Context,
  exit,
  flagsOf,
  requireConsent,
  usageErrors,
} from '../context.ts';
import { withService } from '../service.ts';
import { minuteText, printable } from '../terminal.ts';

// The library as lines for a person.

function mediaLines(media: LibraryMedia): string {
  const { media_path, kind, duration_seconds, transcript, summaries, results, replaced, unreadable } = media;
  const length = kind === 'image' || duration_seconds === null ? '' : `  ${clockTime(duration_seconds)}`;
  const facts = [
    ...results.flatMap(({ type, model_key, count, stored }) => {
      const line = type === 'speech' ? transcriptLine(transcript) : countLine(type, model_key, count);
      return line === null ? [] : [`${line}${when(stored)}`];
    }),
    ...(summaries > 0 ? [counted(summaries, 'summary', 'summaries')] : []),
    ...(unreadable.length > 0 ? [`damaged: ${unreadable.join(', ')}; analyse the file again`] : []),
    ...(replaced ? ['the file has been replaced; framehound prune removes this entry'] : []),
  ];
  const shown = facts.length > 0 ? facts : ['nothing analysed'];
  return `${printable(media_path)}${length}\n${shown.map((fact) => `    ${fact}\n`).join('')}`;
}

/** Singular and plural of counted items. Work with a line of its own has none. */
const nouns: Readonly<Record<string, readonly [string, string] | null>> = {
  video: ['picture', 'pictures'],
  faces: ['face', 'faces'],
  text: ['line of text', 'lines of text'],
  things: ['thing', 'things'],
  sounds: ['range of music or singing', 'ranges of music or singing'],
  previews: null,
  voices: null,
  summary: null,
};

function countLine(type: string, model: string | null, count: number): string | null {
  const words = Object.hasOwn(nouns, type) ? nouns[type]! : ([type, type] as const);
  return words && `${counted(count, ...words)}${model === null ? '' : ` by ${model}`}`;
}

function transcriptLine(transcript: LibraryMedia['transcript']): string | null {
  if (transcript === null) return null;
  const { model_key, language, segments } = transcript;
  return `transcript by ${model_key}${language ? ` (${language})` : ''}, ${counted(segments, 'segment')}`;
}

/** Empty for what an earlier version stored. */
function when(stored: number | null): string {
  return stored === null ? '' : `, ${minuteText(stored)}`;
}

function diskLines({ analysis, models, free_bytes }: DiskAnswer): string {
  const rows: [string, number, string][] = [
    ['analysis', analysis.bytes, analysis.folder],
    ['  previews', analysis.previews_bytes, 'of films'],
    ['  peaks', analysis.peaks_bytes, 'of sound'],
    ['  vectors', analysis.vectors_bytes, ''],
    ...analysis.models.map(({ model_key, bytes, vectors }): [string, number, string] => [
      `    ${model_key}`,
      bytes,
      `${vectors} vectors`,
    ]),
    ...(analysis.people_bytes > 0
      ? [
          ['  people', analysis.people_bytes, ''] as [string, number, string],
          ...analysis.face_models.map(({ model_key, bytes, faces, dead_faces }): [string, number, string] => [
            `    ${model_key}`,
            bytes,
            `${faces} faces${dead_faces > 0 ? `, ${dead_faces} of them unused until the next compaction` : ''}`,
          ]),
        ]
      : []),
    [
      '  records',
      analysis.records_bytes,
      'media, transcripts, summaries, names, vectors and previews of stills',
    ],
    ...(analysis.proxies_bytes > 0
      ? [['  proxies', analysis.proxies_bytes, 'playable in browsers'] as [string, number, string]]
      : []),
    ...(analysis.unfinished_bytes > 0
      ? [
          ['  unfinished', analysis.unfinished_bytes, 'being written, or left by interrupted work'] as [
            string,
            number,
            string,
          ],
        ]
      : []),
    ['models', models.bytes, models.folder],
    ['free', free_bytes, 'on the disk with the analysis folder'],
  ];
  return rows
    .map(
      ([name, bytes, what]) =>
        `${`${name.padEnd(28)} ${size(bytes).padStart(9)}  ${printable(what)}`.trimEnd()}\n`,
    )
    .join('');
}

function size(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

const PAGE = 1000;
const NAMED = 20;

export const list: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.list, args);
  const [path, ...others] = positionals;
  if (others.length > 0)
    throw usageErrors.USAGE('list takes at most one file or folder; without one it lists everything');
  const first = numberArgument('--offset', values.offset, PageRequest.properties.offset);
  const most =
    values.max === undefined
      ? Infinity
      : numberArgument('--max', values.max, { type: 'integer', minimum: 1 });
  const under = path === undefined ? null : resolve(path);
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const all: LibraryMedia[] = [];
    let [total, shown] = [0, 0];
    for (let limit = Math.min(PAGE, most); shown < most; limit = Math.min(PAGE, most - shown)) {
      const page = await client.listLibrary({
        cache_dir,
        ...(under !== null && { under }),
        offset: first + shown,
        limit,
      });
      total = page.total;
      shown += page.media.length;
      if (values.json) all.push(...page.media);
      else for (const media of page.media) context.out(mediaLines(media));
      if (page.media.length === 0 || first + shown >= total) break;
    }
    if (values.json) context.out(`${JSON.stringify({ total, offset: first, media: all })}\n`);
    else if (total === 0) {
      context.screen.write(
        `Nothing has been analysed${under === null ? '' : ` of ${printable(under)}`} in ${cache_dir}\n`,
      );
    } else if (shown < total) context.screen.write(`${shown} of ${total} media\n`);
    return exit.ok;
  });
};

export const forget: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.forget, args);
  if (positionals.length === 0) throw usageErrors.USAGE('forget needs the path of a file or folder');
  requireConsent(values, context);
  const media_paths = positionals.map((path) => resolve(path));
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const request = { cache_dir, media_paths };
    const sure = values.yes || values['dry-run'];
    if (!sure) {
      const { forgotten } = await client.forgetMedia({ ...request, dry_run: true });
      writePaths(
        context,
        forgotten.flatMap((entry) => entry.media_paths),
        'forget',
      );
      if (!(await agreed(context, `Delete the analysis of ${theseFiles(forgotten.length)}?`)))
        return exit.cancelled;
    }
    const answer = await client.forgetMedia({ ...request, dry_run: values['dry-run'] });
    for (const path of answer.unknown)
      context.screen.write(`✗ ${printable(path)}: no analysis is stored for it\n`);
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else {
      if (sure)
        writePaths(
          context,
          answer.forgotten.flatMap((entry) => entry.media_paths),
          'forget',
        );
      context.out(`${answer.message}\n`);
    }
    return answer.unknown.length > 0 ? exit.someFailed : exit.ok;
  });
};

const movedHint = 'If the files were moved, not deleted, keep their analysis with: framehound move OLD NEW';

export const prune: Command = async (args, context) => {
  const values = flagsOf(commandTable.prune, args);
  requireConsent(values, context);
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const first = await client.pruneLibrary({ cache_dir, dry_run: !values.yes || values['dry-run'] });
    for (const { reason, count, example } of first.skipped) {
      context.screen.write(
        `– ${count} missing but kept, for example ${printable(example)}: ${printable(reason)}\n`,
      );
    }
    const dead = [...first.forgotten.flatMap((entry) => entry.media_paths), ...first.paths_gone];
    writePaths(context, dead, 'gone');
    if (first.dry_run && dead.length > 0) context.screen.write(`${movedHint}\n`);
    const isPending = first.dry_run && !values['dry-run'] && dead.length > 0;
    if (isPending && !(await agreed(context, `Forget ${theseFiles(dead.length)}?`))) return exit.cancelled;
    const answer = isPending ? await client.pruneLibrary({ cache_dir, dry_run: false }) : first;
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${answer.message}\n`);
    return exit.ok;
  });
};

export const move: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.move, args);
  const [from, to, ...others] = positionals;
  if (from === undefined || to === undefined || others.length > 0) {
    throw usageErrors.USAGE('move needs two paths: where the footage was, and where it is now');
  }
  const cache_dir = folders(context.values).cache;
  const request = { cache_dir, from: resolve(from), to: resolve(to), dry_run: values['dry-run'] };
  return withService(context, 0, async ({ client }) => {
    const answer = await client.moveMedia(request);
    for (const { media_path, reason } of answer.stayed.slice(0, NAMED))
      context.screen.write(`– ${printable(media_path)}: ${reason}\n`);
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${answer.message}\n`);
    return exit.ok;
  });
};

export const disk: Command = async (args, context) => {
  const values = flagsOf(commandTable.disk, args);
  return withService(context, 0, async ({ client }) => {
    const answer = await client.libraryDisk({ cache_dir: folders(context.values).cache });
    context.out(values.json ? `${JSON.stringify(answer)}\n` : diskLines(answer));
    return exit.ok;
  });
};

function writePaths({ screen }: Context, paths: readonly string[], word: string): void {
  for (const path of paths.slice(0, NAMED)) screen.write(`  ${word}  ${printable(path)}\n`);
  if (paths.length > NAMED) screen.write(`  and ${paths.length - NAMED} more\n`);
}

function theseFiles(media: number): string {
  return media === 1 ? 'this file' : `these ${media} files`;
}
