import assert from 'node:assert/strict';
import test from 'node:test';
import { locateMatches } from '../../../../actors/search/media/match-locations.ts';

test('a match is shown where it lies: as named, where a copy is, or told to be gone', async () => {
  const match = (hash_str: string, path: string) =>
    ({ hash_str, path, frame_index: 0, scene_start: 0, scene_end: 1, original_index: 0, score: 1 }) as const;
  const matches = [
    match('a', '/gone/a'),
    match('b', '/there/b'),
    match('c', '/gone/c'),
    match('d', '/last/d'),
  ];
  const asked: string[][] = [];
  const paths = async (hashes: string[]) => {
    asked.push(hashes);
    return [['/gone/a', '/there/a'], ['/gone/c']];
  };
  const locations = await locateMatches(matches, new Map([['d', '/there/d']]), paths, async (path) =>
    path.startsWith('/there'),
  );
  assert.deepEqual(matches.map(locations.pathOf), ['/there/a', '/there/b', '/gone/c', '/there/d']);
  assert.deepEqual(locations.gone, ['/gone/c']);
  // Nothing is asked about what is where it was.
  assert.deepEqual(asked, [['a', 'c']]);
});
