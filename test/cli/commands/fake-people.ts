// A clustering of faces that answers as the engine does, and remembers what it was asked to change.
import type { FaceClusterJob, People } from '../../../actors/library/people/contract.ts';

const jpeg = (text: string) => Buffer.from(text).toString('base64');

export function clusterJob(more: Partial<FaceClusterJob> = {}): FaceClusterJob {
  const sizes = [
    ['c1', 40],
    ['c2', 9],
    ['c3', 7],
  ] as const;
  return {
    name: 'family',
    total_entries: 60,
    num_clusters: 3,
    noise_entries: 4,
    cluster_ids: sizes.map(([id]) => id),
    face_storage_version: 2,
    media_hashes: ['aa', 'bb'],
    model_key: 'yunet+sface',
    eps: 0.4,
    used_eps: 0.4,
    min_samples: 3,
    names: { c1: 'Anna' },
    can_undo: false,
    clustered: 1_700_000_000,
    ...more,
  };
}

/** `job`: the only one there is; its clusters have 40, 9, 7, 6, 5 … faces. */
export function fakePeople(job: FaceClusterJob = clusterJob()) {
  const changed: { readonly what: string; readonly asked: object }[] = [];
  const sizeOf = (id: string) => [40, 9, 7][job.cluster_ids.indexOf(id)] ?? 5;
  const named = (cluster_id: string) => ({
    cluster_id,
    name: job.names[cluster_id] ?? '',
    size: sizeOf(cluster_id),
  });
  const keep = <A extends object, T>(what: string, answer: (asked: A) => T) => {
    return async (asked: A) => {
      changed.push({ what, asked });
      return answer(asked);
    };
  };
  const people: People = {
    jobs: async () => ({ cluster_jobs: [job.name], jobs: [job] }),
    samples: async ({ max_clusters, limit_per_cluster, max_cluster_size, include_noise }) => {
      const fitting = job.cluster_ids.filter((id) => sizeOf(id) <= max_cluster_size);
      return {
        cluster_job_name: job.name,
        num_clusters: job.num_clusters,
        num_clusters_after_filter: fitting.length,
        total_entries: job.total_entries,
        clusters: fitting.slice(0, max_clusters).map((id) => ({
          ...named(id),
          sample_faces: Array.from({ length: Math.min(limit_per_cluster, sizeOf(id)) }, (_, i) =>
            jpeg(`${id} ${i}`),
          ),
        })),
        ...(include_noise && { noise_size: job.noise_entries, noise_sample: [jpeg('noise')] }),
      };
    },
    faces: async ({ cluster_ids, limit, offset, include_entry_ids, include_places, include_noise }) => ({
      cluster_job_name: job.name,
      limit,
      offset,
      clusters: cluster_ids.map((id) => {
        const all = Array.from({ length: sizeOf(id) }, (_, i) => i).slice(offset, offset + limit);
        return {
          ...named(id),
          available_faces: sizeOf(id),
          faces: all.map((i) => jpeg(`${id} ${i}`)),
          ...(include_entry_ids && { entry_ids: all.map((i) => `${id}-face-${i}`) }),
          ...(include_places && {
            places: all.map((i) => ({ hash_str: 'aa', media_path: '/films/a.mp4', seconds: i })),
          }),
        };
      }),
      ...(include_noise && {
        noise: {
          size: job.noise_entries,
          available_faces: job.noise_entries,
          faces: [jpeg('noise')],
          entry_ids: ['noise-face-0'],
          places: [{ hash_str: 'bb', media_path: null, seconds: 0 }],
        },
      }),
    }),
    name: keep('name', ({ assignments }) => ({
      updated: assignments.length,
      changes: Object.fromEntries(assignments.map((one) => [one.cluster_id, one.name ?? ''])),
    })),
    modify: keep('modify', ({ merges, moves }) => ({
      merges: merges.map(({ cluster_ids, target_cluster_id = cluster_ids[0]! }) => {
        return { target_cluster_id, cluster_ids: [...cluster_ids], size: 49 };
      }),
      moves: moves.map(({ from_cluster_id: from, to_cluster_id: to, entry_ids }) => {
        return { from, to: to ?? 'new', moved: entry_ids.length };
      }),
      apart: [],
    })),
    undo: keep('undo', () => ({ ...job, num_clusters: job.num_clusters + 1 })),
    suggest: keep('suggest', () => ({ suggestions: [] })),
    recluster: keep('recluster', () => ({ task_id: 't' })),
    remove: keep('remove', ({ cluster_id }) => ({
      deleted_jobs: cluster_id === null ? 1 : 0,
      deleted_clusters: 1,
      deleted_faces: 10,
      removed_faces: 10,
      message: 'Gone with the next compaction',
    })),
    appearances: async ({ people: asked }) => ({
      cluster_job_name: job.name,
      people: (asked.length > 0 ? asked : Object.keys(job.names)).map((id) => ({
        cluster_id: id,
        name: job.names[id] ?? '',
        media: [
          {
            media_path: '/f/a.mp4',
            hash_str: 'aa',
            faces: 12,
            ranges: [
              [5, 6],
              [3600, 3610],
            ],
          },
          { media_path: '/f/b.jpg', hash_str: 'bb', faces: 1, ranges: [[0, 1]] },
        ],
      })),
    }),
  };
  return { people, changed };
}
