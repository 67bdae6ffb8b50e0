import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SoundClock } from '../../../../actors/decoder/sound/clock.ts';

const rate = 48000;
const frame = 1024;

/** Places frames one after another; answers the clock and what was done to each. */
function placed(positions: readonly (number | null)[], end = Number.POSITIVE_INFINITY, lost: number[] = []) {
  const clock = new SoundClock(rate, end, null);
  const placings = positions.map((at, i) => clock.place(at, frame, lost.includes(i)));
  return { clock, placings };
}

const steady = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i * frame);
const whole = { silence: 0, skip: 0 };

describe('frames are placed', () => {
  test('one after another by their timestamps, or without any', () => {
    const { clock, placings } = placed([...steady(5), null, null, 7 * frame]);
    assert.deepEqual(placings, Array(8).fill(whole));
    assert.equal(clock.at, 8 * frame);
  });

  test('the first exactly, after silence or cut', () => {
    assert.deepEqual(placed([7]).placings, [{ silence: 7, skip: 0 }]);
    assert.deepEqual(placed([-7]).placings, [{ silence: 0, skip: 7 }]);
    assert.deepEqual(placed([-rate * 20, -100]).placings, [
      { silence: 0, skip: frame },
      { silence: 0, skip: 100 },
    ]);
  });

  test('after a lost one exactly', () => {
    assert.deepEqual(placed([0, frame + 9, frame * 2 + 9], Infinity, [1]).placings[1], {
      silence: 9,
      skip: 0,
    });
  });

  test('with a gap where one is missing', () => {
    assert.deepEqual(placed([...steady(50), ...steady(5, 51 * frame)]).placings[50], {
      silence: frame,
      skip: 0,
    });
  });

  test('without gaps where timestamps jitter, but for the first', () => {
    const shaken = steady(400).map((at, i) => at + (i % 2 ? 900 : 0));
    const moved = placed(shaken).placings.filter(({ silence, skip }) => silence + skip > 0);
    assert.ok(moved.length <= 1, `${moved.length} frames moved`);
  });

  test('corrected for slow drift before it reaches 60 ms', () => {
    const { clock } = placed(steady(20_000).map((at) => at * 1.0005));
    assert.ok(Math.abs(clock.at - 20_000 * frame * 1.0005) < 0.06 * rate + frame);
  });

  test('continuously across clock resets, beyond the end of the file or far back', () => {
    const wild = placed([...steady(5), 3600 * rate, 3600 * rate + frame], 10 * rate);
    assert.deepEqual(wild.placings, Array(7).fill(whole));
    const anew = placed([...steady(1000), ...steady(5)]);
    assert.deepEqual(anew.placings, Array(1005).fill(whole));
  });

  test('whatever the timestamps are, without going back or repeating samples', () => {
    const time = fc.option(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(time, fc.integer({ min: 1, max: 5000 }), fc.boolean())), (frames) => {
        const clock = new SoundClock(rate, 100 * rate, null);
        for (const [at, count, lost] of frames) {
          const before = clock.at;
          const { silence, skip } = clock.place(at, count, lost);
          assert.ok(silence >= 0 && skip >= 0 && skip <= count);
          assert.equal(clock.at, before + silence + count - skip);
        }
        assert.ok(clock.at <= 111 * rate + frames.length * 5000);
      }),
    );
  });
});
