import assert from 'node:assert/strict';
import test from 'node:test';
import { overlap } from '../../runtime/picture.ts';

test('overlap is the shared part of what two boxes cover', () => {
  assert.equal(overlap([0, 0, 0.2, 0.2], [0, 0, 0.2, 0.2]), 1);
  assert.equal(overlap([0, 0, 0.2, 0.2], [0.2, 0, 0.2, 0.2]), 0);
  assert.ok(Math.abs(overlap([0, 0, 0.2, 0.2], [0.1, 0, 0.2, 0.2]) - 1 / 3) < 1e-9);
});
