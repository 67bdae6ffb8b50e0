import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Ending, Grid, gridLength, momentsWithin } from '../../../actors/decoder/grid.ts';
import {
  type Counting,
  frames,
  framesPerDay,
  nominalRate,
  saysDropFrame,
  timecode,
} from '../../../actors/decoder/timecode.ts';

const rate = (num: number, den = 1) => ({ num, den });
const countings: readonly Counting[] = [
  { rate: rate(30000, 1001), dropFrame: true },
  { rate: rate(60000, 1001), dropFrame: true },
  { rate: rate(30000, 1001), dropFrame: false },
  { rate: rate(24000, 1001), dropFrame: false },
  { rate: rate(24000, 1001), dropFrame: true },
  { rate: rate(25), dropFrame: false },
  { rate: rate(179, 6), dropFrame: false },
  { rate: rate(120), dropFrame: false },
  { rate: rate(1, 2), dropFrame: false },
];

test('frames(timecode(f)) = f for every way of counting', () => {
  const counting = fc.constantFrom(...countings);
  fc.assert(
    fc.property(counting, fc.nat(20_000_000), (counting, n) => {
      const frame = n % framesPerDay(counting);
      assert.equal(frames(timecode(frame, counting), counting), frame);
    }),
    { numRuns: 2000 },
  );
});

test('the next frame has a later timecode', () => {
  fc.assert(
    fc.property(fc.constantFrom(...countings), fc.nat(1_000_000), (counting, frame) => {
      // Compared as numbers: from 100 frames a second on, frames 99 and 100 have texts of different length.
      const [now, next] = [frame, frame + 1].map((one) => timecode(one, counting).split(':').map(Number));
      const differs = now?.findIndex((part, i) => part !== next?.[i]) ?? -1;
      assert.ok(differs >= 0 && (now?.[differs] ?? 0) < (next?.[differs] ?? 0), `${now} then ${next}`);
    }),
  );
});

const table: readonly (readonly [frame: number, num: number, den: number, drop: boolean, text: string])[] = [
  [0, 30000, 1001, true, '00:00:00:00'],
  [1799, 30000, 1001, true, '00:00:59:29'],
  [1800, 30000, 1001, true, '00:01:00:02'],
  [17981, 30000, 1001, true, '00:09:59:29'],
  [17982, 30000, 1001, true, '00:10:00:00'],
  [107892, 30000, 1001, true, '01:00:00:00'],
  [3599, 60000, 1001, true, '00:00:59:59'],
  [3600, 60000, 1001, true, '00:01:00:04'],
  [35964, 60000, 1001, true, '00:10:00:00'],
  [1800, 30000, 1001, false, '00:01:00:00'],
  [24 * 3600, 24000, 1001, false, '01:00:00:00'],
  [25 * 61, 25, 1, false, '00:01:01:00'],
  [30, 179, 6, false, '00:00:01:00'],
  [2589408, 30000, 1001, true, '00:00:00:00'],
  [-1, 25, 1, false, '23:59:59:24'],
];

test('timecodes of known frames', () => {
  for (const [frame, num, den, dropFrame, text] of table) {
    assert.equal(timecode(frame, { rate: { num, den }, dropFrame }), text);
  }
});

test('drop-frame timecode stays within 0.1 s of real time over a day', () => {
  const counting = { rate: rate(30000, 1001), dropFrame: true };
  for (let hour = 0; hour < 24; hour++) {
    const frame = frames(`${String(hour).padStart(2, '0')}:00:00:00`, counting)!;
    assert.ok(Math.abs((frame * 1001) / 30000 - hour * 3600) < 0.1);
  }
});

test('a timecode counts at the rate rounded to a whole number', () => {
  assert.deepEqual(
    [rate(24000, 1001), rate(30000, 1001), rate(179, 6), rate(1, 2), rate(0)].map(nominalRate),
    [24, 30, 30, 1, 1],
  );
});

test('text that is no timecode is refused', () => {
  const counting = { rate: rate(25), dropFrame: false };
  for (const text of ['', 'noon', '1:2:3:4', '00:60:00:00', '00:00:60:00', '00:00:00:25', '00:00:00']) {
    assert.equal(frames(text, counting), null, text);
  }
  assert.equal(saysDropFrame('01:00:00;00'), true);
  assert.equal(saysDropFrame('01:00:00:00'), false);
});

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
