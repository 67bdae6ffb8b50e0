import assert from 'node:assert/strict';
import test from 'node:test';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { indexActor } from '../handlers.ts';
import { find, loadAll, mark, segments, transcribe } from './speech.ts';

const scope = { hashes: null, ranges: {}, filters: [] };

test('both searches find what is said however it is written, and across segments', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await transcribe(
    index,
    cache_dir,
    'aa',
    segments([
      ' And so, my fellow Americans, ask not what',
      ' your',
      ' country can do for you.',
      ' It was the season of Light, it was the season of Darkness.',
      ' Mr. Thornton said: “Don’t know, 20 people in München.”',
      ' A post-mortem, or twenty-one of them.',
    ]),
  );
  await loadAll(index, cache_dir);
  const wanted: [query: string, segment: number][] = [
    ['mr thornton', 4],
    ['season of light it was', 3],
    ['what your country', 0],
    ['not what your country can', 0],
    ['t your country', 0],
    ['don’t know', 4],
    ["don't know", 4],
    ['munchen', 4],
    ['München', 4],
    ['twenty people', 4],
    ['zwanzig', 4],
    ['post mortem', 5],
    ['21', 5],
    ['you it was', 2],
  ];
  for (const [query, segment] of wanted) {
    const [exact] = await find(index, cache_dir, query);
    assert.equal(exact, `aa:${segment}`, `exact: ${query}`);
    const { matches } = await index.call('search_said', { cache_dir, query, max_results: 9, scope });
    assert.equal(matches[0]?.segment_index, segment, `said: ${query}`);
  }
  for (const query of ['what my country', 'country your', '?', 'your country can do for you it is'])
    assert.deepEqual(await find(index, cache_dir, query), [], query);
});

test('segments in another language say so', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const languages = [
    { from: 0, language: 'en' },
    { from: 2, language: 'de' },
  ];
  await index.call('transcribe', {
    cache_dir,
    media: mediaRecord('aa'),
    mark: { ...mark, languages },
    segments: segments([' one', ' two', ' drei']),
  });
  const request = { cache_dir, hash_str: 'aa', range: [0, 99] as [number, number], after: null, most: 9 };
  const { segments: stored } = await index.call('transcript_part', request);
  assert.deepEqual(
    stored.map(({ language }) => language),
    ['en', 'en', 'de'],
  );
});

test('a phrase does not go on from subtitles of one language into those of another', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await index.call('transcribe', {
    cache_dir,
    media: mediaRecord('aa'),
    mark: { ...mark, others: [{ language: 'de', segments: segments([' zwei drei', ' vier']) }] },
    segments: segments([' one two']),
  });
  await loadAll(index, cache_dir);
  assert.deepEqual(await find(index, cache_dir, 'two zwei'), []);
  assert.equal((await find(index, cache_dir, 'drei vier')).length, 1);
});
