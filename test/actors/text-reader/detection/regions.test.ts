import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectionInput, detectionSize } from '../../../../actors/text-reader/detection/input.ts';
import {
  mayBeText,
  mostLines,
  regionsOf,
  smallestRectangle,
} from '../../../../actors/text-reader/detection/regions.ts';
import { drawn } from '../graphs.ts';

const near = (actual: number, expected: number, within: number) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);

/** A map in which pixels of a slanted bar have a probability. */
function bar(
  width: number,
  height: number,
  x: number,
  y: number,
  angle: number,
  w: number,
  h: number,
  p = 1,
) {
  const map = new Float32Array(width * height);
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  for (let at = 0; at < map.length; at++) {
    const [dx, dy] = [(at % width) + 0.5 - x, Math.floor(at / width) + 0.5 - y];
    if (Math.abs(dx * ux + dy * uy) < w / 2 && Math.abs(dy * ux - dx * uy) < h / 2) map[at] = p;
  }
  return map;
}

test('the smallest rectangle of a slanted square has its sides and its direction', () => {
  const found = smallestRectangle([
    [0, 10],
    [10, 0],
    [20, 10],
    [10, 20],
    [10, 10],
  ]);
  near(found.width, Math.SQRT2 * 10, 1e-9);
  near(found.height, Math.SQRT2 * 10, 1e-9);
  near(Math.abs(found.ux), Math.SQRT1_2, 1e-9);
  assert.deepEqual([found.x, found.y].map(Math.round), [10, 10]);
});

test('a bar is a region that has grown by 1.6 times its area through its circumference', () => {
  const [found, ...others] = regionsOf(bar(128, 64, 64, 32, 0, 60, 10), 128, 64);
  assert.equal(others.length, 0);
  const margin = (60 * 10 * 1.6) / 70;
  near(found!.width, 60 + margin, 1e-6);
  near(found!.height, 10 + margin, 1e-6);
  assert.deepEqual([found!.x, found!.y, found!.ux, found!.uy, found!.score], [64, 32, 1, 0, 1]);
});

test('a slanted bar keeps its direction, and one that stands upright lies down', () => {
  const [slanted] = regionsOf(bar(128, 128, 64, 64, 0.3, 70, 12), 128, 128);
  near(Math.atan2(slanted!.uy, slanted!.ux), 0.3, 0.03);
  const [upright] = regionsOf(bar(64, 128, 30, 64, Math.PI / 2, 80, 10), 64, 128);
  assert.deepEqual([upright!.ux, upright!.uy], [1, 0]);
  assert.ok(upright!.height > upright!.width);
});

test('what is unlikely, small, or no number is no region', () => {
  assert.deepEqual(regionsOf(bar(64, 64, 32, 32, 0, 40, 10, 0.5), 64, 64), []);
  assert.deepEqual(regionsOf(bar(64, 64, 32, 32, 0, 40, 10, 0.29), 64, 64), []);
  assert.deepEqual(regionsOf(bar(64, 64, 32, 32, 0, 40, 2), 64, 64), []);
  assert.deepEqual(regionsOf(new Float32Array(64 * 64).fill(Number.NaN), 64, 64), []);
  assert.deepEqual(regionsOf(new Float32Array(64 * 64), 64, 64), []);
});

test('pixels that touch at a corner are one region, and rows are read from left to right', () => {
  const map = new Float32Array(96 * 64);
  const fill = (left: number, top: number, width: number, height: number) => {
    for (let y = top; y < top + height; y++) map.fill(1, y * 96 + left, y * 96 + left + width);
  };
  fill(60, 4, 20, 10);
  fill(5, 6, 20, 10);
  fill(5, 40, 20, 6);
  fill(25, 46, 4, 2);
  const found = regionsOf(map, 96, 64).map(({ x, y }) => [Math.round(x), Math.round(y)]);
  assert.deepEqual(found, [
    [15, 11],
    [70, 9],
    [17, 44],
  ]);
});

test('of very many regions the largest are kept', () => {
  const [width, height] = [640, 640];
  const map = new Float32Array(width * height);
  let count = 0;
  for (let top = 2; top + 10 < height; top += 12) {
    for (let left = 2; left + 20 < width; left += 40, count++) {
      const across = count % 3 === 0 ? 20 : 8;
      for (let y = top; y < top + 6; y++) map.fill(1, y * width + left, y * width + left + across);
    }
  }
  const found = regionsOf(map, width, height);
  assert.ok(count > mostLines * 2);
  assert.equal(found.length, mostLines);
  assert.equal(found.filter((one) => one.width > 20).length, Math.ceil(count / 3));
});

test('a pixel that is a little likely may be text', () => {
  const map = new Float32Array(64).fill(0.1);
  map[3] = Number.NaN;
  assert.equal(mayBeText(map), false);
  map[60] = 0.3;
  assert.equal(mayBeText(map), true);
});

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
