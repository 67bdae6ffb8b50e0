// `framehound faces`: finds faces, clusters them into people, and lets a person look at them, name and
// correct them.
import { parseArgs } from 'node:util';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, exit, usageErrors } from '../context.ts';
import { analyze, epsOf, minSamplesOf, tellsClusters } from '../faces/analyze.ts';
import { appearanceLines, clustersMeant, jobLine, jobNamed } from '../faces/clusters.ts';
import { merge, move, name, remove, undo } from '../faces/correct.ts';
import { show } from '../faces/show.ts';
import { followTask } from '../follow-task.ts';
import { byAction } from '../help.ts';
import { runTask } from '../media-task.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';

const known = commandTable.faces.actions;

const list: Command = async (args, context) => {
  const { values } = parseArgs({ args: [...args], options: known.list.options });
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const answer = await client.faceClusters({ cache_dir });
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else for (const job of answer.jobs) context.out(`${jobLine(job)}\n`);
    if (answer.warning !== undefined) context.screen.write(`✗ ${printable(answer.warning)}\n`);
    if (answer.jobs.length === 0 && !values.json) {
      context.screen.write(
        `There are no face clusterings in ${cache_dir}. To make one: framehound faces analyze JOB PATH\n`,
      );
    }
    return answer.warning === undefined ? exit.ok : exit.someFailed;
  });
};

const recluster: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: known.recluster.options,
  });
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw usageErrors.USAGE('faces recluster needs the name of one clustering; see: framehound faces list');
  }
  const parameters = { eps: epsOf(values.eps), min_samples: minSamplesOf(values['min-samples']) };
  const cache_dir = folders(context.values).cache;
  return withService(context, 1, async (service) => {
    const job = jobNamed(await service.client.faceClusters({ cache_dir }), name);
    const request = {
      cache_dir,
      cluster_job_name: job.name,
      eps: parameters.eps ?? job.eps,
      min_samples: parameters.min_samples ?? job.min_samples,
      clear_names: values['clear-names'],
    };
    const ending = tellsClusters(service, cache_dir, job.name);
    const start: Parameters<typeof runTask>[0] = async (view) => {
      const { task_id } = await service.client.recluster(request);
      return followTask(service, task_id, view, context);
    };
    return runTask(start, { ...ending, json: values.json, unreadable: [] }, context);
  });
};

const appearances: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: known.appearances.options,
  });
  const [name, ...words] = positionals;
  if (name === undefined) {
    throw usageErrors.USAGE('faces appearances needs the name of a clustering; see: framehound faces list');
  }
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const job = jobNamed(await client.faceClusters({ cache_dir }), name);
    const who = [...new Set(words.flatMap((word) => clustersMeant(job, word)))];
    const answer = await client.appearances({ cache_dir, cluster_job_name: job.name, people: who });
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else for (const line of appearanceLines(answer)) context.out(`${line}\n`);
    if (answer.people.length === 0 && !values.json) {
      context.screen.write(
        'No cluster has a name yet. To name one: framehound faces name JOB CLUSTER NAME\n',
      );
    }
    return exit.ok;
  });
};

const actions: Readonly<Record<string, Command>> = {
  analyze,
  list,
  show,
  name,
  merge,
  move,
  recluster,
  undo,
  delete: remove,
  appearances,
};

export const faces: Command = byAction('faces', actions, 'list');
