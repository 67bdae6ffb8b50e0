import assert from 'node:assert/strict';
import test from 'node:test';
import type { RankedMatch } from '../../../../actors/index/visual/contract.ts';
import { thingQuestion } from '../../../../actors/search/things/question.ts';
import {
  followed,
  fused,
  type SeenThings,
  thingBands,
} from '../../../../actors/search/visual/thing-finder.ts';

const match = (hash_str: string, scene_start: number, original_index: number, score = 0.6): RankedMatch => ({
  hash_str,
  path: `/${hash_str}`,
  frame_index: scene_start + 1,
  scene_start,
  scene_end: scene_start + 5,
  original_index,
  score,
});
const places = (matches: readonly RankedMatch[]) =>
  matches.map(({ hash_str, scene_start, original_index }) => [hash_str, scene_start, original_index]);

test('a scene of both rankings comes first, and matches are grouped by video with their rank', () => {
  const things = [match('a', 0, 0), match('b', 0, 1), match('a', 10, 2)];
  const visual = [match('c', 0, 0), match('a', 10, 1)];
  assert.deepEqual(places(fused(things, visual, 10)), [
    ['a', 10, 0],
    ['a', 0, 1],
    ['c', 0, 2],
    ['b', 0, 3],
  ]);
  assert.equal(fused(things, visual, 2).length, 2);
});

test('others follow what shows the things, each scene once', () => {
  const others = [match('c', 0, 0), match('a', 0, 1), match('a', 20, 2)];
  assert.deepEqual(places(followed([match('a', 0, 0)], others, 3)), [
    ['a', 0, 0],
    ['a', 20, 2],
    ['c', 0, 1],
  ]);
});

test('a frame is as sure as the best sight of the things in its scene', () => {
  const seen: SeenThings = {
    done: true,
    matches: [match('a', 0, 0, 0.7), match('a', 5, 1, 0.45)],
    ranges: {
      a: [
        [0, 3],
        [6, 8],
      ],
    },
    looked: 1,
  };
  const bandAt = (hash_str: string, frame_index: number, text = 'a dog') =>
    thingBands(seen, thingQuestion(text).terms, [{ hash_str, frame_index }])[0];
  assert.deepEqual(
    [bandAt('a', 2), bandAt('a', 6), bandAt('a', 4), bandAt('b', 2)],
    ['strong', 'likely', null, null],
  );
  // Only what was measured is strong.
  for (const text of ['red dog', 'two dogs', 'dog on the left', 'toothbrush', 'dog, no cat'])
    assert.equal(bandAt('a', 2, text), 'likely', text);
});

test('an exact number is likely only where each of the things is certain', () => {
  const matches = [match('a', 0, 0, 0.6), match('a', 5, 1, 0.59)];
  const seen: SeenThings = { done: true, matches, ranges: { a: [[0, 10]] }, looked: 1 };
  const moments = [0, 7].map((frame_index) => ({ hash_str: 'a', frame_index }));
  const bands = (text: string) => thingBands(seen, thingQuestion(text).terms, moments);
  for (const text of ['two dogs', 'exactly two dogs and a cat'])
    assert.deepEqual(bands(text), ['likely', 'weak']);
  for (const text of ['several dogs', 'red dog', 'no dog'])
    assert.deepEqual(bands(text), ['likely', 'likely']);
});
