// `framehound tasks [show|resume|cancel]`: the analyses of this home folder, or of a service.
import { parseArgs } from 'node:util';
import { measured, type StageKind } from '../../actors/analysis/stages/kind.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import type { FileResult, TaskDetail, TaskSnapshot } from '../../actors/analysis/tasks/contract.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, usageErrors } from '../context.ts';
import { unknownAction } from '../help.ts';
import { followTask, tellEnd } from '../media-task.ts';
import { createProgressView, jobWord } from '../progress-view.ts';
import { type CommandService, useModelAndTell, withService } from '../service.ts';
import { duration, printable } from '../terminal.ts';

export const tasks: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...commandTable.tasks.options, ...commandTable.tasks.actions.resume.options },
  });
  const [action = 'list', ...ids] = positionals;
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw unknownAction('tasks', action);
  const { least, most } = idCounts[action as keyof typeof idCounts];
  if (ids.length < least || ids.length > most) {
    const wants = most === 1 ? 'needs the id of one task; see: framehound tasks' : 'takes no id';
    throw usageErrors.USAGE(`tasks ${action} ${wants}`);
  }
  if (values.force && action !== 'resume')
    throw usageErrors.USAGE('--force can only be used with tasks resume');
  const decoders = action === 'resume' ? context.values.decoders : 0;
  return withService(context, decoders, (service) => run(service, context, ids[0] ?? '', values));
};

interface TaskOptions {
  readonly json: boolean;
  readonly force: boolean;
}

type Action = (
  service: CommandService,
  context: Context,
  id: string,
  options: TaskOptions,
) => Promise<number>;

const list: Action = async ({ client }, { out, screen }, _, { json }) => {
  const { tasks: all } = await client.listTasks();
  if (json) out(`${JSON.stringify({ tasks: all })}\n`);
  else {
    for (const task of all) out(`${line(task)}\n`);
    if (all.length === 0) screen.write('There are no tasks yet. To start one: framehound analyze PATH\n');
  }
  return exit.ok;
};

function line(task: TaskSnapshot): string {
  const { task_id, progress, counts, started, source, request, queue_position: place } = task;
  const isPlaced = task.state === 'queued' && place !== null;
  const state = isPlaced ? `${task.state} ${place}` : task.state;
  const when = new Date(started * 1000).toISOString().slice(0, 16).replace('T', ' ');
  const { files: all, jobs, jobs_done, jobs_cancelled } = counts;
  // A file is a step of each kind of work on it.
  const word = request.types.length > 1 ? 'steps' : 'files';
  const ofFiles = all > 0 || jobs === 0 ? [`${counts.done - counts.cancelled}/${all} ${word}`] : [];
  const ofJobs = jobs > 0 ? [`${jobs_done - jobs_cancelled}/${jobs} ${jobWord(kindsOf(request), jobs)}`] : [];
  const pieces = [...ofFiles, ...ofJobs].join(', ');
  const share = `${Math.floor(progress)}%`.padStart(4);
  const watched = source === 'watch_folder' ? '  watched' : '';
  return `${task_id}  ${state.padEnd(11)} ${share}  ${pieces.padEnd(14)} ${when}  ${printable(request.cache_dir)}${watched}`;
}

/** Results asked for at a time. */
const PAGE = 1000;

const show: Action = async ({ client }, { out }, task_id, { json }) => {
  const first = await client.getTask({ task_id, offset: 0, limit: PAGE });
  const results = [...first.results];
  while (results.length < first.total_results) {
    const { results: more } = await client.getTask({ task_id, offset: results.length, limit: PAGE });
    if (more.length === 0) break;
    results.push(...more);
  }
  if (json) out(`${JSON.stringify({ ...first, results })}\n`);
  else out(detail(first, results));
  return exit.ok;
};

function detail(task: TaskDetail, results: readonly FileResult[]): string {
  const { elapsed_seconds, estimated_remaining_seconds: remainingSeconds, error, request } = task;
  const facts = [
    ...amounts(task),
    `in ${duration(elapsed_seconds)}`,
    ...(remainingSeconds === null ? [] : [`${duration(remainingSeconds)} left`]),
    ...(request.model_key === null ? [] : [request.model_key]),
  ];
  const lines = [
    line(task),
    `  ${facts.join(', ')}`,
    ...(error ? [`  ${error.code}: ${printable(error.message)}`] : []),
    ...results.map(({ outcome, path, clip, error: why }) =>
      why && outcome === 'failed'
        ? `  ${outcome.padEnd(10)} ${why.code}: ${printable(why.message)}`
        : `  ${outcome.padEnd(10)} ${printable(clip?.output_path ?? path)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Counted amounts of a task. */
function amounts(task: TaskDetail): string[] {
  const values: Readonly<Record<string, unknown>> = task;
  return measured(stageKinds).flatMap(({ unit: { measure, done, label } }) => {
    const amount = Number(values[done] ?? 0);
    return measure === 'count' && amount > 0 ? [`${amount} ${label}`] : [];
  });
}

const resume: Action = async (service, context, task_id, { force }) => {
  const { client, isOwn } = service;
  const { screen, clock } = context;
  const { request } = await client.getTask({ task_id, offset: 0, limit: 0 });
  // It goes on with the model that it began with; a service sees to that itself.
  if (isOwn && request.model_key !== null) await useModelAndTell(service, context, request.model_key);
  const kinds = kindsOf(request);
  const view = createProgressView(screen, clock, kinds);
  await client.resumeTask({ task_id, force });
  return tellEnd(await followTask(service, task_id, view, context).finally(view.end), 0, screen, kinds);
};

/** Kinds of work of a task. */
function kindsOf({ types }: TaskSnapshot['request']): readonly StageKind[] {
  return stageKinds.filter(({ type }) => types.includes(type));
}

const cancel: Action = async ({ client, isOwn }, { out }, task_id) => {
  if (isOwn)
    throw usageErrors.USAGE(
      'a task can only be cancelled where it runs: press Ctrl-C there, or use --server URL if a service runs it',
    );
  const answer = await (task_id === '' ? client.cancelAnalysis() : client.cancelTask({ task_id }));
  out(`${answer.message}\n`);
  return 'still_stopping' in answer ? exit.error : exit.ok;
};

const actions: Readonly<Record<string, Action>> = { list, show, resume, cancel };

/** How many ids each action takes. */
const idCounts = {
  list: { least: 0, most: 0 },
  show: { least: 1, most: 1 },
  resume: { least: 1, most: 1 },
  cancel: { least: 0, most: 1 },
} as const;
