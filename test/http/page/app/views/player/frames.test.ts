import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  evenFrames,
  exactRate,
  type FilmFrames,
  frameAt,
  frameBeside,
  lastFrame,
  listedFrames,
  neighbour,
  partOf,
  rangeAt,
  shuttled,
  timecodeOf,
  withinShots,
} from '../../../../../../http/page/app/views/player/frames.ts';
import { partAround, placeIn } from '../../../../../../http/page/app/views/player/takes.ts';
import {
  middleOfFrame,
  placeOfStep,
  withinFrame,
} from '../../../../../../http/page/app/views/player/transport.ts';

const rates = fc.constantFrom(23.976023976, 24, 25, 29.97002997, 30, 50, 59.94005994, 60, 120);

test('the start of a frame in whole microseconds, as players tell it, belongs to that frame', () => {
  const property = fc.property(rates, fc.integer({ min: 0, max: 1_000_000 }), (rate, frame) => {
    assert.equal(frameAt(Math.floor((frame / rate) * 1e6) / 1e6, rate), frame);
  });
  fc.assert(property);
});

test('a rounded rate is the one it stands for', () => {
  assert.equal(exactRate(23.976), 24_000 / 1001);
  assert.equal(exactRate(29.97), 30_000 / 1001);
  assert.equal(exactRate(59.94), 60_000 / 1001);
  for (const rate of [12.5, 24, 25, 30, 50, 60, 120]) assert.equal(exactRate(rate), rate);
});

test('the last frame is the one before the end', () => {
  assert.equal(lastFrame(2, 25), 49);
  assert.equal(lastFrame(2.01, 25), 50);
  assert.equal(lastFrame(0, 25), 0);
  assert.equal(lastFrame(60 / 23.976023976, 23.976023976), 59);
});

test('timecode counts frames at the nearest whole rate', () => {
  assert.equal(timecodeOf(0, 25), '00:00:00:00');
  assert.equal(timecodeOf(25 * 3661 + 13, 25), '01:01:01:13');
  assert.equal(timecodeOf(24, 23.976), '00:00:01:00');
  assert.equal(timecodeOf(12, 12.5), '00:00:00:12');
  assert.equal(timecodeOf(13, 12.5), '00:00:01:00');
  assert.equal(timecodeOf(153, 12.5), '00:00:12:03');
});

test('J and L double the speed of their direction, up to eight, and turn around', () => {
  assert.equal(shuttled(0, 1), 1);
  assert.equal(shuttled(1, 1), 2);
  assert.equal(shuttled(8, 1), 8);
  assert.equal(shuttled(4, -1), -1);
  assert.equal(shuttled(-2, -1), -4);
  assert.equal(shuttled(-4, 1), 1);
});

const shots = [
  { start_seconds: 0, end_seconds: 4 },
  { start_seconds: 4, end_seconds: 9 },
  { start_seconds: 9, end_seconds: 12 },
];

test('from shot to shot: the next start, and the start of this one before that of the one before', () => {
  assert.equal(neighbour(shots, 4, 1), 9);
  assert.equal(neighbour(shots, 10, 1), null);
  assert.equal(neighbour(shots, 6, -1), 4);
  assert.equal(neighbour(shots, 4.1, -1), 0);
  assert.equal(neighbour([], 5, -1), null);
});

test('the shot at a time', () => {
  assert.deepEqual(rangeAt(shots, 4), shots[1]);
  assert.deepEqual(rangeAt(shots, 11.9), shots[2]);
  assert.equal(rangeAt(shots, 12), null);
});

test('a part without marks is the shot; one mark keeps the other end of the shot; both are the part', () => {
  const none = { in: null, out: null };
  assert.deepEqual(partOf(none, shots[1]!, 12), shots[1]);
  assert.deepEqual(partOf({ in: 5, out: null }, shots[1]!, 12), { start_seconds: 5, end_seconds: 9 });
  assert.deepEqual(partOf({ in: null, out: 8 }, shots[1]!, 12), { start_seconds: 4, end_seconds: 8 });
  assert.deepEqual(partOf({ in: 2, out: 11 }, shots[1]!, 12), { start_seconds: 2, end_seconds: 11 });
  assert.deepEqual(partOf(none, null, 12), { start_seconds: 0, end_seconds: 12 });
});

test('whatever is marked, a part lies within the film and does not end before it begins', () => {
  const mark = fc.option(fc.double({ min: 0, max: 20, noNaN: true }));
  const property = fc.property(mark, mark, fc.constantFrom(null, ...shots), (start, stop, shot) => {
    const { start_seconds, end_seconds } = partOf({ in: start, out: stop }, shot, 12);
    assert.ok(start_seconds >= 0 && end_seconds <= 12, `${start_seconds} ${end_seconds}`);
  });
  fc.assert(property);
});

