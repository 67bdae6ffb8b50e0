import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ClipFrame, FrameRange } from '../../../../actors/decoder/clips/frame-range.ts';

const ticksPerSecond = 1000;
const step = 40;

interface Cut {
  readonly frames: readonly ClipFrame<number>[];
  readonly dropped: readonly number[];
  readonly origin: number | null;
  readonly ending: number | null;
  readonly isCut: boolean;
}

/** Of a film of pictures that are shown from these ticks on, the last for `step`: those of a clip. */
function cut(times: readonly number[], start: number, end: number): Cut {
  const dropped: number[] = [];
  const range = new FrameRange<number>({ start, end, step, ticksPerSecond }, (picture) =>
    dropped.push(picture),
  );
  const frames = times.map((at) => range.push(at, at));
  frames.push(range.finish(step));
  range.close();
  const { origin, ending, isCut } = range;
  return { frames: frames.filter((frame) => frame !== null), dropped, origin, ending, isCut };
}

const film = Array.from({ length: 10 }, (_, i) => i * step);
const shown = ({ frames }: Cut) => frames.map(({ picture }) => picture);

test('a cut lies at the border of pictures that is nearest, half up', () => {
  assert.deepEqual(shown(cut(film, 58, 138)), [40, 80]);
  assert.deepEqual(shown(cut(film, 60, 140)), [80, 120]);
  assert.deepEqual(shown(cut(film, 40, 120)), [40, 80]);
  const { origin, ending, isCut } = cut(film, 58, 138);
  assert.deepEqual([origin, ending, isCut], [40, 120, false]);
});

test('clips that meet share no picture, and none is between them', () => {
  const times = fc.array(fc.constantFrom(step, 300), { minLength: 1, maxLength: 12 }).map((lengths) => {
    let at = 0;
    return lengths.map((length) => {
      at += length;
      return at - length;
    });
  });
  const cuts = fc.tuple(times, fc.nat(1500), fc.nat(1500), fc.nat(1500)).map(([film, ...at]) => {
    const [start, middle, end] = at.sort((a, b) => a - b) as [number, number, number];
    return { film, start, middle, end };
  });
  fc.assert(
    fc.property(cuts, ({ film, start, middle, end }) => {
      const length = film.at(-1)! + step;
      fc.pre(middle - start > step && end - middle > step && end <= length);
      const [first, second, whole] = [
        cut(film, start, middle),
        cut(film, middle, end),
        cut(film, start, end),
      ];
      assert.equal(first.ending, second.origin);
      assert.deepEqual([first.origin, second.ending], [whole.origin, whole.ending]);
      assert.deepEqual(new Set([...shown(first), ...shown(second)]), new Set(shown(whole)));
      const both = shown(first).filter((picture) => shown(second).includes(picture));
      // Only a picture that is itself cut is in both, each time for a part of its time.
      assert.ok(both.length === 0 || (both.length === 1 && first.isCut), String(both));
      for (const clip of [first, second, whole])
        for (const [i, { at, until }] of clip.frames.entries()) {
          assert.ok(at < until);
          assert.equal(until, clip.frames[i + 1]?.at ?? clip.ending);
        }
    }),
    { numRuns: 500 },
  );
});

test('each picture is either in the clip or dropped', () => {
  for (const [start, end] of [
    [0, 400],
    [59, 61],
    [130, 139],
    [399, 400],
    [150, 5000],
  ] as const) {
    const all = cut(film, start, end);
    assert.deepEqual(
      [...shown(all), ...all.dropped].sort((a, b) => a - b),
      film,
      `${start} to ${end}`,
    );
  }
});

test('a clip that is too short for a picture has the one that is shown', () => {
  assert.deepEqual(shown(cut(film, 82, 84)), [80]);
  assert.deepEqual(shown(cut(film, 110, 115)), [80]);
  assert.deepEqual(shown(cut(film, 110, 130)), [120]);
  assert.deepEqual(shown(cut(film, 390, 1000)), [360]);
});

test('a picture that is shown much longer than others is itself cut', () => {
  const { frames, origin, ending, isCut } = cut([0, 40, 1000], 300, 700);
  assert.deepEqual(frames, [{ picture: 40, at: 300, until: 700 }]);
  assert.deepEqual([origin, ending, isCut], [300, 700, true]);
});

test('outside of the film there is none', () => {
  const { frames, origin } = cut(film, 400, 500);
  assert.deepEqual([frames, origin], [[], null]);
});
