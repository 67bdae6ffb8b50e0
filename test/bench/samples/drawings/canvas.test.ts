import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Canvas, ramp } from '../../../../bench/samples/drawings/canvas.ts';
import { noiseFrom, noiseTile, randomFrom, smooth } from '../../../../bench/samples/drawings/noise.ts';

test('shapes are antialiased: coverage adds up to their area', () => {
  const painted = (paint: (canvas: Canvas) => void) => {
    const canvas = new Canvas(40, 40);
    paint(canvas);
    return canvas.rgb.reduce((sum, value) => sum + value, 0) / (255 * 3);
  };
  const near = (value: number, wanted: number) => assert.ok(Math.abs(value - wanted) < wanted * 0.02 + 0.5);
  near(
    painted((canvas) => canvas.disc(20.3, 19.8, 10, [255, 255, 255])),
    Math.PI * 100,
  );
  near(
    painted((canvas) => canvas.box(3.25, 4.5, 10.5, 8.25, [255, 255, 255])),
    10.5 * 8.25,
  );
  near(
    painted((canvas) =>
      canvas.polygon(
        [
          [5, 5],
          [35, 8],
          [12, 30],
        ],
        [255, 255, 255],
      ),
    ),
    364.5,
  );
  near(
    painted((canvas) => canvas.box(-10, -10, 100, 100, [255, 255, 255], 0.5)),
    1600 * 0.502,
  );
});

test('a composited layer changes only the pixels it covers', () => {
  const canvas = new Canvas(8, 8);
  canvas.rows(0, 8, () => [10, 20, 30]);
  const layer = Canvas.layer(4, 4);
  layer.box(0, 0, 2, 4, [200, 100, 50]);
  layer.box(2, 0, 1, 4, [200, 100, 50], 0.5);
  canvas.over(layer, 5, -1);
  const pixel = (x: number, y: number) => [...canvas.rgb.subarray((y * 8 + x) * 3, (y * 8 + x) * 3 + 3)];
  assert.deepEqual(pixel(5, 0), [200, 100, 50]);
  assert.ok(Math.abs(pixel(7, 2)[0]! - 105) <= 1);
  assert.deepEqual(pixel(5, 3), [10, 20, 30]);
  assert.deepEqual(pixel(4, 0), [10, 20, 30]);
});

test('a ramp begins and ends with its colours', () => {
  const colors = [
    [0, 0, 0],
    [100, 0, 0],
    [100, 200, 0],
  ] as const;
  assert.deepEqual(ramp(colors, -1), [0, 0, 0]);
  assert.deepEqual(ramp(colors, 0.75), [100, 100, 0]);
  assert.deepEqual(ramp(colors, 2), [100, 200, 0]);
});

test('a seed gives the same numbers each time, another seed different ones', () => {
  const take = (seed: number) => Array.from({ length: 20 }, randomFrom(seed));
  assert.deepEqual(take(7), take(7));
  assert.notDeepEqual(take(7), take(8));
  assert.ok(take(7).every((value) => value >= 0 && value < 1));
});

test('noise is smooth and repeats after its period', () => {
  const noise = noiseFrom(3, 16);
  for (let x = 0; x < 16; x += 0.37) {
    assert.ok(Math.abs(noise(x + 0.01, 2.5) - noise(x, 2.5)) < 0.03);
    assert.equal(noise(x, 2.5).toFixed(9), noise(x + 16, 2.5).toFixed(9));
  }
});

test('a noise tile has no seam', () => {
  const tile = noiseTile(5, 64, 4, 2);
  const step = (a: number, b: number) => Math.abs(tile[a]! - tile[b]!);
  for (let n = 0; n < 64; n++) {
    assert.ok(step(n * 64 + 63, n * 64) < 40);
    assert.ok(step(63 * 64 + n, n) < 40);
  }
});

test('smooth rises from 0 to 1 between its limits', () => {
  assert.deepEqual([smooth(2, 4, 1), smooth(2, 4, 3), smooth(2, 4, 5)], [0, 0.5, 1]);
});
