// `framehound export`: what was found, for other programs.
import type { Command } from '../context.ts';
import { unknownAction } from '../usage-errors.ts';
import { exportClips } from './export-clips.ts';
import { exportTimeline } from './export-timeline.ts';
import { transcript } from './transcript.ts';

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
