// A clustering of which only the names matter.
import type { ClusterJob } from '../../../../actors/index/people/contract.ts';

export function jobOfNames(names: Readonly<Record<string, string>>): ClusterJob {
  const cluster_ids = Object.keys(names);
  return {
    name: 'Family',
    total_entries: 10,
    num_clusters: cluster_ids.length,
    noise_entries: 0,
    cluster_ids,
    face_storage_version: 2,
    media_hashes: [],
    model_key: 'm',
    eps: 0.48,
    min_samples: 5,
    names: Object.fromEntries(Object.entries(names).filter(([, name]) => name !== '')),
    can_undo: false,
    clustered_ms: 0,
  };
}
