// `framehound export`: what was found, for other programs.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClipResult } from '../../actors/exporter/clips/contract.ts';
import { commandTable } from '../command-table.ts';
import { type Command, exit, usageErrors } from '../context.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { unknownAction } from '../usage-errors.ts';
import { exportTimeline } from './export-timeline.ts';
import { transcript } from './transcript.ts';

// `framehound export clips FILE START-END...`: clips of a film or of sound.

const { options } = commandTable.export.actions.clips;

const exportClips: Command = async (args, context) => {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [file, ...texts] = positionals;
  if (file === undefined || texts.length === 0) {
    throw usageErrors.USAGE('export clips needs a file, and START-END for each clip');
  }
  const media_path = resolve(file);
  const ranges = texts.map(range);
  if (values.copy && values.smart) throw usageErrors.USAGE('use either --copy or --smart, not both');
  const mode = values.copy ? 'copy' : values.smart ? 'smart' : 'precise';
  // The folder was typed by a person, who sees it.
  const request = { output_dir: resolve(values.out), create_folders: true, mode } as const;
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
    return results.every(({ success }) => success) ? exit.ok : exit.someFailed;
  });
};

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
  const [, hours = '0', minutes, rest = ''] = match;
  if (minutes !== undefined && Number(rest) >= 60) return null;
  return Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(rest);
}

/** Each takes what follows its name. */
const actions: Readonly<Record<string, Command>> = {
  clips: exportClips,
  timeline: exportTimeline,
  transcript: (args, context) => transcript(['export', ...args], context),
};

export const exporting: Command = async ([action = '', ...args], context) => {
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw unknownAction('export', action);
  return run(args, context);
};
