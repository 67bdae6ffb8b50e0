// Media whose faces are away for a while: damaged, or not looked at by the models that are used now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { folder, indexActor } from '../handlers.ts';
import { cluster, modelKey, people, storeFaces } from './faces.ts';

const cluster_job_name = 'job';

test('the name of somebody all of whose media are away comes back with them', async (t) => {
  const cache_dir = folder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [[1], [1], [1]]);
  await storeFaces(index, cache_dir, 'bb', [[2], [2], [2]]);
  const { cluster_ids, clusters } = await cluster(index, cache_dir, ['aa', 'bb']);
  const assignments = [{ cluster_id: cluster_ids[clusters[3]!]!, name: 'Ben' }];
  await index.call('name_clusters', { cache_dir, cluster_job_name, assignments });
  const model_key = 'other+model';
  await storeFaces(index, cache_dir, 'aa', [[1], [1], [1]], { model_key });
  const away = await cluster(index, cache_dir, ['aa', 'bb'], { model_key });
  assert.deepEqual([away.begun.missing, away.report.lost_names], [['bb'], ['Ben']]);
  await storeFaces(index, cache_dir, 'bb', [[2], [2], [2]], { model_key });
  const back = await cluster(index, cache_dir, ['aa', 'bb'], { model_key });
  assert.equal(back.names[back.clusters[back.begun.entries - 1]!], 'Ben');
});

test('a clustering that was deleted and made again meanwhile is not written over', async (t) => {
  const cache_dir = folder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [[1], [1], [1]]);
  await cluster(index, cache_dir, ['aa'], {}, 'other');
  await cluster(index, cache_dir, ['aa']);
  const request = { cache_dir, cluster_job_name, model_key: modelKey, hashes: ['aa'] };
  const begun = { ...request, eps: 0.2, min_samples: 2 };
  const { clustering, entries } = await index.call('begin_clustering', begun);
  await index.call('delete_people', { cache_dir, cluster_job_name, cluster_id: null });
  await cluster(index, cache_dir, ['aa']);
  const labels = new Int32Array(entries).fill(-1);
  const found = { labels, neighbours: labels.slice(), eps: 0.2, clear_names: false };
  const committed = index.call('commit_clustering', { clustering, ...found });
  await assert.rejects(committed, peopleErrors.CLUSTERING_CHANGED.is);
  assert.equal((await people(index, cache_dir)).clusters.length, 1);
});
