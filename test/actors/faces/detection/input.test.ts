import assert from 'node:assert/strict';
import test from 'node:test';
import { InputFiller } from '../../../../actors/faces/detection/detector.ts';
import { yunetRow } from '../stand-in-embedder.ts';

test('colours become planes in the order of the row, black to the right and below, at any size', () => {
  const filler = {
    bgr: new InputFiller(yunetRow.detector),
    rgb: new InputFiller({ ...yunetRow.detector, color: 'rgb', mean: 127.5, scale: 128 }),
  };
  for (const [width, height] of [
    [1, 1],
    [3, 2],
    [7, 5],
    [33, 31],
    [64, 32],
  ] as const) {
    const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 37 + (at >> 4)) & 255);
    for (const color of ['bgr', 'rgb'] as const) {
      const input = filler[color].fill({ data, width, height });
      assert.deepEqual(
        [input.width % 32, input.height % 32, input.data.length],
        [0, 0, 3 * input.width * input.height],
      );
      for (let channel = 0; channel < 3; channel++) {
        const plane = color === 'rgb' ? channel : 2 - channel;
        for (let y = 0; y < input.height; y++) {
          for (let x = 0; x < input.width; x++) {
            const byte = x < width && y < height ? data[(y * width + x) * 3 + channel]! : 0;
            const value = color === 'rgb' ? Math.fround((byte - 127.5) / 128) : byte;
            assert.equal(input.data[(plane * input.height + y) * input.width + x], value);
          }
        }
      }
    }
  }
});
