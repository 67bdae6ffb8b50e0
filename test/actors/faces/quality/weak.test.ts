import assert from 'node:assert/strict';
import test from 'node:test';
import { isWeak, limits } from '../../../../actors/faces/quality/quality.ts';

const good = {
  cut: false,
  size_px: 80,
  sharpness: 0.6,
  yaw: 5,
  landmarks: Array.from({ length: 10 }, () => 0.5),
};

test('a face of a good size, sharp and towards the camera is not weak', () => {
  assert.equal(isWeak(good), false);
});

test('one that is tiny, blurred, turned away cut or beyond the edge is weak', () => {
  assert.equal(isWeak({ ...good, cut: true }), true);
  assert.equal(isWeak({ ...good, size_px: limits.size - 0.1 }), true);
  assert.equal(isWeak({ ...good, sharpness: limits.sharpness - 0.01 }), true);
  assert.equal(isWeak({ ...good, yaw: -limits.yaw - 1 }), true);
  assert.equal(isWeak({ ...good, yaw: limits.yaw + 1 }), true);
  assert.equal(
    isWeak({ ...good, landmarks: good.landmarks.map((value, at) => (at === 3 ? 1.01 : value)) }),
    true,
  );
});
