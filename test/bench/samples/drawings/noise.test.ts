import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noiseFrom, noiseTile, randomFrom, smooth } from '../../../../bench/samples/drawings/noise.ts';

test('a seed gives the same numbers each time, another seed different ones', () => {
  const take = (seed: number) => Array.from({ length: 20 }, randomFrom(seed));
  assert.deepEqual(take(7), take(7));
  assert.notDeepEqual(take(7), take(8));
  assert.ok(take(7).every((value) => value >= 0 && value < 1));
});

test('noise is smooth and repeats after its period', () => {
  const noise = noiseFrom(3, 16);
  for (let x = 0; x < 16; x += 0.37) {
    assert.ok(Math.abs(noise(x + 0.01, 2.5) - noise(x, 2.5)) < 0.03);
    assert.equal(noise(x, 2.5).toFixed(9), noise(x + 16, 2.5).toFixed(9));
  }
});

test('a noise tile has no seam', () => {
  const tile = noiseTile(5, 64, 4, 2);
  const step = (a: number, b: number) => Math.abs(tile[a]! - tile[b]!);
  for (let n = 0; n < 64; n++) {
    assert.ok(step(n * 64 + 63, n * 64) < 40);
    assert.ok(step(63 * 64 + n, n) < 40);
  }
});

test('smooth rises from 0 to 1 between its limits', () => {
  assert.deepEqual([smooth(2, 4, 1), smooth(2, 4, 3), smooth(2, 4, 5)], [0, 0.5, 1]);
});
