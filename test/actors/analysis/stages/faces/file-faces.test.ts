import assert from 'node:assert/strict';
import test from 'node:test';
import { faceShape, slotBytesFor } from '../../../../../actors/analysis/stages/faces/file-faces.ts';
import { mostPictureBytes } from '../../../../../actors/models/contract.ts';

const slot = slotBytesFor(64, 8 * 2 ** 30);

test('a picture keeps its shape, is never made larger, and fits into a slot', () => {
  const table: [number, number, number, number, number][] = [
    [1920, 1080, 1280, 1280, 720],
    [1080, 1920, 1280, 720, 1280],
    [640, 480, 1280, 640, 480],
    [1, 1, 1280, 1, 1],
    [30_000, 1, 1920, 1920, 1],
    [30_000, 20_000, 1920, 1920, 1280],
    [3000, 3000, 1920, 1662, 1662],
  ];
  for (const [width, height, side, wide, high] of table) {
    const shape = faceShape({ width, height }, side, slot);
    assert.deepEqual([shape.width, shape.height], [wide, high], `${width}x${height}`);
    assert.ok(shape.width * shape.height * 3 <= slot);
  }
});

test('any picture fits into any slot', () => {
  for (let n = 1; n < 4000; n += 7) {
    for (const bytes of [mostPictureBytes, mostPictureBytes + n, slot]) {
      const { width, height } = faceShape({ width: n * 3, height: 4001 - n }, 1920, bytes);
      assert.ok(width * height * 3 <= bytes && width >= 1 && height >= 1, `${n} ${bytes}`);
    }
  }
});

test('slots are large where there is memory, and never smaller than the models of pictures need', () => {
  assert.equal(slotBytesFor(64, 2 ** 33), 1920 * 1440 * 3);
  assert.equal(slotBytesFor(48 + 8 * 256, 2 ** 32), Math.floor(2 ** 32 / (48 + 8 * 256)));
  assert.equal(slotBytesFor(48 + 8 * 256, 2 ** 20), mostPictureBytes);
});
