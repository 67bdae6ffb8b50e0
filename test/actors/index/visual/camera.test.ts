import assert from 'node:assert/strict';
import test from 'node:test';
import { cameraOf, type Motion, motionAt, movements } from '../../../../actors/index/visual/camera.ts';

const told = (motions: readonly Motion[], scenes: readonly number[] = [0]) =>
  Array.from(cameraOf(motions, scenes), (number) => movements[number - 1] ?? null);
const of = (count: number, motion: (i: number) => Motion) =>
  Array.from({ length: count }, (_, i) => motion(i));
const all = (count: number, movement: string) => new Array<string>(count).fill(movement);

test('a camera stands still, moves evenly one way, or does neither', () => {
  assert.deepEqual(told(of(9, (i) => [0.001 * (-1) ** i, 0, 0])), all(9, 'fixed'));
  assert.deepEqual(told(of(9, () => [-0.1, 0.001, 0])), all(9, 'panning'));
  assert.deepEqual(told(of(9, (i) => [0, 0.05 + 0.002 * i, 0])), all(9, 'panning'));
  assert.deepEqual(told(of(9, () => [0.001, 0, 0.05])), all(9, 'panning'));
  assert.deepEqual(
    told(of(9, (i) => [0.03 * Math.sin(2 * i), 0.03 * Math.cos(3 * i), 0])),
    all(9, 'following'),
  );
  // One way, but by starts.
  assert.deepEqual(told(of(9, (i) => [i % 2 === 0 ? 0.02 : 0.12, 0, 0])), all(9, 'following'));
});

test('each scene is told by itself, whatever is between them', () => {
  const motions: Motion[] = [
    ...of(6, () => [0.1, 0, 0] as const),
    [0.4, -0.3, 0],
    ...of(5, () => [0, 0, 0] as const),
  ];
  assert.deepEqual(told(motions, [0, 6]), [...all(6, 'panning'), ...all(6, 'fixed')]);
});

test('a few seconds of which nothing is known take part in those around; alone they are not told', () => {
  const known: Motion = [0.1, 0, 0];
  assert.deepEqual(told([known, known, null, known, known]), all(5, 'panning'));
  assert.deepEqual(told([known, known, null, known], [0, 2]), [null, null, null, null]);
  assert.equal(cameraOf([null, null], [0]).length, 0);
  assert.equal(motionAt(Float32Array.of(1, 2, 3, Number.NaN, 0, 0), 1), null);
  assert.deepEqual(motionAt(Float32Array.of(1, 2, 3), 0), [1, 2, 3]);
});
