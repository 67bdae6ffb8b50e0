import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import {
  type FacetReport,
  type FilterOperator,
  filterErrors,
  type MetadataFilter,
} from '../../../../actors/index/facets/contract.ts';
import { clusteringFacetId } from '../../../../actors/index/facets/people.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { everything, indexActor, someFootage, store } from '../handlers.ts';
import { FakeClusterings } from '../people/clusterings.ts';
import { record } from './media.ts';

const hashes = ['aa', 'bb', 'cc', 'dd'];
const facetOf = ({ facets }: FacetReport, id: string) => facets.find((one) => one.id === id);
const countsOf = (report: FacetReport, id: string) =>
  Object.fromEntries(facetOf(report, id)?.options.map(({ value, count }) => [value, count]) ?? []);

/**
 * Four films are known: Anna and Ben in the first, Anna in the second, nobody in the third, the last in no
 * clustering.
 */
async function clustered(t: TestContext) {
  const clusterings = new FakeClusterings();
  const faces = [
    ['aa', 1, 'c1'],
    ['aa', 1, 'c2'],
    ['aa', 5, 'c3'],
    ['bb', 0, 'c1'],
    ['bb', 3, 'c4'],
  ] as const;
  const names = { c1: 'Anna', c2: 'Ben', c3: 'Anna' };
  clusterings.store('cast', faces, names, ['cc']);
  const [index, cache_dir] = [await indexActor(t, { clusterings: () => clusterings }), temporaryFolder(t)];
  for (const hash of hashes)
    await index.call('remember', { cache_dir, media: record(hash, `/f/${hash}.mp4`) });
  const ask = (filters: MetadataFilter[] = []) =>
    index.call('facets', { cache_dir, scope: { mode: 'paths', hashes }, filters });
  const passing = async (operator: FilterOperator, ...values: string[]) => {
    const report = await ask([{ facet_id: 'people.cast', operator, values }]);
    return Object.keys(countsOf(report, 'file.extension')).length === 0
      ? 0
      : countsOf(report, 'file.extension')['mp4'];
  };
  return { clusterings, index, cache_dir, ask, passing, faces, names };
}

test('a clustering is a facet of the people with a name, counted by media', async (t) => {
  const { ask } = await clustered(t);
  const report = await ask();
  const { options: _, ...facet } = facetOf(report, 'people.cast')!;
  const path = ['People', 'cast'];
  assert.deepEqual(facet, { id: 'people.cast', label: 'cast', group: 'People', path, kind: 'multi' });
  assert.deepEqual(countsOf(report, 'people.cast'), { Anna: 2, Ben: 1 });
});

test('faces are counted as one frame shows them at most, and not where nobody looked', async (t) => {
  const { ask, clusterings } = await clustered(t);
  assert.deepEqual(countsOf(await ask(), 'people.face_count'), { none: 1, one: 1, two: 1 });
  const crowd = Array.from({ length: 7 }, () => ['dd', 4, null] as const);
  clusterings.store('crowd', [...crowd, ['cc', 2, 'x'], ['cc', 2, null], ['cc', 2, 'x']]);
  const report = await ask();
  assert.deepEqual(countsOf(report, 'people.face_count'), { one: 1, two: 1, three_to_five: 1, more: 1 });
  assert.deepEqual(
    facetOf(report, 'people.face_count')?.options.map(({ label }) => label),
    ['One face', 'Two faces', '3 to 5 faces', 'More than 5 faces'],
  );
});

test('people are filtered like everything else', async (t) => {
  const { passing, ask } = await clustered(t);
  assert.equal(await passing('include_any_of', 'Anna', 'Ben'), 2);
  assert.equal(await passing('include_all_of', 'Anna', 'Ben'), 1);
  assert.equal(await passing('exclude_any_of', 'Ben'), 3);
  assert.equal(await passing('exclude_all_of', 'Anna', 'Ben'), 3);
  assert.equal(await passing('is_not', 'Anna'), 2);
  assert.equal(await passing('include_any_of', 'Nobody'), 0);
  const two = await ask([{ facet_id: 'people.face_count', operator: 'is_any_of', values: ['two'] }]);
  assert.deepEqual(countsOf(two, 'people.cast'), { Anna: 1, Ben: 1 });
  const wrong = ask([{ facet_id: 'people.crew', operator: 'is_any_of', values: ['x'] }]);
  await assert.rejects(wrong, filterErrors.UNKNOWN_FACET.is);
});

test('what is named, clustered again or deleted is counted at once', async (t) => {
  const { clusterings, ask, faces, names } = await clustered(t);
  await ask();
  clusterings.store('cast', faces, { ...names, c4: 'Cleo' });
  assert.deepEqual(countsOf(await ask(), 'people.cast'), { Anna: 2, Ben: 1, Cleo: 1 });
  assert.deepEqual(countsOf(await ask(), 'people.face_count'), { one: 1, two: 1 });
  const { reads } = clusterings;
  const before = reads.length;
  await ask();
  assert.equal(reads.length, before);
  clusterings.remove('cast');
  const without = await ask();
  assert.equal(facetOf(without, 'people.cast'), undefined);
  assert.deepEqual(countsOf(without, 'people.face_count'), {});
});

test('media that the folder learns of later have their people too', async (t) => {
  const { clusterings, index, cache_dir, ask } = await clustered(t);
  await ask();
  clusterings.store('late', [['ee', 0, 'x']], { x: 'Eve' });
  assert.deepEqual(countsOf(await ask(), 'people.late'), {});
  await index.call('remember', { cache_dir, media: record('ee', '/f/ee.mp4') });
  const scope = { mode: 'paths' as const, hashes: ['ee'] };
  assert.deepEqual(countsOf(await index.call('facets', { cache_dir, scope, filters: [] }), 'people.late'), {
    Eve: 1,
  });
});

test('a damaged clustering is left out and named', async (t) => {
  const { clusterings, ask } = await clustered(t);
  clusterings.store('bad', [['aa', 1, 'x']], { x: 'Xaver' });
  await ask();
  clusterings.damage('bad');
  const report = await ask();
  assert.deepEqual(report.unreadable_people, ['bad']);
  assert.equal(facetOf(report, 'people.bad'), undefined);
  assert.deepEqual(countsOf(report, 'people.cast'), { Anna: 2, Ben: 1 });
});

test('a search is filtered by the facets of people', async (t) => {
  const { index, cache_dir } = await clustered(t);
  const model_key = 'model';
  for (const [i, hash] of hashes.entries()) await store(index, cache_dir, hash, someFootage(4, i));
  await index.load({ cache_dir, model_key, hashes: null });
  const filters = [{ facet_id: 'people.cast', operator: 'include_any_of', values: ['Ben'] } as const];
  const query = { text: someFootage(1, 9), picture: null, text_weight: 1, exclude: null };
  const scope = { ...everything, filters: filters.map((one) => ({ ...one, values: [...one.values] })) };
  const request = { cache_dir, model_key, ...query, scope, max_results: 10 };
  const { matches } = await index.call('search', request);
  assert.deepEqual([...new Set(matches.map(({ hash_str }) => hash_str))], ['aa']);
});

test('the id of a clustering is safe, its own, and not that of another facet', () => {
  assert.equal(clusteringFacetId('cast'), 'people.cast');
  assert.equal(clusteringFacetId('Straße 1/2 🎬'), 'people.Stra%C3%9Fe%201%2F2%20%F0%9F%8E%AC');
  assert.notEqual(clusteringFacetId('face_count'), 'people.face_count');
  assert.notEqual(clusteringFacetId('face_count'), clusteringFacetId('face%5Fcount'));
});
