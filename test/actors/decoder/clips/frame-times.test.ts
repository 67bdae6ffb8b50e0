import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { frameTimes } from '../../../../actors/decoder/clips/picture-cut.ts';

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
