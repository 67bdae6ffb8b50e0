import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folder, indexActor } from '../handlers.ts';
import { cluster, modelKey, people, storeFaces } from './faces.ts';

const cast = [[1, 2], [1, 2], [1], [], [2, 3]];

test('faces are stored, clustered, named and shown', async (t) => {
  const cache_dir = folder(t);
  const index = await indexActor(t);
  assert.deepEqual(await storeFaces(index, cache_dir, 'aa', cast), { faces: 7, kept_ids: 0 });
  await storeFaces(index, cache_dir, 'bb', [[], []]);
  const request = { cache_dir, model_key: modelKey, hashes: ['aa', 'bb', 'cc'] };
  assert.deepEqual(await index.call('faces_stored', request), {
    faces: [7, 0, null],
    from_previews: [false, false, false],
  });
  const { report, begun } = await cluster(index, cache_dir, ['aa', 'bb', 'cc']);
  assert.deepEqual([begun.entries, begun.missing, begun.before], [7, ['cc'], null]);
  assert.deepEqual([report.clusters, report.faces, report.noise, report.kept_clusters], [2, 7, 1, 0]);
  const names = [{ cluster_id: 'c1', name: ' Ada  Lovelace ' }];
  const named = await index.call('name_clusters', { cache_dir, cluster_job_name: 'job', assignments: names });
  assert.deepEqual(named.changes, { c1: 'Ada Lovelace' });
  const { clusters, noise, job } = await people(index, cache_dir);
  assert.deepEqual([job.total_entries, job.num_clusters, job.noise_entries], [7, 2, 1]);
  assert.deepEqual(job.cluster_ids, ['c1', 'c2']);
  assert.deepEqual(
    clusters.map(({ name, size, available_faces, shown }) => [size, available_faces, name, shown.toSorted()]),
    [
      [3, 3, clusters[0]!.name, clusters[0]!.shown.toSorted()],
      [3, 3, clusters[1]!.name, clusters[1]!.shown.toSorted()],
    ],
  );
  for (const { shown } of clusters) assert.equal(new Set(shown.map((one) => one.split(' ')[2])).size, 1);
  assert.deepEqual(clusters.map(({ name }) => name).sort(), ['', 'Ada Lovelace']);
  assert.deepEqual(noise.shown, ['aa 4 3']);
});