test('the middle of a frame lies in that frame, at every rate, up to ten hours', () => {
  const property = fc.property(rates, fc.integer({ min: 0, max: 36_000 * 120 }), (rate, frame) => {
    const found = evenFrames(rate, 0).at((frame + 0.5) / rate)!;
    assert.equal(frameAt(middleOfFrame(found), rate), frame);
  });
  fc.assert(property);
});

test('by a rate, one goes to the next frame and the one before, and no further than the film', () => {
  const frames = evenFrames(25, 2);
  const beside = (seconds: number, count: number) => {
    const found = frameBeside(frames, seconds, count);
    assert.ok('frame' in found);
    return frameAt(middleOfFrame(found.frame), 25);
  };
  assert.deepEqual([beside(1.01, 1), beside(1.01, -1), beside(1.01, 10)], [26, 24, 35]);
  assert.deepEqual([beside(0.01, -5), beside(1.99, 3), beside(7, 1)], [0, 49, 49]);
});

/** A service that tells the frames of a film as /media/frames does; `asked`: the parts. */
function told(starts: readonly number[], duration: number) {
  const asked: number[] = [];
  const tell = (from: number, to: number) => {
    const first = Math.max(
      0,
      starts.findLastIndex((start) => start <= from),
    );
    const next = starts.findIndex((start) => start >= to);
    const frame_starts = starts.slice(first, next < 0 ? undefined : next);
    return { frame_starts, last_frame_end: next < 0 ? duration : starts[next]! };
  };
  const ask = async (from: number, to: number) => {
    asked.push(from);
    return tell(from, to);
  };
  return { frames: listedFrames(tell(0, 10), ask, duration), asked };
}

async function besideOf(frames: FilmFrames, seconds: number, count: number) {
  for (let i = 0; i < 20; i++) {
    const found = frameBeside(frames, seconds, count);
    if ('frame' in found) return found.frame;
    await frames.load(found.missing);
  }
  return assert.fail('its times never come');
}

test('of uneven times every frame is gone to, forward and backward, whatever the gaps', async () => {
  const steps = fc.array(fc.integer({ min: 1, max: 25_000 }), { minLength: 1, maxLength: 60 });
  const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: 9_000 }), async (millis, last) => {
    const starts = [0];
    for (const step of millis) starts.push(starts.at(-1)! + step / 1000);
    const duration = starts.at(-1)! + last / 1000;
    const { frames } = told(starts, duration);
    let at = 0;
    for (const [i, start] of starts.entries()) {
      const end = starts[i + 1] ?? duration;
      const frame = await besideOf(frames, at, i === 0 ? 0 : 1);
      assert.deepEqual([frame.start_seconds, frame.end_seconds], [start, end]);
      at = middleOfFrame(frame);
    }
    assert.equal((await besideOf(frames, at, 1)).start_seconds, starts.at(-1));
    for (const start of starts.toReversed().slice(1)) {
      const frame = await besideOf(frames, at, -1);
      assert.equal(frame.start_seconds, start);
      at = middleOfFrame(frame);
    }
    assert.equal((await besideOf(frames, at, -1)).start_seconds, 0);
  });
  await fc.assert(property);
});

test('a part is asked for once, also by two at a time, and again when asking failed', async () => {
  const { frames, asked } = told([0, 1, 4, 12, 13, 21], 30);
  assert.deepEqual([frames.at(3)!.start_seconds, frames.at(13)], [1, null]);
  await Promise.all([frames.load(13), frames.load(19.9)]);
  await frames.load(12);
  assert.deepEqual([asked, frames.at(12.5)!.start_seconds, frames.at(21)], [[10], 12, null]);
  let fails = true;
  const first = { frame_starts: [0], last_frame_end: 11 };
  const ask = async () => {
    if (fails) throw new Error('away');
    return { frame_starts: [0, 11], last_frame_end: 15 };
  };
  const failing = listedFrames(first, ask, 15);
  await assert.rejects(failing.load(11), /away/);
  fails = false;
  await failing.load(11);
  assert.deepEqual(failing.at(12), { start_seconds: 11, end_seconds: 15 });
});

