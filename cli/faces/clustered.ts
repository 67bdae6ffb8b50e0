// The end of a task that clusters faces: the clusters there are now, who has a name, and what to do next.
import type { WorkResult } from '../../actors/analysis/contract.ts';
import { invocation } from '../context.ts';
import type { MediaTask, More } from '../media-task.ts';
import type { Service } from '../service.ts';
import { shellWord } from './choice.ts';
import { clusterRows, jobLine, madeLine, type Sample } from './lines.ts';
import { type Outcome, outcomeLines, outcomeOf } from './outcome.ts';

/** Clusters that are named before the rest is counted. */
const SHOWN = 5;

/** Hears the closing step of the job, and tells of it once the task has ended. */
export function tellsClusters(
  { client }: Service,
  cache_dir: string,
  name: string,
): Required<Pick<MediaTask, 'listener' | 'more'>> {
  let outcome: Outcome | null = null;
  const hear = ({ path, facts }: WorkResult) => {
    if (path === name) outcome = outcomeOf(facts);
  };
  return {
    listener: (event) => {
      if (event.type === 'result') hear(event.result);
    },
    more: async ({ cancelled, error }) => {
      if (cancelled || error) return null;
      const job = (await client.faceClusters({ cache_dir })).jobs.find((one) => one.name === name);
      // Its closing step failed, and the report has said why.
      if (!job) return null;
      const answer = await client.clusterSamples({ ...largest, cache_dir, cluster_job_name: name });
      const clusters: readonly Sample[] = 'clusters' in answer ? answer.clusters : [];
      return told(job, clusters, outcome);
    },
  };
}

/** Only their names and sizes are told. */
const largest = {
  limit_per_cluster: 0,
  min_cluster_size: 1,
  max_cluster_size: 1_000_000_000,
  max_clusters: SHOWN,
  include_noise: false,
} as const;

function told(
  job: Parameters<typeof jobLine>[0],
  clusters: readonly Sample[],
  outcome: Outcome | null,
): More {
  const more = job.num_clusters - clusters.length;
  const lines = [
    jobLine(job),
    `  ${madeLine(job)}`,
    ...clusterRows(clusters),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(job.noise_entries > 0 ? [inNone(job.noise_entries, job.min_samples)] : []),
    ...(outcome ? outcomeLines(outcome) : []).map((line) => `  ${line}`),
    ...(job.total_entries > 0
      ? [`To see them: ${invocation} faces show ${shellWord(job.name)} --open`]
      : ['No faces were found.']),
  ];
  const largest_clusters = clusters.map(({ cluster_id, name, size }) => ({ cluster_id, name, size }));
  const fields = { job, largest_clusters, sample_face_naming: outcome?.sample_face_naming ?? null };
  return { text: `${lines.join('\n')}\n`, event: 'clusters', fields };
}

function inNone(count: number, least: number): string {
  const are = count === 1 ? '1 face is' : `${count} faces are`;
  return `  ${are} in no cluster: fewer than ${least} similar faces, or too small, blurred or turned away`;
}
