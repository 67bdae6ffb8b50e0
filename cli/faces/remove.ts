// `framehound faces delete JOB`: removes a clustering, or one person of it.
import { parseArgs } from 'node:util';
import type { DeletePeopleAnswer, FaceClusterJob } from '../../actors/faces/people/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { agreed, requireConsent } from '../consent.ts';
import { type Command, exit, usageErrors } from '../context.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { clustersMeant, jobNamed } from './choice.ts';
import { counted, faces, whoIs } from './lines.ts';
import { removeSheet } from './sheet-folder.ts';

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
    await removeSheet(home, job.name);
    const answer = summed(answers);
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${printable(answer.message)}\n`);
    return exit.ok;
  });
};

/** What would go, in words and in numbers. */
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
  const size = clusters.reduce((sum, one) => sum + one.size, 0);
  const who = clusters.map(({ cluster_id, name }) => whoIs(cluster_id, name)).join(', ');
  const text = `${printable(job.name)}: ${who} with ${faces(size)}`;
  return { text, counts: { jobs: 0, clusters: clusters.length, faces: size } };
}

/** Of several clusters of one name. */
function summed(answers: readonly DeletePeopleAnswer[]): DeletePeopleAnswer {
  const sum = (of: (answer: DeletePeopleAnswer) => number) => answers.reduce((all, one) => all + of(one), 0);
  return {
    deleted_jobs: sum((one) => one.deleted_jobs),
    deleted_clusters: sum((one) => one.deleted_clusters),
    deleted_faces: sum((one) => one.deleted_faces),
    removed_faces: sum((one) => one.removed_faces),
    message: answers.map(({ message }) => message).join('\n'),
  };
}
