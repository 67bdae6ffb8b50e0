import assert from 'node:assert/strict';
import test from 'node:test';
import type { Sound, SoundTerm } from '../../../../actors/index/sounds/contract.ts';
import { soundRanges } from '../../../../actors/index/sounds/handlers.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { indexActor } from '../handlers.ts';

const heard = (sound: Sound['sound'], start: number, end: number, confidence = 0.9): Sound => {
  return { sound, start, end, confidence };
};
const term = (sound: Sound['sound'], negated = false): SoundTerm => ({ sound, negated });
const [music, singing] = [term('music'), term('singing')];

test('all terms hold in a range, and a negated one holds where nothing is heard', () => {
  const items = [heard('music', 2, 8), heard('singing', 5, 10, 0.85), heard('music', 12, 20)];
  const ranges = (...terms: SoundTerm[]) =>
    soundRanges(items, terms, 20).map(({ start, end }) => [start, end]);
  assert.deepEqual(ranges(music), [
    [2, 8],
    [12, 20],
  ]);
  assert.deepEqual(ranges(music, singing), [[5, 8]]);
  assert.deepEqual(ranges(term('music', true)), [
    [0, 2],
    [8, 12],
  ]);
  assert.deepEqual(ranges(singing, term('music', true)), [[8, 10]]);
  assert.deepEqual(soundRanges([], [term('music', true)], 5), [{ start: 0, end: 5, confidence: 1 }]);
});

test('sounds are found in what was listened to, and their files are filtered by them', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const store = (hash: string, items: Sound[]) =>
    index.call('store_result', {
      ...{ cache_dir, media: mediaRecord(hash), model_key: 'm', from_previews: false },
      found: { type: 'sounds', items },
    });
  await store('aa', [heard('music', 1, 5)]);
  await store('bb', [heard('music', 2, 8, 0.99), heard('singing', 3, 6)]);
  await index.call('remember', { cache_dir, media: mediaRecord('cc') });
  const scope = { hashes: null, ranges: {}, filters: [] };
  const find = async (terms: SoundTerm[], more: object = {}) => {
    const request = { cache_dir, terms, scope: { ...scope, ...more }, max_results: 10 };
    const { done, matches, looked } = await index.call('find_sounds', request);
    assert.equal(done, true);
    return { looked, found: matches.map(({ hash_str, start, end }) => `${hash_str} ${start}-${end}`) };
  };
  assert.deepEqual(await find([music]), { looked: 2, found: ['bb 2-8', 'aa 1-5'] });
  assert.deepEqual(await find([singing]), { looked: 2, found: ['bb 3-6'] });
  assert.deepEqual((await find([music], { ranges: { aa: [[0, 1]] } })).found, ['bb 2-8']);
  const filter = { facet_id: 'sounds.heard', operator: 'exclude_any_of' as const, values: ['singing'] };
  assert.deepEqual(await find([music], { filters: [filter] }), { looked: 1, found: ['aa 1-5'] });
  const hashes = ['aa', 'bb', 'cc'];
  const { facets } = await index.call('facets', { cache_dir, scope: { mode: 'paths', hashes }, filters: [] });
  const counts = facets.find(({ id }) => id === 'sounds.heard')?.options.map((one) => [one.label, one.count]);
  assert.deepEqual(counts, [
    ['Music', 2],
    ['Singing', 1],
  ]);
});
