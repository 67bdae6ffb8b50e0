import assert from 'node:assert/strict';
import test from 'node:test';
import { detectionInput, detectionSize } from '../../../../actors/text-reader/detection/input.ts';
import { drawn } from '../graphs.ts';

test('the size has sides of whole steps, is not larger than the picture, and never without a step', () => {
  const size = (width: number, height: number) => Object.values(detectionSize({ width, height }, 640));
  assert.deepEqual(size(1280, 720), [640, 352]);
  assert.deepEqual(size(720, 1280), [352, 640]);
  assert.deepEqual(size(320, 200), [320, 192]);
  assert.deepEqual(size(30_000, 40), [640, 32]);
  assert.deepEqual(size(1, 1), [32, 32]);
});

test('planes are blue, green and red, each with the mean and the deviation of its place', () => {
  const picture = drawn(32, 32, () => [255, 102, 0]);
  const planes = detectionInput(picture, picture, { left: 0, top: 0, width: 32, height: 32 });
  assert.equal(planes.length, 3 * 32 * 32);
  for (const [plane, value] of [
    [0, (0 - 0.485) / 0.229],
    [1, (0.4 - 0.456) / 0.224],
    [2, (1 - 0.406) / 0.225],
  ] as const) {
    const own = planes.subarray(plane * 1024, (plane + 1) * 1024);
    for (const one of own) assert.ok(Math.abs(one - value) < 1e-5, `${plane}: ${one}`);
  }
});

test('a picture of half its size has the means of four pixels', () => {
  const picture = drawn(64, 64, (x, y) => [x % 2 === 0 ? 200 : 100, y % 2 === 0 ? 80 : 20, x]);
  const planes = detectionInput(
    picture,
    { width: 32, height: 32 },
    { left: 0, top: 0, width: 32, height: 32 },
  );
  const of = (plane: number, x: number, y: number) => planes[plane * 1024 + y * 32 + x]!;
  assert.ok(Math.abs(of(2, 5, 7) - (150 / 255 - 0.406) / 0.225) < 1e-4);
  assert.ok(Math.abs(of(1, 5, 7) - (50 / 255 - 0.456) / 0.224) < 1e-4);
  assert.ok(Math.abs(of(0, 5, 7) - (10.5 / 255 - 0.485) / 0.229) < 1e-4);
});

test('a part is the same as that part of the whole, also where the picture grows', () => {
  for (const [width, height] of [
    [100, 90],
    [61, 50],
  ] as const) {
    const picture = drawn(width, height, (x, y) => [(x * 7) % 256, (y * 13) % 256, (x * y) % 256]);
    const size = { width: 96, height: 96 };
    const whole = detectionInput(picture, size, { left: 0, top: 0, ...size });
    const part = detectionInput(picture, size, { left: 32, top: 64, width: 64, height: 32 });
    for (let plane = 0; plane < 3; plane++) {
      for (let y = 0; y < 32; y++) {
        const from = plane * 96 * 96 + (y + 64) * 96 + 32;
        const own = plane * 64 * 32 + y * 64;
        assert.deepEqual(part.subarray(own, own + 64), whole.subarray(from, from + 64));
      }
    }
  }
});
