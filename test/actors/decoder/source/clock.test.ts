import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockReader, isEven, type SourceClock } from '../../../../actors/decoder/source/clock.ts';

/** Pictures of 0.1 s that begin at these seconds, one every 1000 bytes; each tenth can be decoded alone. */
function clockOf(...times: readonly number[]): SourceClock | null {
  const reader = new ClockReader(0.1);
  for (const [i, at] of times.entries())
    reader.add({ position: 1000 * i, at, shown: at, until: at + 0.1, isEntry: i % 10 === 0 });
  return reader.finish();
}

const run = (from: number, count = 100) => Array.from({ length: count }, (_, i) => from + i / 10);

test('a clock that runs through is left alone', () => {
  assert.equal(clockOf(...run(95_000)), null);
  assert.equal(clockOf(), null);
});

for (const [what, second] of [
  ['restarts', 0],
  ['jumps ahead', 3600],
  ['wraps', 95_443.7 + 3],
] as const) {
  test(`the picture goes on where the clock ${what}`, () => {
    const clock = clockOf(...run(500), ...run(second))!;
    assert.equal(clock.seconds, 20);
    assert.deepEqual(clock.restarts, [10]);
    assert.deepEqual(clock.gaps, []);
    assert.ok(Math.abs(second + clock.shiftAt(100_000, second) - 510) < 1e-5);
    assert.equal(clock.shiftAt(99_000, 509.9), 0);
    assert.equal(clock.positionBefore(509.95), 90_000);
    assert.equal(clock.positionBefore(511.5), 110_000);
    assert.equal(clock.positionBefore(0), 0);
  });
}

test('times of one damaged packet do not move those behind it', () => {
  const clock = clockOf(...run(0), 70_000, ...run(10.1))!;
  assert.ok(Math.abs(clock.seconds - 20.1) < 1e-5, `${clock.seconds} s`);
  assert.ok(Math.abs(clock.shiftAt(150_000, 15)) < 1e-5);
});

test('a pause of some seconds stays, and is known', () => {
  const clock = clockOf(...run(0), ...run(17))!;
  assert.deepEqual(clock.restarts, []);
  assert.equal(clock.gaps.length, 1);
  assert.ok(Math.abs(clock.gaps[0]!.at - 10) < 1e-5 && Math.abs(clock.gaps[0]!.seconds - 7) < 1e-5);
  assert.equal(clock.seconds, 27);
});

test('between two packets of the guiding stream, others belong to the part whose clock they have', () => {
  const clock = clockOf(...run(500), ...run(0))!;
  assert.equal(clock.shiftAt(99_500, 509.8), 0);
  assert.ok(clock.shiftAt(99_500, 0.1) > 500);
});

test('places of a file whose clock does not go with its bytes are found', () => {
  const even = Array.from({ length: 20 }, (_, i) => ({ position: i * 1e6, seconds: 90 + i * 8 }));
  assert.ok(isEven(even));
  assert.ok(isEven([]));
  const changed = (from: number, by: number) =>
    even.map((sample, i) => (i < from ? sample : { ...sample, seconds: sample.seconds + by }));
  assert.ok(!isEven(changed(10, -80)));
  assert.ok(!isEven(changed(10, 1000)));
  assert.ok(!isEven(changed(1, -10)));
  // A still slide takes few bytes.
  assert.ok(isEven(changed(10, 50)));
});
