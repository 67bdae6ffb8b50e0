import assert from 'node:assert/strict';
import test from 'node:test';
import type { MediaRecord } from '../../../../actors/index/store/contract.ts';
import { locateMatches } from '../../../../actors/search/media/match-locations.ts';

test('a match is shown where it lies: as named, where a copy is, or told to be gone', async () => {
  const match = (hash_str: string, path: string) =>
    ({ hash_str, path, frame_index: 0, scene_start: 0, scene_end: 1, original_index: 0, score: 1 }) as const;
  const record = (hash_str: string, path: string) => ({ path, identity: { hash_str } }) as MediaRecord;
  const matches = [
    match('a', '/gone/a'),
    match('b', '/there/b'),
    match('c', '/gone/c'),
    match('d', '/last/d'),
  ];
  const media = async () => [record('a', '/there/a'), record('c', '/gone/c')];
  const locations = await locateMatches(matches, new Map([['d', '/there/d']]), media, async (path) =>
    path.startsWith('/there'),
  );
  assert.deepEqual(matches.map(locations.pathOf), ['/there/a', '/there/b', '/gone/c', '/there/d']);
  assert.deepEqual(locations.gone, ['/gone/c']);
});
