// People: their clusters, names, corrections, clustering again, and their removal.
import type { Session } from '../session.ts';

const job = { cluster_job_name: 'people' };
const put = { method: 'PUT' };

interface Samples {
  readonly clusters: readonly { readonly cluster_id: string; readonly name: string; readonly size: number }[];
}

export async function faces(s: Session): Promise<void> {
  const cache_dir = encodeURIComponent(s.cacheDir);
  await s.ask(`/faces/clusters?cache_dir=${cache_dir}`);
  await s.ask('/faces/clusters');
  await s.inFolder('/faces/clusters/samples', { cluster_job_name: 'others' });
  const { body } = await s.inFolder<Samples>('/faces/clusters/samples', {
    ...job,
    limit_per_cluster: 1,
    include_noise: true,
  });
  const [first, second] = body.clusters.map(({ cluster_id }) => cluster_id) as [string, string];
  await s.inFolder('/faces/clusters/samples', {
    ...job,
    min_cluster_size: 4,
    max_clusters: 1,
    limit_per_cluster: 0,
  });
  await s.inFolder('/faces/clusters/faces', {
    ...job,
    cluster_id: first,
    limit: 1,
    offset: 1,
    include_entry_ids: true,
  });
  await s.inFolder('/faces/clusters/faces', { ...job, cluster_ids: [second, 'nobody'], limit: 0 });
  await s.inFolder('/faces/clusters/faces', { ...job, limit: 2001, cluster_id: first });
  await s.inFolder('/faces/clusters/faces', job);
  await s.inFolder(
    '/faces/clusters/names',
    { ...job, assignments: [{ cluster_id: second, name: ' Bea ' }] },
    put,
  );
  await s.inFolder(
    '/faces/clusters/names',
    { ...job, assignments: [{ cluster_id: 'nobody', name: 'X' }] },
    put,
  );
  await s.inFolder('/faces/clusters/names', { cluster_job_name: 'others', assignments: [] }, put);
  await s.inFolder('/faces/appearances', { ...job, people: [] });
  await s.inFolder('/faces/appearances', { ...job, people: ['Bae'] });
  await s.inFolder('/faces/suggest', { ...job, limit_per_cluster: 1, other_names: true });
}

export async function corrections(s: Session): Promise<void> {
  const samples = () => s.inFolder<Samples>('/faces/clusters/samples', { ...job, limit_per_cluster: 0 });
  const { body } = await samples();
  const [first, second, third] = body.clusters.map(({ cluster_id }) => cluster_id);
  await s.inFolder('/faces/clusters/modify', job);
  await s.inFolder('/faces/clusters/undo', job);
  const merge = { cluster_ids: [first, third] };
  await s.inFolder('/faces/clusters/modify', { ...job, merges: [{ ...merge, target_cluster_id: second }] });
  await s.inFolder('/faces/clusters/modify', { ...job, merges: [merge] });
  await s.inFolder('/faces/clusters/undo', job);
  const { body: page } = await s.inFolder<{ clusters: readonly { readonly entry_ids: readonly string[] }[] }>(
    '/faces/clusters/faces',
    { ...job, cluster_id: first, limit: 1, include_entry_ids: true },
  );
  const entry_ids = page.clusters[0]!.entry_ids;
  await s.inFolder('/faces/clusters/modify', {
    ...job,
    moves: [{ from_cluster_id: first, to_cluster_id: second, entry_ids }],
  });
  await s.inFolder('/faces/clusters/modify', {
    ...job,
    moves: [{ from_cluster_id: second, to_cluster_id: first, entry_ids: ['no-such-face'] }],
  });
  await s.run('/faces/recluster', { cache_dir: s.cacheDir, ...job, eps: 0.1, min_samples: 2 });
  await samples();
  await s.inFolder('/faces/recluster', { cluster_job_name: 'others' });
  await s.inFolder('/faces/recluster', { ...job, eps: 3 });
  await s.inFolder('/faces/clusters/delete', { ...job, person_name: 'Nobody' });
  await s.inFolder('/faces/clusters/delete', { ...job, person_name: 'Bea' });
  await s.inFolder('/faces/clusters/delete', job);
  await s.inFolder('/faces/clusters/delete', job);
}
