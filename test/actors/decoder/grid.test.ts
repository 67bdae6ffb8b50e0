import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Ending, Grid, gridLength, momentsWithin } from '../../../actors/decoder/grid.ts';

test('a video of d seconds has ceil(d) grid seconds', () => {
  const rows = [
    [0.03, 1],
    [1, 1],
    [1.0005, 1],
    [1.04, 2],
    [59.99, 60],
    [60.06, 61],
  ] as const;
  for (const [seconds, length] of rows) assert.equal(gridLength(seconds), length, `${seconds} s`);
});

test('a picture shown just after a second is not the one of that second', () => {
  const milliseconds = new Grid({ num: 1, den: 1000 }, 33);
  assert.ok(1033 <= milliseconds.limit(1) && 1034 > milliseconds.limit(1));
  const frames = new Grid({ num: 1001, den: 30000 }, 0);
  assert.ok(29 <= frames.limit(1) && 30 > frames.limit(1));
});

test('the last picture is shown to the end, but not for a truncated rest of the file', () => {
  const slow = new Ending();
  slow.add(0, 10);
  slow.add(10, 10);
  assert.deepEqual([slow.lastSecond(false), slow.lastSecond(true)], [30, 20]);
  const short = new Ending();
  for (let i = 0; i < 60; i++) short.add(i / 30, 1 / 30);
  assert.deepEqual([short.lastSecond(false), short.lastSecond(true)], [4, 2]);
  const single = new Ending();
  single.add(0, 0);
  assert.equal(single.lastSecond(false), Number.POSITIVE_INFINITY);
  assert.equal(new Ending().lastSecond(false), 0);
});

test('moments within a film are those a player can show', () => {
  for (const [duration, inside, outside] of [
    [10, [0, 9, 9.9995], [10, 11]],
    [10.0015, [9, 9.9], [10, 10.001]],
    [10.5, [10, 10.4], [10.5, 10.7]],
    [0, [0], [0.01, 1]],
  ] as const) {
    for (const at of inside) assert.equal(momentsWithin([at], duration), 1, `${at} of ${duration}`);
    for (const at of outside) assert.equal(momentsWithin([at], duration), 0, `${at} of ${duration}`);
  }
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e5, noNaN: true }), (duration) => {
      const length = gridLength(duration);
      const grid = Array.from({ length: Math.min(length, 50) + 1 }, (_, i) => Math.max(0, length - 50) + i);
      assert.equal(momentsWithin(grid, duration), grid.length - 1);
    }),
  );
});
