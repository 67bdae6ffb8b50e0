import assert from 'node:assert/strict';
import test from 'node:test';
import type { FacetReport, MetadataFilter } from '../../../../actors/index/facets/contract.ts';
import type { ThingTrack } from '../../../../actors/things/tracks.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { storeFaces } from '../people/faces.ts';

const hashes = ['aa', 'bb', 'cc'];
const track = (
  name: ThingTrack['class'],
  score = 0.8,
  box: ThingTrack['box'] = [0.4, 0.4, 0.1, 0.1],
): ThingTrack => {
  return { class: name, start: 0, end: 1, best: 0, score, box, colours: [] };
};
const countsOf = ({ facets }: FacetReport, name: string) =>
  Object.fromEntries(
    facets.find(({ id }) => id === `things.${name}`)?.options.map(({ value, count }) => [value, count]) ?? [],
  );

async function storeTracks(index: Harness, cache_dir: string, hash: string, tracks: ThingTrack[]) {
  const media = mediaRecord(hash);
  const found = { type: 'things' as const, items: tracks };
  await index.call('store_result', { cache_dir, media, model_key: 'm', found, from_previews: false });
}

function asking(index: Harness, cache_dir: string) {
  return (filters: MetadataFilter[] = []) =>
    index.call('facets', { cache_dir, scope: { mode: 'paths', hashes }, filters });
}

test('media are counted by what is believed to be seen in them, and by the rest apart', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const ask = asking(index, cache_dir);
  await storeTracks(index, cache_dir, 'aa', [
    track('dog'),
    track('dog'),
    track('car', 0.49),
    track('toaster'),
  ]);
  await storeTracks(index, cache_dir, 'bb', [track('dog', 0.7), track('person')]);
  await index.call('remember', { cache_dir, media: mediaRecord('cc') });
  const report = await ask();
  assert.deepEqual(countsOf(report, 'seen'), { dog: 2, person: 1 });
  assert.deepEqual(countsOf(report, 'unmeasured'), { toaster: 1 });
  const filter = { facet_id: 'things.seen', operator: 'include_all_of', values: ['dog', 'person'] } as const;
  assert.deepEqual(countsOf(await ask([{ ...filter, values: [...filter.values] }]), 'unmeasured'), {});
  const scope = { hashes: null, ranges: {}, filters: [{ ...filter, values: [...filter.values] }] };
  const resolved = { cache_dir, model_key: null, stored: true, names: [], filters: scope.filters };
  assert.deepEqual((await index.call('resolve', resolved)).hashes, []);
});

test('classes that are seen surely somewhere are proposed as searches, with their best score', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const ask = asking(index, cache_dir);
  const suggested = async () => {
    const { facets } = await ask();
    const options = facets.find(({ id }) => id === 'things.seen')?.options ?? [];
    return Object.fromEntries(options.map(({ value, meta }) => [value, meta['suggested']]));
  };
  await storeTracks(index, cache_dir, 'aa', [track('car', 0.78), track('airplane', 0.84)]);
  await storeTracks(index, cache_dir, 'bb', [track('car', 0.9), track('car', 0.8)]);
  assert.deepEqual(await suggested(), { car: 0.9, airplane: null });
  await storeTracks(index, cache_dir, 'bb', [track('dog', 0.85)]);
  assert.deepEqual(await suggested(), { car: 0.78, airplane: null, dog: 0.85 });
  await index.call('remove_media', { cache_dir, hashes: ['bb'] });
  assert.deepEqual(await suggested(), { car: 0.78, airplane: null });
});

test('what is stored or removed later is counted at once', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const ask = asking(index, cache_dir);
  await index.call('remember', { cache_dir, media: mediaRecord('aa') });
  assert.deepEqual(countsOf(await ask(), 'seen'), {});
  await storeTracks(index, cache_dir, 'aa', [track('dog')]);
  assert.deepEqual(countsOf(await ask(), 'seen'), { dog: 1 });
  await storeTracks(index, cache_dir, 'aa', [track('cat')]);
  assert.deepEqual(countsOf(await ask(), 'seen'), { cat: 1 });
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(countsOf(await ask(), 'seen'), {});
});

test('shot sizes come of persons and of faces, in the order of their size', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const ask = asking(index, cache_dir);
  await storeTracks(index, cache_dir, 'aa', [track('person')]);
  assert.deepEqual(countsOf(await ask(), 'shot_size'), { wide: 1 });
  // From the eyes to the mouth half of the height.
  const landmarks = [0.4, 0.2, 0.5, 0.2, 0.45, 0.4, 0.4, 0.7, 0.5, 0.7];
  await storeFaces(index, cache_dir, 'bb', [[0]], { more: { landmarks } });
  await storeFaces(index, cache_dir, 'aa', [[], [0]], { more: { landmarks } });
  const report = await ask();
  assert.deepEqual(countsOf(report, 'shot_size'), { close_up: 2, wide: 1 });
  const { shots } = await index.call('things_of', { cache_dir, hash_str: 'aa' });
  assert.deepEqual(shots, [
    { size: 'wide', start: 0, end: 1 },
    { size: 'close_up', start: 1, end: 2 },
  ]);
});

test('films are read in steps, between which others change them and a count in one turn may come', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const ask = asking(index, cache_dir);
  for (const hash of hashes) await storeTracks(index, cache_dir, hash, [track('dog')]);
  // Every look at the clock is later than a step may last.
  let clock = 0;
  t.mock.method(performance, 'now', () => (clock += 1000));
  const ready = async () => (await index.call('ready_facets', { cache_dir })).done;
  assert.deepEqual([await ready(), await ready()], [false, false]);
  await storeTracks(index, cache_dir, 'aa', [track('cat')]);
  for (let steps = 0; !(await ready()); steps++) assert.ok(steps < 9, 'no end');
  assert.deepEqual(countsOf(await ask(), 'seen'), { dog: 2, cat: 1 });
  for (const hash of hashes) await storeTracks(index, cache_dir, hash, [track('car')]);
  assert.equal(await ready(), false, 'what changed is read in steps too');
  assert.deepEqual(countsOf(await ask(), 'seen'), { car: 3 });
  assert.equal(await ready(), true);
});
