// Who is seen in one content, as a clustering says.
import { joinRanges } from '../../../runtime/join-ranges.ts';
import type { StoredClusters } from '../people/stored-clusters.ts';

/** What is needed of a clustering; its columns may be *borrowed*. */
export type Clustered = Pick<
  StoredClusters,
  'name' | 'hashes' | 'cluster_ids' | 'names' | 'media' | 'frames' | 'clusters'
>;

export interface PersonIn {
  readonly cluster_job_name: string;
  /** Of several clusters with one name the one with most of the faces. */
  readonly cluster_id: string;
  readonly person: string;
  readonly is_named: boolean;
  readonly ranges: [number, number][];
}

/** A name on several clusters is one person. In the order of the clusters. */
export function peopleIn(clustered: Clustered, hash: string): PersonIn[] {
  const framesOf = framesByCluster(clustered, clustered.hashes.indexOf(hash));
  const seen = [...framesOf.keys()].sort((a, b) => a - b);
  const { cluster_ids, names } = clustered;
  const people = Map.groupBy(seen, (cluster) => names[cluster] || `\0${cluster}`);
  return [...people.values()].map((own) => {
    const most = own.reduce((a, b) => (framesOf.get(b)!.length > framesOf.get(a)!.length ? b : a));
    const frames = own.flatMap((cluster) => framesOf.get(cluster)!);
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
  const found = new Map<number, number[]>();
  if (content < 0) return found;
  for (let at = media.indexOf(content); at >= 0 && media[at] === content; at++) {
    const cluster = clusters[at]!;
    if (cluster < 0) continue;
    const own = found.get(cluster);
    if (own === undefined) found.set(cluster, [frames[at]!]);
    else own.push(frames[at]!);
  }
  return found;
}
