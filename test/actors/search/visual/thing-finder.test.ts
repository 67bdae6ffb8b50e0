import assert from 'node:assert/strict';
import test from 'node:test';
import type { RankedMatch } from '../../../../actors/index/visual/contract.ts';
import { thingQuestion } from '../../../../actors/search/things/question.ts';
import {
  askThings,
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

test('a frame is as sure as the detections that make the question true in it', () => {
  const seen: SeenThings = {
    done: true,
    matches: [],
    ranges: { a: [[0, 10]] },
    likely: { a: [[0, 7]] },
    strong: { a: [[0, 3]] },
    looked: 1,
  };
  const bandAt = (hash_str: string, frame_index: number, text = 'a dog') =>
    thingBands(seen, thingQuestion(text), [{ hash_str, frame_index }])[0];
  assert.deepEqual(
    [bandAt('a', 2), bandAt('a', 6), bandAt('a', 9), bandAt('a', 10), bandAt('b', 2)],
    ['strong', 'likely', 'weak', null, null],
  );
  // Colours, numbers and places were not measured, nor that something is not there.
  for (const text of ['red dog', 'two dogs', 'dog on the left', 'dog, no cat'])
    assert.equal(bandAt('a', 2, text), 'likely', text);
  // A detector finds dogs and people, but does not tell a puppy from a dog, or a woman from a man.
  for (const text of ['puppy', 'a woman with a dog', 'Frau'])
    assert.equal(bandAt('a', 2, text), 'weak', text);
  assert.equal(bandAt('a', 2, 'dog without children'), 'likely');
});

test('words for a part of what detectors find are told of the query and of what is excluded', async () => {
  const index = { ask: async () => ({ done: true, matches: [], ranges: {}, looked: 1 }) };
  const ask = (query: string, ...exclude: string[]) =>
    askThings({ index } as never, '/c', query, exclude, undefined).then((asked) => asked?.narrower);
  assert.deepEqual(await ask('Frau am Strand, zwei Enten', 'boy', 'woman', 'person'), {
    people: ['frau', 'boy', 'woman'],
    others: ['enten'],
  });
  assert.deepEqual(await ask('two people'), { people: [], others: [] });
});
