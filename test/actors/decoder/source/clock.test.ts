import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Packet, Stream } from '../../../../actors/decoder/ffmpeg.ts';
import { ClockReader, isEven, readClock, type SourceClock } from '../../../../actors/decoder/source/clock.ts';

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

const GB = 10 ** 9;

/** A file of 8 GB with a packet at every MB; `secondsAt`: the clock at a place. */
function file(secondsAt: (position: number) => number) {
  const [bytes, step] = [8 * GB, 10 ** 6];
  const counts = { looks: 0, seeks: 0, reads: 0 };
  let at = 0;
  const guide = { index: 0, timeBase: { num: 1, den: 1000 }, avgFrameRate: { num: 25, den: 1 } };
  const read = (packet: Packet) => {
    if (at >= bytes) return false;
    const time = BigInt(Math.round(1000 * secondsAt(at)));
    Object.assign(packet, { streamIndex: 0, pts: time, dts: time, pos: BigInt(at) });
    at += step;
    return true;
  };
  const source = {
    bytes,
    guide: guide as unknown as Stream,
    only: () => {},
    read: (packet: Packet) => {
      counts.reads++;
      return read(packet);
    },
    seekToByte: (position: number) => {
      counts.seeks++;
      at = Math.ceil(position / step) * step;
      return true;
    },
  };
  const look = async (packet: Packet) => {
    counts.looks++;
    return read(packet);
  };
  return { source, look, counts };
}

const turn = { alive: () => {}, throwIfCancelled: () => {} };

test('of a large file whose clock goes with its bytes, some places are looked at', async () => {
  const { source, look, counts } = file((position) => position / 10 ** 6);
  assert.equal(await readClock(source, turn, look), null);
  assert.equal(counts.reads, 0);
  assert.ok(counts.looks <= 30 && counts.seeks <= 30, `${counts.looks} packets after ${counts.seeks} seeks`);
});

test('a large file of two parts is read, however short one of them is', async () => {
  for (const border of [10 ** 7, 3 * GB, 8 * GB - 10 ** 7]) {
    const { source, look } = file((position) => (position < border ? position : position - border) / 10 ** 6);
    const clock = await readClock(source, turn, look);
    assert.deepEqual(
      clock?.restarts.map((seconds) => Math.round(seconds)),
      [Math.round(border / 10 ** 6) - 1],
      `${border}`,
    );
  }
});

test('where looking takes too long, the container is believed', async () => {
  const { source, counts } = file((position) => (position < 4 * GB ? position : 0) / 10 ** 6);
  assert.equal(await readClock(source, turn, async () => false), null);
  assert.equal(counts.reads, 0);
});
