import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  readRow16,
  stride8,
  stride16,
  writeRow8,
  writeRow16,
} from '../../../../actors/index/visual/quantize.ts';
import { randomVector, seeded } from '../footage.ts';

test('a 16-bit row gives its vector back to one part in 20,000, and nothing when a bit is flipped', () => {
  const random = seeded(1);
  for (const dimensions of [1, 7, 64, 512]) {
    const vector = randomVector(dimensions, random);
    const bytes = new Uint8Array(stride16(dimensions));
    writeRow16(vector, 77, bytes, 0);
    const back = readRow16(bytes, dimensions, 77)!;
    const largest = Math.max(...vector.map(Math.abs));
    assert.ok(vector.every((value, i) => Math.abs(value - back[i]!) <= largest / 20000));
    assert.equal(readRow16(bytes, dimensions, 78), null);
    for (const at of [0, bytes.length - 16, bytes.length - 9]) {
      const flipped = Uint8Array.from(bytes);
      flipped[at]! ^= 1;
      assert.equal(readRow16(flipped, dimensions, 77), null, `byte ${at}`);
    }
  }
});

test('an 8-bit row is as long as its stride, a multiple of 16, and a zero vector has scale zero', () => {
  for (const dimensions of [1, 32, 33, 512]) {
    assert.equal(stride8(dimensions) % 16, 0);
    const bytes = new Uint8Array(stride8(dimensions) + 16).fill(9);
    writeRow8(new Float32Array(dimensions), bytes, 0);
    assert.ok(bytes.subarray(0, stride8(dimensions)).every((byte) => byte === 0));
    assert.ok(bytes.subarray(stride8(dimensions)).every((byte) => byte === 9));
  }
});
