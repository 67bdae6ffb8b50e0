import assert from 'node:assert/strict';
import test from 'node:test';
import { appearancesInScenes, common } from '../../../../actors/index/appearances/handlers.ts';
import { namedIn } from '../../../../actors/index/people/loaded.ts';

test('people are named by whole words, whatever the case, and the rest is left', () => {
  const names = ['Ann', 'Ann Lee', 'Bob', 'José', 'Jean-Luc'];
  for (const [text, found, rest] of [
    ['Ann with a red car', ['Ann'], 'a red car'],
    ['a red car and ann', ['Ann'], 'a red car'],
    ["ANN's red car", ['Ann'], 'red car'],
    ['Ann Lee at night', ['Ann Lee'], 'at night'],
    ['Ann and Bob', ['Ann', 'Bob'], ''],
    ['Anna in the rain', [], 'Anna in the rain'],
    ['bob, ann & a dog, running', ['Bob', 'Ann'], 'a dog, running'],
    ['José dances', ['José'], 'dances'],
    ['jean luc on a bridge', ['Jean-Luc'], 'on a bridge'],
    ['and with', [], 'and with'],
    ['', [], ''],
  ] as const) {
    assert.deepEqual(namedIn(text, names), { names: found, rest }, text);
  }
});

test('somebody is seen scene by scene, longest first, and pieces by time where there are no scenes', () => {
  const seen = new Map([
    ['aa', Uint32Array.of(2, 4, 6, 7, 9, 15)],
    ['bb', Uint32Array.of(0, 1, 3, 4, 10, 12)],
  ]);
  const scenes = new Map([['aa', Int32Array.of(0, 8, 8, 12, 13, 20)]]);
  const found = appearancesInScenes(seen, ['aa', 'bb'], (hash) => scenes.get(hash) ?? null);
  assert.deepEqual(
    found.map(({ hash, start, end, seconds, scene }) => [hash, start, end, seconds, scene]),
    [
      ['aa', 2, 7, 3, [0, 8]],
      ['aa', 9, 12, 3, [8, 12]],
      ['aa', 13, 15, 2, [13, 20]],
      ['bb', 0, 4, 2, null],
      ['bb', 10, 12, 2, null],
      ['aa', 12, 13, 1, null],
    ],
  );
  assert.deepEqual([...common(Uint32Array.of(0, 5, 8, 9), Uint32Array.of(3, 8, 8, 20))], [3, 5, 8, 9]);
});
