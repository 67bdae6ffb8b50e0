import assert from 'node:assert/strict';
import test from 'node:test';
import { aligned, template, warped } from '../../../../actors/faces/alignment/align.ts';
import { Pyramid } from '../../../../actors/faces/picture.ts';
import type { Picture } from '../../../../runtime/picture.ts';

/** Red grows by 1 a pixel to the right, green by 1 downwards, from the given values; blue is 255. */
function slope(width: number, height: number, step = 1): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set([x * step, y * step, 255], (y * width + x) * 3);
  return { data, width, height };
}

test('landmarks on the template leave a picture as it is', () => {
  const picture = slope(112, 112);
  assert.deepEqual(aligned(new Pyramid(picture), template), picture.data);
});

test('between pixels the value is that of a straight line', () => {
  const picture = slope(200, 200);
  const shifted = warped(picture, { a: 1, b: 0, x0: 10.25, y0: 20.5 }, 112);
  for (const [x, y] of [
    [0, 0],
    [50, 60],
    [111, 111],
  ] as const) {
    const at = (y * 112 + x) * 3;
    assert.equal(shifted[at], Math.round(x + 10.25));
    assert.equal(shifted[at + 1], Math.floor(y + 20.5 + 0.5));
  }
});

test('a quarter turn moves each pixel where it belongs', () => {
  const picture = slope(112, 112);
  const turned = warped(picture, { a: 0, b: 1, x0: 111, y0: 0 }, 112);
  assert.deepEqual([...turned.subarray((30 * 112 + 20) * 3, (30 * 112 + 20) * 3 + 2)], [111 - 30, 20]);
});

test('beyond the edge of the picture it is black, and half a pixel beyond half as bright', () => {
  const white = { data: new Uint8Array(10 * 10 * 3).fill(200), width: 10, height: 10 };
  const result = warped(white, { a: 1, b: 0, x0: -0.5, y0: 3 }, 20);
  assert.deepEqual(
    [result[0], result[3], result[9 * 3], result[10 * 3], result[11 * 3]],
    [100, 200, 200, 100, 0],
  );
  assert(result.subarray(8 * 20 * 3).every((value) => value === 0));
});

test('a large face is taken from a halved picture, at the same place', () => {
  const large = new Pyramid(slope(896, 896, 0.25));
  const face = aligned(
    large,
    template.map((value) => value * 8),
  )!;
  for (const [x, y] of [
    [3, 5],
    [56, 70],
    [108, 20],
  ] as const) {
    const at = (y * 112 + x) * 3;
    assert(Math.abs(face[at]! - x * 2) <= 1.5, `${face[at]} at ${x}`);
    assert(Math.abs(face[at + 1]! - y * 2) <= 1.5, `${face[at + 1]} at ${y}`);
  }
});

test('landmarks at one point have no aligned face', () => {
  const points = Array.from({ length: 10 }, () => 7);
  assert.equal(aligned(new Pyramid(slope(20, 20)), points), null);
});
