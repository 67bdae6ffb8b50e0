import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockBytes, paintBlocks } from '../../../actors/embedder/readings.ts';

test('each block has the mean colour of its part of the picture, whatever its size', () => {
  for (const [width, height] of [
    [24, 16],
    [37, 29],
    [224, 224],
    [5, 3],
  ] as const) {
    const rgb = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++)
        rgb.set([x < width / 2 ? 200 : 20, y < height / 2 ? 90 : 30, 7], (y * width + x) * 3);
    }
    const blocks = new Uint8Array(blockBytes + 1);
    paintBlocks(rgb, { width, height }, blocks, 1);
    assert.deepEqual([...blocks.subarray(0, 4)], [0, 200, 90, 7], `${width}×${height}`);
    if (width < 12) continue;
    assert.deepEqual([...blocks.subarray(-3)], [20, 30, 7], `${width}×${height}`);
  }
});
