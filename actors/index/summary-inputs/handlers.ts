// Handlers about the data of summaries, which is read from the store whether it is loaded or not.
import { type Handlers, Sent } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import type { StoredClusters } from '../people/cluster-columns.ts';
import { readable } from '../store/faults.ts';
import type { StoreParts } from '../store/handlers.ts';
import { sampleVectors, vectorPage } from '../store/stored-vectors.ts';
import type { summaryInputMessages } from './contract.ts';

export function summaryInputHandlers({
  folders,
}: StoreParts): Handlers<Contract<typeof summaryInputMessages>> {
  return {
    analysed_by: ({ cache_dir, hashes }) =>
      folders.with(cache_dir, (store) => ({ models: store.visual.storedBy(hashes) })),
    stored_vectors: ({ cache_dir, model_key, hash_str, from, most }) =>
      folders.with(cache_dir, (store) => {
        const page = vectorPage(store.visual, model_key, hash_str, from, most);
        return new Sent(page, {
          transfer: [page.frames.buffer, page.vectors.buffer, page.cuts.buffer],
        });
      }),
    sample_vectors: ({ cache_dir, model_key, most }, turn) =>
      folders.with(cache_dir, (store) => {
        const pause = () => turn.throwIfCancelled();
        const warn = (message: string, fields: Readonly<Record<string, unknown>>) =>
          turn.log.warn(message, fields);
        const sample = sampleVectors(store.visual, model_key, most, { pause, warn });
        return new Sent(sample, { transfer: [sample.vectors.buffer] });
      }),
    people_in: ({ cache_dir, hash_str }, turn) =>
      folders.with(cache_dir, (store) => {
        const people = store.people.clusterings().flatMap((name) => {
          turn.throwIfCancelled();
          const clustered = readable(
            () => store.people.stored.readWith(name, hash_str),
            (error) =>
              turn.log.warn('A face clustering cannot be read and is left out', {
                name,
                reason: error.message,
              }),
          );
          return clustered === null ? [] : peopleIn(clustered, hash_str);
        });
        return { people };
      }),
  };
}

// People in one content, by a clustering.

/** The needed part of a clustering; its columns may be *borrowed*. */
type Clustered = Pick<
  StoredClusters,
  'name' | 'hashes' | 'cluster_ids' | 'names' | 'media' | 'frames' | 'clusters'
>;

interface PersonIn {
  readonly cluster_job_name: string;
  /** Cluster of the name; of several the one with most of the faces. */
  readonly cluster_id: string;
  readonly person: string;
  readonly is_named: boolean;
  readonly ranges: [number, number][];
}

/** A name on several clusters is one person. In the order of the clusters. */
export function peopleIn(clustered: Clustered, hash: string): PersonIn[] {
  const framesOf = framesByCluster(clustered, clustered.hashes.indexOf(hash));
  const clusters = [...framesOf.keys()].sort((a, b) => a - b);
  const { cluster_ids, names } = clustered;
  const people = Map.groupBy(clusters, (cluster) => names[cluster] || `\0${cluster}`);
  return [...people.values()].map((clusterGroup) => {
    const most = clusterGroup.reduce((a, b) => (framesOf.get(b)!.length > framesOf.get(a)!.length ? b : a));
    const frames = clusterGroup.flatMap((cluster) => framesOf.get(cluster)!);
    const cluster_id = cluster_ids[most]!;
    const name = names[most]!;
    return {
      cluster_job_name: clustered.name,
      cluster_id,
      person: name || cluster_id,
      is_named: name !== '',
      ranges: joinRanges(frames.map((frame) => [frame, frame + 1] as const)),
    };
  });
}

/** Entries of one content follow each other. */
function framesByCluster({ media, frames, clusters }: Clustered, content: number): Map<number, number[]> {
  const frameLists = new Map<number, number[]>();
  if (content < 0) return frameLists;
  for (let at = media.indexOf(content); at >= 0 && media[at] === content; at++) {
    const cluster = clusters[at]!;
    if (cluster < 0) continue;
    const clusterFrames = frameLists.get(cluster);
    if (clusterFrames === undefined) frameLists.set(cluster, [frames[at]!]);
    else clusterFrames.push(frames[at]!);
  }
  return frameLists;
}
