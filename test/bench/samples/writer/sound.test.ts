import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSamples } from '../../../../bench/samples/writer/sound.ts';

test('samples are packed in the format of the encoder and clamped to full scale', () => {
  const left = Buffer.alloc(4);
  const right = Buffer.alloc(4);
  packSamples(Float32Array.of(0, 2, 0.5, -1), 2, 's16p', [left, right]);
  assert.deepEqual([left.readInt16LE(0), left.readInt16LE(2)], [0, 16384]);
  assert.deepEqual([right.readInt16LE(0), right.readInt16LE(2)], [32767, -32767]);
  const both = Buffer.alloc(8);
  packSamples(Float32Array.of(0.25, -0.25), 1, 'flt', [both]);
  assert.deepEqual([both.readFloatLE(0), both.readFloatLE(4)], [0.25, -0.25]);
});
