import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { peopleIn } from '../../../../actors/index/summary-inputs/handlers.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { indexActor } from '../handlers.ts';
import { storedClusters } from '../people/clusterings.ts';
import { cluster, storeFaces } from '../people/faces.ts';

test('everyone a content shows is told with ranges, by name or by cluster', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [[1], [1, 2], [1], [], [2], [3]]);
  await storeFaces(index, cache_dir, 'bb', [[2], [2], [3]]);
  await storeFaces(index, cache_dir, 'cc', [[1], [1]]);
  await storeFaces(index, cache_dir, 'dd', [[1]]);
  const { cluster_ids, clusters } = await cluster(index, cache_dir, ['aa', 'bb']);
  await cluster(index, cache_dir, ['cc'], {}, 'second');
  const ada = cluster_ids[clusters[0]!]!;
  const assignments = [{ cluster_id: ada, name: 'Ada' }];
  await index.call('name_clusters', { cache_dir, cluster_job_name: 'job', assignments });
  const seen = async (hash_str: string) => (await index.call('people_in', { cache_dir, hash_str })).people;

  const ofFirst = await seen('aa');
  const ranges = Object.fromEntries(ofFirst.map((one) => [one.person, one.ranges]));
  const [two, three] = [clusters[2]!, clusters[5]!].map((one) => cluster_ids[one]!);
  const request = { Ada: [[0, 3]], [two!]: [[1, 2]].concat([[4, 5]]), [three!]: [[5, 6]] };
  assert.deepEqual(ranges, request);
  assert.deepEqual(
    ofFirst.map(({ is_named }) => is_named),
    ofFirst.map(({ person }) => person === 'Ada'),
  );
  assert.ok(ofFirst.every((one) => one.cluster_job_name === 'job' && one.ranges.length > 0));
  assert.equal(ofFirst.find(({ person }) => person === 'Ada')!.cluster_id, ada);
  assert.deepEqual(
    (await seen('cc')).map((one) => [one.cluster_job_name, one.ranges]),
    [['second', [[0, 2]]]],
  );
  // Faces that no clustering has are nobody yet.
  assert.deepEqual(await seen('dd'), []);
  assert.deepEqual(await seen('ff'), []);
});

test('one name on several clusters is one person, under the cluster that shows most of them', () => {
  const clustered = storedClusters(
    'job',
    [
      ['aa', 0, 'c1'],
      ['aa', 0, 'c2'],
      ['aa', 1, 'c2'],
      ['aa', 1, 'c3'],
      ['aa', 2, null],
      ['aa', 7, 'c1'],
      ['aa', 8, 'c2'],
      ['bb', 0, 'c4'],
    ],
    { c1: 'Ada', c2: 'Ada', c4: 'Ben' },
  );
  const job = { cluster_job_name: 'job' };
  assert.deepEqual(peopleIn(clustered, 'aa'), [
    {
      ...job,
      cluster_id: 'c2',
      person: 'Ada',
      is_named: true,
      ranges: [
        [0, 2],
        [7, 9],
      ],
    },
    { ...job, cluster_id: 'c3', person: 'c3', is_named: false, ranges: [[1, 2]] },
  ]);
  assert.deepEqual(peopleIn(clustered, 'zz'), []);
});

test('a damaged clustering is left out and told, the others are answered', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [[1], [1], [2], [2]]);
  await cluster(index, cache_dir, ['aa'], {}, 'broken');
  const columns = readdirSync(join(cache_dir, 'people')).filter((name) => name.startsWith('c-'));
  await cluster(index, cache_dir, ['aa'], {}, 'whole');
  for (const name of columns) rmSync(join(cache_dir, 'people', name));
  const again = await indexActor(t);
  const { people } = await again.call('people_in', { cache_dir, hash_str: 'aa' });
  assert.deepEqual([...new Set(people.map((one) => one.cluster_job_name))], ['whole']);
  assert.match(JSON.stringify(again.lines), /left out.*"broken"/);
});
