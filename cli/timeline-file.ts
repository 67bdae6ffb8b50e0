// Timelines as files of the command line.
import { basename, dirname, extname } from 'node:path';
import {
  mostItems,
  type TimelineAnswer,
  type TimelineFormat,
  timelineFormats,
  timelineSuffixes,
} from '../actors/exporter/timeline/contract.ts';
import type { Client } from '../http/client/client.ts';
import { saveNew } from '../runtime/files/save-new.ts';
import { usageErrors } from './context.ts';
import type { Found } from './found.ts';
import { sceneItems } from './scenes.ts';
import { printable } from './terminal.ts';

export type SavedTimeline = Omit<TimelineAnswer, 'content'> & { readonly output_path: string };

/** The format that the name of a file says. */
export function formatOfFile(path: string): TimelineFormat {
  const suffix = extname(path).slice(1).toLowerCase();
  const format = timelineFormats.find((one) => timelineSuffixes[one] === suffix);
  if (format) return format;
  const known = timelineFormats.map((one) => `.${timelineSuffixes[one]}`).join(', ');
  throw usageErrors.USAGE(
    `the file name of a timeline must end with one of ${known}, not ${printable(path)}`,
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
  found: readonly Found[],
  sequence_name: string,
  format: TimelineFormat,
  path: string,
  client: Client,
): Promise<SavedTimeline | null> {
  const items = sceneItems(found.slice(0, mostItems));
  if (items.length === 0) return null;
  const named = sequence_name.slice(0, 1000);
  const request = { format, sequence_name: named, items, unreadable: 'leave_out' } as const;
  return saveTimeline(path, await client.exportTimeline(request));
}
