import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fittedSize,
  gridOf,
  patchesOf,
  patchValues,
  tokensOf,
} from '../../../../actors/summarizer/language/decoder.ts';

const sizes: [from: [number, number], most: number, to: [number, number], tokens: number][] = [
  [[448, 448], 448 ** 2, [448, 448], 196],
  [[640, 360], 448 ** 2, [576, 320], 180],
  [[360, 640], 448 ** 2, [320, 576], 180],
  [[100, 100], 448 ** 2, [96, 96], 9],
  [[10, 10], 448 ** 2, [32, 32], 1],
  [[640, 8], 64 ** 2, [128, 32], 4],
];
for (const [[width, height], most, [w, h], tokens] of sizes) {
  test(`${width}×${height} becomes ${w}×${h} of at most ${most} pixels, ${tokens} tokens`, () => {
    const size = fittedSize({ width, height }, most);
    assert.deepEqual(size, { width: w, height: h });
    assert.equal(tokensOf(gridOf(size)), tokens);
  });
}

test('every picture becomes one of whole tokens and of no more pixels than allowed', () => {
  const side = fc.integer({ min: 1, max: 20_000 });
  fc.assert(
    fc.property(side, side, fc.integer({ min: 1, max: 40 }), (width, height, tokens) => {
      const most = tokens * 32 * 32;
      const size = fittedSize({ width, height }, most);
      assert.ok(size.width % 32 === 0 && size.height % 32 === 0 && size.width >= 32 && size.height >= 32);
      assert.ok(size.width * size.height <= most, `${size.width}×${size.height}`);
    }),
  );
});

test('patches go block by block of two by two, their values channel, frame, row', () => {
  // 64×32 px: two blocks side by side. Every pixel tells its patch in red, its row in green, its column in
  // blue.
  const [width, height] = [64, 32];
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      rgb[at] = 10 * (Math.floor(y / 16) * 4 + Math.floor(x / 16));
      rgb[at + 1] = y % 16;
      rgb[at + 2] = x % 16;
    }
  const values = patchesOf({ width, height, rgb });
  assert.equal(values.length, 8 * patchValues);
  const byte = (patch: number, at: number) => Math.round((values[patch * patchValues + at]! + 1) * 127.5);
  // Of the 2×4 patches: the four of the left block, then the four of the right one.
  const order = [0, 1, 4, 5, 2, 3, 6, 7];
  assert.deepEqual(
    order.map((_, patch) => byte(patch, 0) / 10),
    order,
  );
  for (const frame of [0, 256]) {
    assert.equal(byte(3, frame + 37), 50, 'red');
    assert.equal(byte(3, 512 + frame + 2 * 16 + 5), 2, 'green: the row');
    assert.equal(byte(3, 1024 + frame + 2 * 16 + 5), 5, 'blue: the column');
  }
  const [black, white] = [new Uint8Array(32 * 32 * 3), new Uint8Array(32 * 32 * 3).fill(255)];
  assert.equal(patchesOf({ width: 32, height: 32, rgb: black })[0], -1);
  assert.equal(patchesOf({ width: 32, height: 32, rgb: white })[0], 1);
});
