import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ClipFrame, ClipFrameRange } from '../../../../actors/decoder/clips/frame-range.ts';
import { frameTimes } from '../../../../actors/decoder/clips/picture-cut.ts';

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
  const range = new ClipFrameRange<number>({ start, end, step, ticksPerSecond }, (picture) =>
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

const ms = { num: 1, den: 1000 };
const rates = [
  { num: 24000, den: 1001 },
  { num: 30, den: 1 },
  { num: 30000, den: 1001 },
  { num: 60000, den: 1001 },
  { num: 24, den: 1 },
];

test('times rounded to milliseconds or 1/90000 s are even again, wherever the clip starts', () => {
  for (const rate of rates) {
    for (const base of [ms, { num: 1, den: 90_000 }]) {
      const rounded = (n: number) => Math.round((n * rate.den * base.den) / rate.num);
      for (const first of [0, 1, 2, 1234]) {
        const times = frameTimes(base, rate);
        const seconds = (n: number) =>
          times.of(rounded(first + n) - rounded(first)) * (times.base.num / times.base.den);
        for (let n = 0; n < 500; n++) {
          assert.ok(Math.abs(seconds(n) - (n * rate.den) / rate.num) < 1e-9, `${n} at ${seconds(n)}`);
        }
      }
    }
  }
});

test('times never fall, and move by less than a tick of the source and a rounding', () => {
  const ticks = fc.uniqueArray(fc.nat(1_000_000), { minLength: 2, maxLength: 50 });
  const check = (unsorted: number[], rate: (typeof rates)[number]) => {
    const times = frameTimes(ms, rate);
    const perTick = times.base.den / ms.den;
    let before = Number.NEGATIVE_INFINITY;
    for (const at of unsorted.sort((a, b) => a - b)) {
      const time = times.of(at);
      assert.ok(time >= before);
      assert.ok(Math.abs(time - at * perTick) <= perTick + 1e-6);
      before = time;
    }
  };
  fc.assert(fc.property(ticks, fc.constantFrom(...rates), check));
});

test('a clock that has the rate, no rate, and one too odd are left as they are', () => {
  for (const [base, rate] of [
    [
      { num: 1, den: 15_360 },
      { num: 30, den: 1 },
    ],
    [ms, { num: 25, den: 1 }],
    [ms, null],
    [ms, { num: 2_997_003, den: 100_000 }],
    [
      { num: 1001, den: 30_000 },
      { num: 24, den: 1 },
    ],
  ] as const) {
    const times = frameTimes(base, rate);
    assert.deepEqual([times.base, times.of(1234)], [base, 1234]);
  }
});
