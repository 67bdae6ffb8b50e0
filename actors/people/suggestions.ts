// Pairs of clusters that may be one person, most alike first, each with faces to look at.
import { Semaphore } from '../../runtime/sync/semaphore.ts';
import { embedderSides } from '../models/face-distance.ts';
import { likenessScale } from '../models/likeness-scale.ts';
import type { SuggestClustersRequest, SuggestedClusters } from './contract.ts';
import { changeableJob, now, type PeopleParts } from './parts.ts';
import { knownCluster } from './persons.ts';
import { PictureBudget, type Pictures, picturesOf } from './pictures.ts';

type Signal = AbortSignal | undefined;

/** Throws UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER, LEGACY_STORAGE. */
export async function suggestClusters(
  parts: PeopleParts,
  request: SuggestClustersRequest,
  signal: Signal,
): Promise<SuggestedClusters> {
  const { limit_per_cluster, cluster_id } = request;
  const job = await changeableJob(parts, request, signal);
  if (cluster_id !== undefined) knownCluster(job, cluster_id, 'cluster_id');
  const side = (await embedderSides(parts.modelLibrary))(job.model_key);
  const scale = likenessScale(side?.thresholds.same ?? 1 - job.eps);
  const { comparisons = new Semaphore(1) } = parts;
  const compare = () => compared(parts, request, scale.least, signal);
  const { pairs, left_out } = await comparisons.run(compare, { signal });
  const cluster_ids = [...new Set(pairs.flatMap((pair) => pair.cluster_ids))];
  const budget = new PictureBudget(parts);
  const page = { cluster_ids, offset: 0, limit: limit_per_cluster };
  const { clusters } = await picturesOf(parts, request, page, budget, signal);
  const shown = new Map(clusters.map((one) => [one.cluster_id, one]));
  const suggestions = pairs.flatMap(({ cluster_ids: [one, other], cosine }) => {
    const samples = [shown.get(one), shown.get(other)];
    // One of them was merged away between two messages.
    if (!samples.every((sample) => sample !== undefined)) return [];
    const names = samples.map(({ name }) => name);
    const similarity = scale.of(cosine);
    return [{ cluster_ids: [one, other] as string[], names, similarity, samples: samples.map(sampleOf) }];
  });
  const warnings = [leftOutWarning(left_out), budget.warning()].filter((one) => one !== null);
  return { suggestions, ...(warnings.length > 0 && { warning: warnings.join('. ') }) };
}

/** The comparison goes on in steps, so that searches come in between. */
async function compared(
  { index }: PeopleParts,
  { cache_dir, cluster_job_name, cluster_id, other_names, limit }: SuggestClustersRequest,
  least: number,
  signal: Signal,
) {
  const only = cluster_id ?? null;
  const asked = { cache_dir, cluster_job_name, cluster_id: only, other_names, least, limit };
  let answer = await index.ask('suggest_clusters', asked, now(signal));
  while (!answer.done) {
    answer = await index.ask('suggest_clusters', { ...asked, begun: answer.comparison }, now(signal));
  }
  return answer;
}

function sampleOf({ cluster_id, name, size, faces, entry_ids }: Pictures) {
  return { cluster_id, name, size, sample_faces: faces, entry_ids };
}

function leftOutWarning(count: number): string | null {
  if (count === 0) return null;
  const them = count === 1 ? 'The smallest cluster was' : `The ${count} smallest clusters were`;
  return `${them} not compared: there are too many`;
}
