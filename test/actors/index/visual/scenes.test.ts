import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  highest,
  lags,
  lowest,
  sceneStarts,
  sceneThreshold,
} from '../../../../actors/index/visual/scenes.ts';
import { footage, near, randomVector, seeded } from '../footage.ts';

const distancesOf = (vectors: Float32Array, d: number, lag = 1) =>
  Float32Array.from({ length: Math.max(0, vectors.length / d - lag) }, (_, i) => {
    let dot = 0;
    for (let k = 0; k < d; k++) dot += vectors[i * d + k]! * vectors[(i + lag) * d + k]!;
    return 1 - dot;
  });
/**
 * `changed`: of each second the share of the picture that differs from the one before; all of it where
 * nothing is said.
 */
const startsOf = (vectors: Float32Array, d: number, changed: readonly number[] = []) =>
  sceneStarts(
    Array.from({ length: lags }, (_, i) => distancesOf(vectors, d, i + 1)),
    Array.from({ length: vectors.length / d - 1 }, (_, i) => changed[i + 1] ?? 1),
    vectors.length / d,
  );

/** Frames made of named pictures: 'AABBA'. */
function film(shots: string, d: number, jitter: number): Float32Array {
  const random = seeded(8);
  const pictures = new Map([...new Set(shots)].map((name) => [name, randomVector(d, random)]));
  const vectors = new Float32Array(shots.length * d);
  [...shots].forEach((name, i) => {
    vectors.set(near(pictures.get(name)!, jitter, random), i * d);
  });
  return vectors;
}

test('cuts between calm or restless shots begin scenes, and nothing else does', () => {
  for (const jitter of [0.01, 0.1, 0.3]) {
    for (const shot of [5, 8, 40]) {
      const starts = startsOf(footage(200, 64, shot, jitter, 3), 64);
      const cuts = Array.from({ length: Math.ceil(200 / shot) }, (_, i) => i * shot);
      assert.deepEqual(starts, cuts, `jitter ${jitter}, shots of ${shot}`);
    }
  }
});

test('a still picture is one scene and a montage of one-second shots is all scenes', () => {
  assert.deepEqual(sceneStarts([new Float32Array(99).fill(0.001)], new Float32Array(99).fill(1), 100), [0]);
  assert.equal(startsOf(footage(50, 64, 1, 0, 4), 64).length, 50);
  assert.deepEqual(sceneStarts([], [], 0), []);
  assert.deepEqual(sceneStarts([], [], 1), [0]);
});

test('what interrupts a scene for at most four seconds belongs to it, and what stays longer is a scene', () => {
  for (const [shots, starts] of [
    ['AAAAAAxAAAAAABBBBBBB', [0, 13]],
    ['AAAAAAuvwxAAAAABBBBB', [0, 15]],
    ['AAAAAABBBBAAAABBBBAA', [0]],
    ['AAAAAABBBBBAAAAAAAAA', [0, 6, 11]],
    ['AAAAAABBBBBBCCCCCCxC', [0, 6, 12]],
  ] as const) {
    assert.deepEqual(startsOf(film(shots, 64, 0.05), 64), starts, shots);
  }
});

test('what changes less than half of the picture passes before a camera and begins no scene', () => {
  const shots = film('AAAAAAAAABBBBBBBBBCCCCCCCCC', 64, 0.05);
  const changed = (share: number) => Array.from({ length: 27 }, (_, i) => (i === 9 ? share : 1));
  assert.deepEqual(startsOf(shots, 64, changed(0.45)), [0, 18]);
  assert.deepEqual(startsOf(shots, 64, changed(0.55)), [0, 9, 18]);
});

test('the threshold stays between its bounds whatever the film', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ min: 0, max: 2, noNaN: true })), (distances) => {
      const threshold = sceneThreshold(Float32Array.from(distances));
      assert.ok(threshold >= lowest && threshold <= highest, `${threshold}`);
    }),
  );
});
