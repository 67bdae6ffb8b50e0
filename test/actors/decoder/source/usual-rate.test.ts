import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualRate } from '../../../../actors/decoder/source/source.ts';

/** Times in ticks of 1/90000 s of pictures at these steps, one after the other. */
function timesOf(...steps: readonly number[]): number[] {
  let at = 0;
  return [0, ...steps].map((step) => (at += step));
}

const every = (step: number, count = 60) => new Array<number>(count).fill(step);
const tick = 1 / 90_000;

test('the rate is that of most pictures, however many were dropped between them', () => {
  for (const dropped of [3, 5, 8, 33]) {
    const steps = every(3000, 150).map((step, i) => (i % dropped === 0 ? 2 * step : step));
    assert.deepEqual(usualRate(timesOf(...steps), tick), { num: 30, den: 1 });
  }
});

test('clocks that jitter or count milliseconds tell 30 from 29.97', () => {
  const shaken = (step: number) => every(step, 200).map((value, i) => value + (((i * 37) % 11) - 5) * 30);
  assert.deepEqual(usualRate(timesOf(...shaken(3000)), tick), { num: 30, den: 1 });
  assert.deepEqual(usualRate(timesOf(...shaken(3003)), tick), { num: 30_000, den: 1001 });
  const milliseconds = Array.from({ length: 300 }, (_, i) => Math.round((i * 1001) / 24));
  assert.deepEqual(usualRate(milliseconds, 1 / 1000), { num: 24_000, den: 1001 });
});

test('a first picture that is shown for longer changes nothing', () => {
  assert.deepEqual(usualRate(timesOf(5527, ...every(3600, 20)), tick), { num: 25, den: 1 });
});

test('no rate is usual where none is that of most pictures, or where there are few', () => {
  assert.equal(usualRate(timesOf(...every(3600, 7)), tick), null);
  assert.equal(usualRate([], tick), null);
  const uneven = every(1000, 100).map((step, i) => step * (1 + (i % 7)));
  assert.equal(usualRate(timesOf(...uneven), tick), null);
  assert.equal(usualRate(timesOf(...every(90_000 / 13.4)), tick), null);
});
