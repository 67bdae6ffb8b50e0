// What the view of people keeps, and what it asks for.
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { createSlice, useStore } from '../../store.ts';

export type Job = Awaited<ReturnType<typeof api.faceClusters>>['jobs'][number];
export type Samples = Extract<
  Awaited<ReturnType<typeof api.clusterSamples>>,
  { readonly clusters: readonly unknown[] }
>;
export type Cluster = Samples['clusters'][number];

export interface PeopleState {
  /** Name of the clustering; null for the first one. */
  readonly job: string | null;
  /** Ids of clusters. */
  readonly chosen: readonly string[];
  /** Changes made here: what is shown is asked for again. */
  readonly changes: number;
  /** The task that clusters again. */
  readonly task_id: string | null;
}

export const slice = createSlice<PeopleState>('people', { job: null, chosen: [], changes: 0, task_id: null });

export function changed(): void {
  slice.update(({ changes }) => ({ changes: changes + 1 }));
}

export const useCacheDir = () => useStore(({ folder }) => folder.cache_dir);

/** The clusterings, and the one that is looked at. */
export function useJobs() {
  const cache_dir = useCacheDir();
  const { job: name, changes } = slice.use((state) => state);
  const asked = useAsk(cache_dir === null ? null : (signal) => api.faceClusters({ cache_dir }, { signal }), [
    cache_dir,
    changes,
  ]);
  const jobs = asked.value?.jobs ?? [];
  return { ...asked, jobs, job: jobs.find((one) => one.name === name) ?? jobs[0] ?? null };
}

/** The largest clusters with their best faces; no faces at all: none. */
export function useClusters(job: Job, most: number, faces: number) {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  return useAsk(
    cache_dir === null
      ? null
      : async (signal) => {
          const asked = {
            cache_dir,
            cluster_job_name: job.name,
            max_clusters: most,
            limit_per_cluster: faces,
          };
          const answer = await api.clusterSamples(asked, { signal });
          return 'clusters' in answer ? answer : null;
        },
    [cache_dir, job.name, changes, most],
  );
}
