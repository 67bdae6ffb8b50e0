import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { nodeCommand } from '../../../node-command.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { indexActor } from '../handlers.ts';
import { begin, cluster, modelKey, people, storeFaces } from './faces.ts';

test('what was clustered before comes first and is known, until anything of it differs', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'bb', [
    [1, 2],
    [1, 2],
  ]);
  await storeFaces(index, cache_dir, 'dd', [[1], [2]]);
  const { clusters } = await cluster(index, cache_dir, ['dd', 'bb', 'ee']);
  await storeFaces(index, cache_dir, 'aa', [[1, 3], [3]]);
  await storeFaces(index, cache_dir, 'ee', [[2]]);
  const grown = await cluster(index, cache_dir, ['aa']);
  assert.deepEqual([grown.begun.entries, grown.begun.before?.labels.length], [10, 6]);
  assert.deepEqual([...grown.clusters.subarray(0, 6)], [...clusters]);
  assert.deepEqual([grown.report.kept_clusters, grown.report.clusters], [2, 3]);
  const begin = async (more: object = {}) => {
    const request = {
      cache_dir,
      cluster_job_name: 'job',
      model_key: modelKey,
      hashes: [],
      eps: 0.2,
      min_samples: 2,
    };
    return (await index.call('begin_clustering', { ...request, ...more })).before?.labels.length ?? null;
  };
  assert.equal(await begin(), 10);
  assert.equal(await begin({ eps: 0.3 }), null);
  assert.equal(await begin({ eps: null }), null);
  assert.equal(await begin({ min_samples: 3 }), null);
  assert.equal(await begin({ model_key: 'other' }), null);
  await storeFaces(index, cache_dir, 'bb', [
    [1, 2],
    [1, 2],
  ]);
  assert.equal(await begin(), null);
});

test('a page of faces begins where the one before ended, and each media comes before a second face of any', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  for (const [hash, sharpness] of Object.entries({ aa: 0.9, bb: 0.5, cc: 0.1 })) {
    await storeFaces(index, cache_dir, hash, [[1], [1], [1]], { more: { sharpness } });
  }
  await cluster(index, cache_dir, ['aa', 'bb', 'cc']);
  const { clusters } = await people(index, cache_dir);
  const whole = clusters[0]!;
  assert.deepEqual(
    whole.shown.map((one) => one.slice(0, 2)),
    ['aa', 'bb', 'cc', 'aa', 'bb', 'cc', 'aa', 'bb', 'cc'],
  );
  const request = {
    cache_dir,
    cluster_job_name: 'job',
    min_size: 1,
    max_size: 10,
    max_clusters: 5,
    noise: false,
  };
  const entries: string[] = [];
  for (const offset of [0, 2, 4, 6, 8, 10]) {
    const page = { clusters: ['c1', 'c9', 'c1'], offset, limit: 2 };
    const answer = await index.call('cluster_faces', { ...request, ...page });
    assert.deepEqual([answer.unknown, answer.clusters.length, answer.noise], [['c9'], 1, null]);
    entries.push(...answer.clusters[0]!.entry_ids);
  }
  assert.deepEqual(entries, whole.entry_ids);
  const small = await index.call('cluster_faces', {
    ...request,
    clusters: null,
    max_size: 5,
    offset: 0,
    limit: 1,
  });
  assert.deepEqual([small.matching, small.clusters], [0, []]);
});

test('while another process writes, faces are read, and neither stored nor corrected', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [
    [1, 2],
    [1, 2],
  ]);
  await cluster(index, cache_dir, ['aa']);
  const program = fileURLToPath(new URL('../store/writer-process.ts', import.meta.url));
  const [node, ...flags] = nodeCommand;
  const other = spawn(node, [...flags, program, cache_dir, 'hold']);
  t.after(() => other.kill('SIGKILL'));
  for await (const text of other.stdout) if (String(text).includes('holding')) break;
  assert.equal((await people(index, cache_dir)).clusters.length, 2);
  const begun = { cache_dir, hash_str: 'bb', model_key: modelKey, dimensions: 16 };
  await assert.rejects(index.call('begin_faces', begun), storeErrors.STORE_IN_USE.is);
  const merges = [{ cluster_ids: ['c1', 'c2'] }];
  const modified = index.call('modify_clusters', { cache_dir, cluster_job_name: 'job', merges, moves: [] });
  await assert.rejects(modified, storeErrors.STORE_IN_USE.is);
  await assert.rejects(cluster(index, cache_dir, []), storeErrors.STORE_IN_USE.is);
  other.stdin.end();
  await once(other, 'exit');
  assert.equal((await cluster(index, cache_dir, [])).report.clusters, 2);
});

test('a clustering is begun in steps, between which everything else is answered, and changes nothing by that', async (t) => {
  const cache_dir = temporaryFolder(t);
  const [whole, small] = [await indexActor(t), await indexActor(t, { clusteringBytes: 1 })];
  for (const hash of ['aa', 'bb', 'cc']) await storeFaces(whole, cache_dir, hash, [[1, 2], [1], [2]]);
  const request = { cache_dir, cluster_job_name: 'job', model_key: modelKey, eps: 0.2, min_samples: 2 };
  const hashes = ['aa', 'bb', 'cc', 'dd'];
  const at_once = await whole.call('begin_clustering', { ...request, hashes });
  assert.deepEqual([at_once.done, at_once.entries, at_once.missing], [true, 12, ['dd']]);
  const first = await small.call('begin_clustering', { ...request, hashes });
  assert.equal(first.done, false);
  const page = { clustering: first.clustering, from: 0, most: 9 };
  await assert.rejects(small.call('clustering_vectors', page), engineErrors.INVALID_MESSAGE.is);
  const none = { labels: new Int32Array(0), neighbours: new Int32Array(0), eps: 0.2, clear_names: false };
  const early = small.call('commit_clustering', { clustering: first.clustering, ...none });
  await assert.rejects(early, engineErrors.INVALID_MESSAGE.is);
  // Faces that are others by the end are found out when it is committed.
  await storeFaces(small, cache_dir, 'aa', [[1], [2]]);
  const begun = await begin(small, { ...request, hashes, begun: first.clustering });
  assert.deepEqual([begun.clustering, begun.entries, begun.missing], [first.clustering, 12, ['dd']]);
  const zeros = { labels: new Int32Array(12), neighbours: new Int32Array(12) };
  const late = small.call('commit_clustering', { clustering: begun.clustering, ...none, ...zeros });
  await assert.rejects(late, peopleErrors.CLUSTERING_CHANGED.is);
  const { report } = await cluster(small, cache_dir, hashes);
  assert.deepEqual([report.faces, report.clusters], [10, 2]);
  assert.equal((await cluster(whole, cache_dir, [])).begun.before?.labels.length, 10);
});