/** As /media/frames tells: none after the end of the pictures. */
function ending(starts: readonly number[], end: number, duration: number) {
  const asked: number[] = [];
  const tell = (from: number, to: number) => {
    if (from >= end) return { frame_starts: [], last_frame_end: null };
    const first = starts.findLastIndex((start) => start <= from);
    const next = starts.findIndex((start) => start >= to);
    const frame_starts = starts.slice(Math.max(0, first), next < 0 ? undefined : next);
    return { frame_starts, last_frame_end: starts[next] ?? end };
  };
  const ask = async (from: number, to: number) => {
    asked.push(from);
    return tell(from, to);
  };
  return { frames: listedFrames(tell(0, 10), ask, duration), asked };
}

test('where sound goes on after the pictures the last one is shown, and nobody is sent elsewhere', async () => {
  for (const end of [4, 20, 34.5]) {
    const starts = [0, 1, 3, 12, 13, 19, 28, 33].filter((start) => start < end);
    const { frames, asked } = ending(starts, end, 20_000);
    const seconds = 15_000;
    const last = { start_seconds: starts.at(-1), end_seconds: 20_000 };
    assert.deepEqual(await besideOf(frames, seconds, 0), last);
    assert.deepEqual(await besideOf(frames, seconds, 1), last);
    assert.equal(withinFrame(frames.at(seconds)!, seconds), seconds);
    assert.equal(placeOfStep(frames.at(seconds)!, seconds), seconds);
    assert.equal((await besideOf(frames, seconds, -1)).start_seconds, starts.at(-2));
    assert.ok(asked.length < 20, `${asked.length} parts`);
  }
});

test('of a film that does not say how long it is every frame is gone to', async () => {
  for (const duration of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
    const { frames } = ending([0, 4, 11, 13, 25], 27, duration);
    assert.deepEqual(await besideOf(frames, 13.5, 1), { start_seconds: 25, end_seconds: 27 });
    assert.deepEqual(await besideOf(frames, 26, 1), { start_seconds: 25, end_seconds: 27 });
    assert.equal((await besideOf(frames, 26, -1)).start_seconds, 13);
  }
});

test('who goes to a moment of a frame that is shown for long is sent there, not to its middle', () => {
  const long = { start_seconds: 10, end_seconds: 40 };
  assert.deepEqual(
    [10, 35, 40].map((seconds) => withinFrame(long, seconds)),
    [10.5, 35, 39.5],
  );
  assert.equal(withinFrame({ start_seconds: 1, end_seconds: 1.04 }, 1), 1.02);
  assert.deepEqual([placeOfStep(long, 35), placeOfStep(long, 9)], [35, 25]);
});

test('of a long shot the minute that is shown is looked for, of a short one all of it', () => {
  const short = { start_seconds: 10, end_seconds: 25 };
  assert.deepEqual(partAround(short, 12), short);
  const long = { start_seconds: 10, end_seconds: 200 };
  assert.deepEqual(partAround(long, 10), { start_seconds: 10, end_seconds: 70 });
  assert.deepEqual(partAround(long, 131), { start_seconds: 130, end_seconds: 190 });
  assert.deepEqual(partAround(long, 195), { start_seconds: 190, end_seconds: 200 });
  // Before the first frame of the shot, and a part without a length.
  assert.deepEqual(partAround({ start_seconds: 5, end_seconds: 5 }, 3), { start_seconds: 5, end_seconds: 6 });
});

test('a link leads to what the part begins with, as far as the other file has it', () => {
  const found = { hash_str: 'bb', media_path: '/b.mp4', start_seconds: 20, end_seconds: 40 };
  assert.equal(placeIn({ found, offset_seconds: 15 }, { start_seconds: 10, end_seconds: 20 }), 25);
  assert.equal(placeIn({ found, offset_seconds: 15 }, { start_seconds: 1, end_seconds: 20 }), 20);
});

test('what is seen in whole seconds lies between the edges of its shots', () => {
  const starts = [0, 2.48, 2.8, 5];
  const shots = starts.map((start, i) => ({ start_seconds: start, end_seconds: starts[i + 1] ?? 8.4 }));
  const spans = [
    [0, 3],
    [1, 2],
    [3, 5],
    [4, 6],
    [8, 9],
  ].map(([start, end]) => ({ start: start!, end: end! }));
  assert.deepEqual(
    withinShots(spans, shots).map(({ start, end }) => [start, end]),
    [
      [0, 2.48],
      [1, 2],
      [2.8, 5],
      [4, 6],
      [8, 8.4],
    ],
  );
  assert.deepEqual(withinShots(spans, []), spans);
  assert.equal(neighbour(shots, 2.46, 1), 2.48, 'from the last frame of a shot to the next one');
  assert.equal(neighbour(shots, 2.4799999, 1), 2.8);
});
