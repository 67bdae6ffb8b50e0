import assert from 'node:assert/strict';
import test from 'node:test';
import { eachHasOwn } from '../../../../actors/index/people/moments.ts';
import { seeded } from '../footage.ts';

/** Every way to hand things out. */
function tried([first, ...others]: readonly (readonly number[])[], taken: readonly number[] = []): boolean {
  if (first === undefined) return true;
  return first.some((thing) => !taken.includes(thing) && tried(others, [...taken, thing]));
}

test('who can have one thing alone gets it from who can have another', () => {
  assert.equal(eachHasOwn([[1, 2], [1]]), true);
  assert.equal(eachHasOwn([[1, 2], [2, 3], [1], [3, 4]]), true);
  assert.equal(eachHasOwn([[1], [1]]), false);
  assert.equal(
    eachHasOwn([
      [1, 2],
      [1, 2],
      [1, 2],
    ]),
    false,
  );
  assert.equal(eachHasOwn([[1], []]), false);
  assert.equal(eachHasOwn([]), true);
});

test('a matching is found exactly where trying everything finds one', () => {
  const random = seeded(7);
  let matched = 0;
  for (let round = 0; round < 500; round++) {
    const choices = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      [0, 1, 2, 3, 4].filter(() => random() < 0.35),
    );
    const wanted = tried(choices);
    assert.equal(eachHasOwn(choices), wanted, JSON.stringify(choices));
    matched += Number(wanted);
  }
  assert.ok(matched > 50 && matched < 450, String(matched));
});
