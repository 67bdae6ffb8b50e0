import assert from 'node:assert/strict';
import test from 'node:test';
import { folder, indexActor } from '../handlers.ts';
import { cluster, storeFaces } from '../people/faces.ts';

test('faces of people with a name are told for each content, whichever clustering names them', async (t) => {
  const [index, cache_dir] = [await indexActor(t), folder(t)];
  await storeFaces(index, cache_dir, 'aa', [[1], [1, 2], [], [2]]);
  await storeFaces(index, cache_dir, 'bb', [[2]]);
  const of = async (job: string) => (await cluster(index, cache_dir, ['aa', 'bb'], {}, job)).cluster_ids;
  // The largest first.
  const [ben, ann] = (await of('first')) as [string, string];
  await of('second');
  const name = (cluster_job_name: string, cluster_id: string, to: string) =>
    index.call('name_clusters', { cache_dir, cluster_job_name, assignments: [{ cluster_id, name: to }] });
  const named = async (...hashes: string[]) => {
    const { people, unreadable } = await index.call('named_faces', { cache_dir, hashes });
    assert.deepEqual(unreadable, []);
    return people.map((all) => all.map((one) => [one.name, one.faces.map(({ frame }) => frame)]));
  };
  assert.deepEqual(await named('aa', 'bb', 'cc'), [[], [], []]);
  await name('first', ann, 'Ann');
  await name('first', ben, 'Ben');
  assert.deepEqual(await named('bb', 'aa'), [
    [['Ben', [0]]],
    [
      ['Ann', [0, 1]],
      ['Ben', [1, 3]],
    ],
  ]);
  // One face that two clusterings call by different names has both.
  await name('second', ben, 'Benjamin');
  assert.deepEqual(await named('bb'), [
    [
      ['Ben', [0]],
      ['Benjamin', [0]],
    ],
  ]);
  const { people } = await index.call('named_faces', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(
    people[0]![0]!.faces[0]!.box.map((side) => Math.round(side * 1000) / 1000),
    [0.125, 0, 0.1, 0.1],
  );
});
