import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockBytes, paintBlocks, readAs } from '../../../actors/embedder/readings.ts';

const size = { width: 40, height: 20 };

/** Red grows to the right, green downwards. */
function slopes(): Uint8Array {
  return Uint8Array.from({ length: size.width * size.height * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3);
    const [x, y] = [pixel % size.width, Math.floor(pixel / size.width)];
    return [x * 6, y * 12, 40][i % 3]!;
  });
}

const pixelOf = (rgb: Uint8Array, x: number, y: number) => [
  ...rgb.subarray((y * size.width + x) * 3, (y * size.width + x + 1) * 3),
];

test('plain is the picture itself, and twice mirrored is the picture again', () => {
  const picture = slopes();
  assert.equal(readAs('plain', picture, size), picture);
  const mirrored = readAs('mirrored', picture, size);
  assert.deepEqual(pixelOf(mirrored, 0, 3), pixelOf(picture, 39, 3));
  assert.deepEqual(readAs('mirrored', mirrored, size), picture);
  assert.deepEqual(picture, slopes(), 'the slot is not written to');
});

test('as a part, the picture lies in its place at six tenths of its size, and goes on as in a mirror', () => {
  const picture = slopes();
  // 24 × 12 of 40 × 20.
  const places = {
    top_left: [0, 0],
    top_right: [16, 0],
    bottom_left: [0, 8],
    bottom_right: [16, 8],
    middle: [8, 4],
  } as const;
  for (const [reading, [left, top]] of Object.entries(places)) {
    const whole = readAs(reading as keyof typeof places, picture, size);
    assert.equal(whole.length, picture.length);
    for (const [x, y] of [
      [0, 0],
      [12, 6],
      [23, 11],
    ] as const) {
      const [red, green, blue] = pixelOf(whole, left + x, top + y) as [number, number, number];
      assert.ok(Math.abs(red - ((x + 0.5) * 40 * 6) / 24 + 3) <= 4, `${reading} ${x} ${y}: red ${red}`);
      assert.ok(
        Math.abs(green - ((y + 0.5) * 20 * 12) / 12 + 6) <= 8,
        `${reading} ${x} ${y}: green ${green}`,
      );
      assert.equal(blue, 40);
    }
    if (left > 0) assert.deepEqual(pixelOf(whole, left - 1, top), pixelOf(whole, left, top));
    if (left + 24 < 40) assert.deepEqual(pixelOf(whole, left + 24, top), pixelOf(whole, left + 23, top));
    if (top > 0) assert.deepEqual(pixelOf(whole, left, top - 1), pixelOf(whole, left, top));
  }
});

test('a picture of one point is read as one', () => {
  const point = Uint8Array.of(1, 2, 3);
  for (const reading of ['mirrored', 'middle', 'bottom_right'] as const) {
    assert.deepEqual(readAs(reading, point, { width: 1, height: 1 }), point);
  }
});

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
