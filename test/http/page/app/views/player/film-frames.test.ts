import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  evenFrames,
  type FilmFrames,
  frameAt,
  frameBeside,
  listedFrames,
} from '../../../../../../http/page/app/views/player/frames.ts';
import {
  middleOfFrame,
  placeOfStep,
  withinFrame,
} from '../../../../../../http/page/app/views/player/transport.ts';

const rates = fc.constantFrom(23.976023976, 24, 25, 29.97002997, 30, 50, 59.94005994, 60, 120);

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
