import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { representativesOf } from '../../../../actors/summarizer/outline/looks.ts';
import { seeded } from '../../../seeded.ts';
import { draws } from '../../../shared.ts';
import { blend, direction } from './composed.ts';

const dimensions = 32;
const random = seeded(3);
const looks = Array.from({ length: 4 }, () => direction(dimensions, random));

/** Pictures of looks, each with noise; frame i is second `first` + i. */
function film(of: readonly number[], first = 0) {
  const vectors = new Float32Array(of.length * dimensions);
  for (const [i, look] of of.entries())
    vectors.set(
      blend([
        [looks[look]!, 0.95],
        [direction(dimensions, random), 0.05],
      ]),
      i * dimensions,
    );
  return { vectors, dimensions, frames: of.map((_, i) => first + i), cuts: [] };
}
const times = (look: number, seconds: number) => new Array<number>(seconds).fill(look);

test('each look of a range has its frame, however short it is and wherever it lies', () => {
  const of = [...times(0, 40), ...times(1, 3), ...times(0, 20), ...times(2, 30)];
  const chosen = representativesOf(film(of), { start: 0, end: of.length }, 3);
  assert.deepEqual(chosen.map((frame) => of[frame]).sort(), [0, 1, 2]);
});

test('where one frame shows all there is, there is one', () => {
  const still = film(times(0, 1));
  const vectors = new Float32Array(50 * dimensions);
  for (let i = 0; i < 50; i++) vectors.set(still.vectors, i * dimensions);
  const chosen = representativesOf(
    { ...still, vectors, frames: times(0, 50).map((_, i) => i) },
    { start: 0, end: 50 },
    6,
  );
  assert.deepEqual(chosen, [0]);
});

test('a single odd frame does not stand for a range that has room for one', () => {
  const of = [3, ...times(0, 200)];
  const [chosen] = representativesOf(film(of), { start: 0, end: of.length }, 1);
  assert.equal(of[chosen!], 0);
});

test('frames lie in the range and have a vector; a range without any has none', () => {
  const pictures = film(times(1, 20), 30);
  assert.deepEqual(representativesOf(pictures, { start: 0, end: 30 }, 4), []);
  assert.deepEqual(representativesOf(pictures, { start: 35, end: 40 }, 0), []);
  for (const frame of representativesOf(pictures, { start: 35, end: 40 }, 4))
    assert.ok(frame >= 35 && frame < 40);
});

test('frames ascend, and are no more than asked for', () => {
  const of = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 700, size: 'max' });
  fc.assert(
    fc.property(of, fc.integer({ min: 1, max: 9 }), (of, count) => {
      const chosen = representativesOf(film(of), { start: 0, end: of.length }, count);
      assert.ok(chosen.length >= 1 && chosen.length <= count);
      assert.ok(chosen.every((frame, i) => i === 0 || frame > chosen[i - 1]!));
    }),
    { numRuns: draws(60) },
  );
});
