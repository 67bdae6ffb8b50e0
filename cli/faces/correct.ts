// `framehound faces name|merge|move|undo`: what a person knows better than the clustering. Corrections hold
// when the faces are clustered again.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DeletePeopleAnswer, FaceClusterJob } from '../../actors/faces/people/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { rm } from '../../runtime/files/names.ts';
import { counted } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import {
  agreed,
  type Command,
  type Context,
  exit,
  invocation,
  requireConsent,
  usageErrors,
} from '../context.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import {
  clusterMeant,
  clustersMeant,
  correctionLines,
  faces,
  jobLine,
  jobNamed,
  namesakes,
  shellWord,
  whoIs,
} from './clusters.ts';

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
  if (job === undefined || entry_ids.length === 0) {
    throw usageErrors.USAGE(
      'faces move needs JOB and the ids of faces; see: framehound faces show JOB --cluster CLUSTER, or faces show JOB --noise for faces in no cluster',
    );
  }
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const from_cluster_id = from === undefined ? null : clusterMeant(job, from);
    const to_cluster_id = to === undefined ? null : clusterMeant(job, to);
    if (from_cluster_id !== null && from_cluster_id === to_cluster_id)
      throw usageErrors.USAGE('--from and --to must be different clusters');
    const moves = [{ from_cluster_id, to_cluster_id, entry_ids: [...new Set(entry_ids)] }];
    return correct(client, job, { ...jobKey, moves }, values.json, context);
  });
};

async function correct(
  client: Client,
  { name, names, cluster_ids }: FaceClusterJob,
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
    const made = answer.moves.find(({ to }) => !cluster_ids.includes(to));
    if (made) screen.write(`To name it: ${invocation} faces name ${shellWord(name)} ${made.to} NAME\n`);
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

// `framehound faces delete JOB`: removes a clustering, or one person of it.

export const remove: Command = async (args, context) => {
  const { options } = commandTable.faces.actions.delete;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw usageErrors.USAGE(
      'faces delete needs the name of one clustering; add --person to delete one person of it only',
    );
  }
  requireConsent(values, context);
  const { cache, home } = folders(context.values);
  return withService(context, 0, async ({ client }) => {
    const job = jobNamed(await client.faceClusters({ cache_dir: cache }), name);
    const jobKey = { cache_dir: cache, cluster_job_name: job.name };
    const who = values.person === undefined ? null : clustersMeant(job, values.person);
    const what = await described(client, job, jobKey, who);
    if (values['dry-run']) {
      context.out(values.json ? `${JSON.stringify({ dry_run: true, ...what.counts })}\n` : `${what.text}\n`);
      return exit.ok;
    }
    if (!values.yes) {
      context.screen.write(`${what.text}\n`);
      if (!(await agreed(context, 'Delete this permanently?'))) return exit.cancelled;
    }
    const answers: DeletePeopleAnswer[] = [];
    const parts = who?.map((cluster_id) => ({ cluster_id })) ?? [{}];
    for (const part of parts) answers.push(await client.deletePeople({ ...jobKey, ...part }));
    // Pages that an earlier version made hold pictures of faces.
    await rm(join(home, 'found'), { recursive: true, force: true });
    const answer = summed(answers);
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${printable(answer.message)}\n`);
    return exit.ok;
  });
};

/** Describes what would be removed, in words and in numbers. */
async function described(
  client: Client,
  job: FaceClusterJob,
  jobKey: { readonly cache_dir: string; readonly cluster_job_name: string },
  cluster_ids: readonly string[] | null,
) {
  if (cluster_ids === null) {
    const { total_entries, num_clusters } = job;
    const text = `${printable(job.name)}: the whole clustering, ${counted(num_clusters, 'cluster')} of ${faces(total_entries)}`;
    return { text, counts: { jobs: 1, clusters: num_clusters, faces: total_entries } };
  }
  const page = { limit: 0, offset: 0, include_entry_ids: false };
  const { clusters } = await client.clusterFaces({ ...jobKey, cluster_ids, ...page });
  const size = clusters.reduce((sum, cluster) => sum + cluster.size, 0);
  const who = clusters.map(({ cluster_id, name }) => whoIs(cluster_id, name)).join(', ');
  const text = `${printable(job.name)}: ${who} with ${faces(size)}`;
  return { text, counts: { jobs: 0, clusters: clusters.length, faces: size } };
}

/** Sums answers about several clusters of one name. */
function summed(answers: readonly DeletePeopleAnswer[]): DeletePeopleAnswer {
  const sum = (of: (answer: DeletePeopleAnswer) => number) =>
    answers.reduce((all, answer) => all + of(answer), 0);
  return {
    deleted_jobs: sum((answer) => answer.deleted_jobs),
    deleted_clusters: sum((answer) => answer.deleted_clusters),
    deleted_faces: sum((answer) => answer.deleted_faces),
    removed_faces: sum((answer) => answer.removed_faces),
    message: answers.map(({ message }) => message).join('\n'),
  };
}
