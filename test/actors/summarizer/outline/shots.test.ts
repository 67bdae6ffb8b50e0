import assert from 'node:assert/strict';
import test from 'node:test';
import { shotSteps } from '../../../../actors/summarizer/outline/outline.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';
import { seeded } from '../../../seeded.ts';
import { blend, direction } from './composed.ts';
import { withCuts } from './with-cuts.ts';

const shotsOf = (...request: Parameters<typeof shotSteps>) => atOnce(shotSteps(...request));

const dimensions = 64;
const random = seeded(11);
const [a, b, c] = [1, 2, 3].map(() => direction(dimensions, random)) as [
  Float64Array,
  Float64Array,
  Float64Array,
];

/** A picture that is `share` of one and the rest of the other, with noise. */
const mixed = (one: Float64Array, other: Float64Array, share: number, noise = 0.05) =>
  blend([
    [one, (1 - noise) * share],
    [other, (1 - noise) * (1 - share)],
    [direction(dimensions, random), noise],
  ]);
const still = (of: Float64Array, seconds: number, noise = 0.05) =>
  Array.from({ length: seconds }, () => mixed(of, of, 1, noise));

function startsOf(rows: readonly Float64Array[]): readonly number[] {
  const vectors = new Float32Array(rows.length * dimensions);
  for (const [i, row] of rows.entries()) vectors.set(row, i * dimensions);
  return shotsOf(withCuts({ vectors, dimensions, frames: rows.map((_, i) => i) })).starts;
}

test('a cut begins a shot, noise does not, however strong it is', () => {
  assert.deepEqual(startsOf([...still(a, 20), ...still(b, 7), ...still(c, 3)]), [0, 20, 27]);
  for (const noise of [0.01, 0.1, 0.2]) assert.deepEqual(startsOf(still(a, 200, noise)), [0], `${noise}`);
});

test('each second of a montage is a shot', () => {
  const rows = Array.from({ length: 40 }, () => direction(dimensions, random));
  assert.equal(startsOf(rows).length, 40);
});

test('a flash and a hand before the lens interrupt no shot', () => {
  for (const seconds of [1, 2, 4])
    assert.deepEqual(startsOf([...still(a, 20), ...still(b, seconds), ...still(a, 20)]), [0], `${seconds} s`);
  assert.equal(startsOf([...still(a, 20), ...still(b, 6), ...still(a, 20)]).length, 3);
});

test('a slow fade is one new shot, in its middle', () => {
  for (const seconds of [8, 12]) {
    const fade = Array.from({ length: seconds }, (_, i) => mixed(b, a, ((i + 1) / (seconds + 1)) ** 2, 0.02));
    const starts = startsOf([...still(a, 30, 0.02), ...fade, ...still(b, 30, 0.02)]);
    assert.equal(starts.length, 2, `${seconds} s: ${starts}`);
    assert.ok(starts[1]! > 30 && starts[1]! < 31 + seconds, `${starts}`);
  }
});

test('a pan, which never comes to rest, is one shot', () => {
  const path = [a, b, c];
  const rows = Array.from({ length: 120 }, (_, i) => {
    const at = (i / 120) * 2;
    const share = at - Math.floor(at);
    return mixed(
      path[Math.floor(at) + 1]!,
      path[Math.floor(at)]!,
      Math.sin((share * Math.PI) / 2) ** 2,
      0.02,
    );
  });
  assert.deepEqual(startsOf(rows), [0]);
});

test('no pictures have no shots, one has one', () => {
  assert.deepEqual(startsOf([]), []);
  assert.deepEqual(startsOf(still(a, 1)), [0]);
});
