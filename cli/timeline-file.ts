// Timelines as files of the command line.
import { basename, dirname, extname } from 'node:path';
import { isStillName } from '../actors/decoder/media-names.ts';
import {
  mostItems,
  stillSeconds,
  type TimelineAnswer,
  type TimelineFormat,
  type TimelineItem,
  timelineFormats,
  timelineSuffixes,
} from '../actors/exporter/timeline/contract.ts';
import type { Client } from '../http/client/client.ts';
import { saveNew } from '../runtime/files/save-new.ts';
import { usageErrors } from './context.ts';
import { isStill, type SceneMatch, sceneSpan } from './found.ts';
import { printable } from './terminal.ts';

// Items of a timeline from the matches of a search.

/**
 * One after the other, in the order in which they were found: the scene that is seen, else the words, with
 * sound where they are said.
 */
export function sceneItems(entries: readonly SceneMatch[]): TimelineItem[] {
  return entries.map((entry): TimelineItem => {
    const { media_path, start, end, isOfStill } = spanOf(entry);
    return {
      media_path,
      source_start_seconds: isOfStill ? 0 : start,
      source_end_seconds: isOfStill ? stillSeconds : end,
      track: entry.seen || entry.written ? 'video' : 'both',
    };
  });
}

function spanOf({ seen, said, written }: SceneMatch) {
  const words = said ?? written;
  if (seen || !words) return sceneOf(seen!);
  const { media_path, start_seconds: start, end_seconds: end } = words;
  return { media_path, start, end, isOfStill: isStillName(media_path) };
}

function sceneOf(seen: NonNullable<SceneMatch['seen']>) {
  return { media_path: seen.video_path, ...sceneSpan(seen), isOfStill: isStill(seen) };
}

type SavedTimeline = Omit<TimelineAnswer, 'content'> & { readonly output_path: string };

/** The format that the name of a file says. */
export function formatOfFile(path: string): TimelineFormat {
  const suffix = extname(path).slice(1).toLowerCase();
  const format = timelineFormats.find((name) => timelineSuffixes[name] === suffix);
  if (format) return format;
  const suffixes = timelineFormats.map((name) => `.${timelineSuffixes[name]}`).join(', ');
  throw usageErrors.USAGE(
    `the file name of a timeline must end with one of ${suffixes}, not ${printable(path)}`,
  );
}

/** Under another name where the one asked for is taken. */
export async function saveTimeline(path: string, answer: TimelineAnswer): Promise<SavedTimeline> {
  const { content = '', ...facts } = answer;
  return { ...facts, output_path: await saveNew(dirname(path), basename(path), Buffer.from(content)) };
}

/**
 * Null when nothing was found. A drive may be away, so what is not there is left out, and told among the
 * warnings.
 */
export async function saveScenes(
  matches: readonly SceneMatch[],
  sequence_name: string,
  format: TimelineFormat,
  path: string,
  client: Client,
  cache_dir: string,
): Promise<SavedTimeline | null> {
  const placed = matches.slice(0, mostItems);
  const items = sceneItems(placed);
  if (items.length === 0) return null;
  const named = sequence_name.slice(0, 1000);
  const request = { format, sequence_name: named, items, cache_dir, unreadable: 'leave_out' } as const;
  const saved = await saveTimeline(path, await client.exportTimeline(request));
  const films = new Set(placed.flatMap(({ seen }) => (seen && isOnGrid(seen) ? [seen.hash_str] : [])));
  if (films.size === 0) return saved;
  return { ...saved, warnings: [...(saved.warnings ?? []), onGridText(films.size)] };
}

/** Nobody knows between which pictures the scene begins and ends. */
function isOnGrid(seen: NonNullable<SceneMatch['seen']>): boolean {
  return seen.shot === undefined && !isStill(seen);
}

function onGridText(films: number): string {
  const which = films === 1 ? '1 film' : `${films} films`;
  return `scenes of ${which} begin and end at whole seconds; for exact edges, analyse again with --force`;
}
