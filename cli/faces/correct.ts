// `framehound faces name|merge|move|undo`: what a person knows better than the clustering. Corrections hold
// when the faces are clustered again.
import { parseArgs } from 'node:util';
import type { FaceClusterJob } from '../../actors/faces/people/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, invocation, usageErrors } from '../context.ts';
import { withService } from '../service.ts';
import { clusterMeant, clustersMeant, jobNamed, namesakes, shellWord } from './choice.ts';
import { correctionLines, counted, jobLine, whoIs } from './lines.ts';

const { name: naming, merge: merging, move: moving, undo: undoing } = commandTable.faces.actions;
/** Letters of a name. */
const LONGEST_NAME = 200;

interface Named {
  readonly client: Client;
  readonly job: FaceClusterJob;
  readonly jobKey: { readonly cache_dir: string; readonly cluster_job_name: string };
}

/** Looks the clustering up, and works on it. */
function withJob(context: Context, name: string, work: (named: Named) => Promise<number>): Promise<number> {
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const job = jobNamed(await client.faceClusters({ cache_dir }), name);
    return work({ client, job, jobKey: { cache_dir, cluster_job_name: job.name } });
  });
}

export const name: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: naming.options,
  });
  const [job, cluster, ...words] = positionals;
  if (job === undefined || cluster === undefined || words.length === 0) {
    throw usageErrors.USAGE("faces name needs JOB CLUSTER NAME; use '' as NAME to remove the name");
  }
  const given = words.join(' ').trim();
  if ([...given].length > LONGEST_NAME) {
    throw usageErrors.USAGE(
      `a name can have at most ${LONGEST_NAME} characters, and this one has ${[...given].length}`,
    );
  }
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const cluster_id = clusterMeant(job, cluster);
    const answer = await client.nameClusters({ ...jobKey, assignments: [{ cluster_id, name: given }] });
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else context.out(`${given === '' ? `${whoIs(cluster_id, '')} has no name` : whoIs(cluster_id, given)}\n`);
    const twin = given === '' ? undefined : namesakes(job, given).find((id) => id !== cluster_id);
    if (twin !== undefined) {
      const command = `${invocation} faces merge ${shellWord(job.name)} ${cluster_id} ${twin}`;
      context.screen.write(
        `note: ${whoIs(twin, job.names[twin])} has the same name. If they are the same person: ${command}\n`,
      );
    } else if (given !== '' && !values.json) {
      const command = `${invocation} faces appearances ${shellWord(job.name)} ${shellWord(given)}`;
      context.screen.write(`To see where this person appears: ${command}\n`);
    }
    return exit.ok;
  });
};

export const merge: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: merging.options,
  });
  const [job, ...words] = positionals;
  const names = values.into === undefined ? words : [...words, values.into];
  if (job === undefined || names.length === 0) {
    throw usageErrors.USAGE('faces merge needs a clustering and at least two clusters, by id or name');
  }
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const cluster_ids = [...new Set(names.flatMap((word) => clustersMeant(job, word)))];
    if (cluster_ids.length < 2) throw usageErrors.USAGE('faces merge needs at least two clusters');
    const target = values.into === undefined ? {} : { target_cluster_id: clusterMeant(job, values.into) };
    return correct(client, job, { ...jobKey, merges: [{ cluster_ids, ...target }] }, values.json, context);
  });
};

export const move: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: moving.options,
  });
  const [job, ...entry_ids] = positionals;
  const { from, to } = values;
  if (job === undefined || entry_ids.length === 0 || from === undefined || to === undefined) {
    throw usageErrors.USAGE(
      'faces move needs JOB --from CLUSTER --to CLUSTER and the ids of faces; see: framehound faces show JOB --cluster CLUSTER',
    );
  }
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const [from_cluster_id, to_cluster_id] = [clusterMeant(job, from), clusterMeant(job, to)];
    if (from_cluster_id === to_cluster_id)
      throw usageErrors.USAGE('--from and --to must be different clusters');
    const moves = [{ from_cluster_id, to_cluster_id, entry_ids: [...new Set(entry_ids)] }];
    return correct(client, job, { ...jobKey, moves }, values.json, context);
  });
};

async function correct(
  client: Client,
  { name, names }: FaceClusterJob,
  request: Parameters<Client['modifyClusters']>[0],
  json: boolean,
  { out, screen }: Context,
): Promise<number> {
  const answer = await client
    .modifyClusters(request)
    .catch((error: unknown) => Promise.reject(asTyped(error)));
  if (json) out(`${JSON.stringify(answer)}\n`);
  else {
    for (const line of correctionLines(answer, names)) out(`${line}\n`);
    screen.write(`To undo this: ${invocation} faces undo ${shellWord(name)}\n`);
  }
  return exit.ok;
}

/** The same error without the field of the request, which nobody has typed. */
function asTyped(error: unknown): unknown {
  const field = /^(?:merges|moves)\[\d+\][\w.[\]]*: /;
  if (!(error instanceof Error) || !field.test(error.message)) return error;
  return usageErrors.USAGE(error.message.replace(field, ''));
}

export const undo: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: undoing.options,
  });
  const [job, ...others] = positionals;
  if (job === undefined || others.length > 0)
    throw usageErrors.USAGE('faces undo needs the name of one clustering');
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const after = await client.undoClusters(jobKey);
    const clusters = after.num_clusters - job.num_clusters;
    if (values.json) context.out(`${JSON.stringify(after)}\n`);
    else {
      const split = clusters > 0 ? ` (${counted(clusters, 'cluster')} more than before)` : '';
      context.out(`The last correction was undone${split}\n${jobLine(after)}\n`);
    }
    return exit.ok;
  });
};
