// Names the clusters of a job after the people of whom samples were given.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { TaskContext } from '../task-context.ts';
import type { Clusterer } from './clusterer.ts';
import type { SampleFaceNaming } from './facts.ts';
import { joined } from './file-faces.ts';
import type { FaceFinder } from './finder.ts';
import type { FaceJob } from './jobs.ts';
import { nameClusters } from './naming.ts';
import { type Reference, readReference } from './references.ts';

/** Clusters as they are stored now. */
export interface StoredClusters {
  readonly cluster_ids: readonly string[];
  /** Aligned with `cluster_ids`; empty without a name. */
  readonly names: readonly string[];
  /** One an entry, its cluster by position. */
  readonly clusters: Int32Array;
}

export interface Naming {
  readonly result: SampleFaceNaming;
  /** What was wrong with pictures. */
  readonly complaints: readonly string[];
}

/** Answers when the names are stored. */
export async function nameFromSamples(
  task: TaskContext,
  job: FaceJob,
  { cluster_ids, names, clusters }: StoredClusters,
  { finder, clusterer, signal }: { finder: FaceFinder; clusterer: Clusterer; signal: AbortSignal },
): Promise<Naming> {
  const { index, prober, pool } = task.parts;
  const attachment = (number: number) => attachmentOf(task, number);
  const people: Reference[] = [];
  for (const sample of job.samples) {
    people.push(await readReference(sample, { finder, prober, pool, attachment, signal }));
  }
  const vectors = people.flatMap((person) => person.vectors);
  const rows = await clusterer.similarities(clusters, joined(vectors), vectors.length);
  let at = 0;
  const referenced = people.map(({ name, reason, vectors: own }) => {
    at += own.length;
    return { name, reason, rows: rows.slice(at - own.length, at) };
  });
  const result = nameClusters(referenced, { ids: cluster_ids, names }, finder.model);
  const assignments = result.assignments.map(({ cluster_id, name }) => ({ cluster_id, name }));
  if (assignments.length > 0) {
    const { cache_dir } = task.request;
    // Not cancellable: what is finished stays.
    await index.ask('name_clusters', { cache_dir, cluster_job_name: job.name, assignments });
  }
  return { result, complaints: people.flatMap((person) => person.complaints) };
}

/** Where a picture lies that came with the request. */
function attachmentOf({ run }: TaskContext, number: number): string {
  if (!run.attachment) throw engineErrors.INTERNAL(`picture ${number} of the request was not kept`);
  return run.attachment(number);
}
