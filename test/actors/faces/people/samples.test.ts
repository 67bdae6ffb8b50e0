import assert from 'node:assert/strict';
import test from 'node:test';
import { FACES_AT_ONCE, PictureBudget, picturesOf } from '../../../../actors/faces/people/samples.ts';
import { FakeIndex, fakeJob } from './fake-index.ts';

const named = { cache_dir: '/cache', cluster_job_name: 'Crowd' };
const never = { start: () => assert.fail('no task is started') };
/** In the middle of a buffer, as a view of a pack lies. */
const six = (entry: string) => new Uint8Array(Buffer.from(`##${entry.padEnd(6)}##`)).subarray(2, 8);

function crowd(clusters: number, faces: number, mostLetters: number) {
  const index = new FakeIndex({ picture: six });
  const ids = Array.from({ length: clusters }, (_, i) => `c${i}`);
  index.put('/cache', fakeJob('Crowd', Object.fromEntries(ids.map((id) => [id, faces]))));
  const parts = { index: index.ref, tasks: never, mostLetters };
  return { index, ids, parts, budget: new PictureBudget(parts) };
}

test('a picture is the bytes of its view and nothing around them', async () => {
  const { parts, budget } = crowd(1, 1, 100);
  const page = { cluster_ids: ['c0'], offset: 0, limit: 1 };
  const { clusters } = await picturesOf(parts, named, page, budget, undefined);
  assert.equal(Buffer.from(clusters[0]!.faces[0]!, 'base64').toString(), 'c0-0  ');
  assert.equal(budget.warning(), null);
});

test('what does not fit is left out from the last clusters on, is not even asked for, and is told', async () => {
  // Eight letters a picture: two clusters and a half.
  const { index, ids, parts, budget } = crowd(6, 1000, 2500 * 8);
  const page = { cluster_ids: ids, offset: 0, limit: 1000 };
  const { clusters } = await picturesOf(parts, named, page, budget, undefined);
  assert.deepEqual(
    clusters.map(({ faces, entry_ids, size }) => [faces.length, entry_ids.length, size]),
    [
      [1000, 1000, 1000],
      [1000, 1000, 1000],
      [500, 500, 1000],
      [0, 0, 1000],
      [0, 0, 1000],
      [0, 0, 1000],
    ],
  );
  assert.match(budget.warning()!, /^3500 pictures do not fit into one response, starting at cluster c2/);
  assert.deepEqual(
    index.asked.map(({ request }) => [(request['clusters'] as string[]).length, request['limit']]),
    [
      [1, 1000],
      [1, 1000],
      [1, 1000],
      [3, 0],
    ],
  );
});

test('small pages of many clusters go in few messages, and unknown ids of all of them are told', async () => {
  const { index, ids, parts, budget } = crowd(500, 3, 1e6);
  const page = { cluster_ids: ['x', ...ids, 'y'], offset: 1, limit: 12 };
  const { clusters, unknown } = await picturesOf(parts, named, page, budget, undefined);
  assert.deepEqual([clusters.length, unknown], [500, ['x', 'y']]);
  assert.equal(index.asked.length, Math.ceil((502 * 12) / FACES_AT_ONCE));
});
