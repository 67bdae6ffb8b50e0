import assert from 'node:assert/strict';
import test from 'node:test';
import { readPowerset } from '../../../actors/diarizer/segmentation-channel.ts';

test('the seven classes are silence, each of three speakers, and each pair', () => {
  const logits = new Float32Array(8 * 7).fill(-5);
  for (let at = 0; at < 7; at++) logits[at * 7 + at] = 1;
  logits.fill(Number.NaN, 49);
  assert.deepEqual([...readPowerset(logits)], [0, 1, 2, 4, 3, 5, 6, 0]);
});
