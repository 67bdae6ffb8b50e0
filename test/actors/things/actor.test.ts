import assert from 'node:assert/strict';
import test from 'node:test';
import { sightOf } from '../../../actors/things/actor.ts';
import type { Thing } from '../../../actors/things/contract.ts';

const dog: Thing = { class: 'dog', score: 0.7, box: [0.1, 0.1, 0.2, 0.2], colours: [] };

function grey(value: number, spot = value) {
  const data = new Uint8Array(320 * 180 * 3).fill(value);
  for (let y = 90; y < 94; y++) data.fill(spot, (y * 320 + 160) * 3, (y * 320 + 164) * 3);
  return { data, width: 320, height: 180 };
}

/** Each look finds one thing more. */
function looking() {
  let looks = 0;
  return async () => Array.from({ length: ++looks }, () => dog);
}

test('a picture that looks as the one before it shows the same; one that differs in a spot is looked at', async () => {
  const look = looking();
  const first = await sightOf(grey(100), null, look);
  assert.equal(first.things.length, 1);
  const same = await sightOf(grey(105), first, look);
  assert.equal(same, first);
  const spot = await sightOf(grey(100, 140), same, look);
  assert.equal(spot.things.length, 2);
});

test('slow changes add up, and a picture of another size is another one', async () => {
  const look = looking();
  let sight = await sightOf(grey(100), null, look);
  for (let value = 104; value <= 120; value += 4) sight = await sightOf(grey(value), sight, look);
  assert.equal(sight.things.length, 2, '112 is looked at, and 124 would be');
  const upright = { ...grey(120), width: 180, height: 320 };
  assert.equal((await sightOf(upright, sight, look)).things.length, 3);
});
