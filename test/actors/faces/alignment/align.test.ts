import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aligned,
  applied,
  fitted,
  inverted,
  type SimilarityTransform,
  template,
  warped,
} from '../../../../actors/faces/alignment/align.ts';
import { Pyramid } from '../../../../actors/faces/picture.ts';
import type { Picture } from '../../../../runtime/picture.ts';
import { weights } from '../../embedder/graphs.ts';

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

const close = (actual: ArrayLike<number>, expected: ArrayLike<number>, within: number) => {
  assert.equal(actual.length, expected.length);
  Array.from(actual).forEach((value, at) => {
    assert(Math.abs(value - expected[at]!) < within, `${Array.from(actual)} is not ${Array.from(expected)}`);
  });
};

const moved = (points: readonly number[], by: SimilarityTransform): number[] => {
  const result: number[] = [];
  for (let at = 0; at < points.length; at += 2) result.push(...applied(by, points[at]!, points[at + 1]!));
  return result;
};

const of = (scale: number, degrees: number, x0: number, y0: number): SimilarityTransform => {
  const angle = (degrees * Math.PI) / 180;
  return { a: scale * Math.cos(angle), b: scale * Math.sin(angle), x0, y0 };
};

test('golden points: the same as by a singular value decomposition', () => {
  // Computed with NumPy 2 as in the paper.
  const golden: [number[], number[]][] = [
    [
      [203, 104, 248, 104, 224, 128, 204, 143, 243, 144],
      [0.88525323, -0.03351372, -146.80047456, -30.88129513],
    ],
    [
      [30.5, 60, 80, 40, 62, 75, 50, 105, 88, 90],
      [0.71505718, 0.23629163, 29.10668934, 4.31283827],
    ],
    // A profile: both eyes nearly at one place.
    [
      [120, 90, 124, 88, 118, 101, 121, 112, 123, 111],
      [1.9083556, 0.08428523, -166.80430226, -129.91349173],
    ],
  ];
  for (const [landmarks, expected] of golden) {
    const { a, b, x0, y0 } = fitted(landmarks, template)!;
    // Whether b turns one way or the other is a convention: here it is the lower left number of the matrix.
    close([a, b, x0, y0], expected, 1e-6);
  }
});

test('a template that was turned, scaled and shifted is mapped back', () => {
  const random = weights(400, 11);
  for (let round = 0; round < 100; round++) {
    const [scale, angle, x, y] = random.subarray(round * 4, round * 4 + 4) as unknown as number[];
    const away = of(10 ** scale!, angle! * 180, x! * 2000, y! * 2000);
    const back = fitted(moved(template, away), template)!;
    close(moved(moved(template, away), back), template, 1e-6);
    close(moved(moved(template, away), inverted(away)), template, 1e-6);
  }
});

test('a mirrored face is not mirrored back', () => {
  const mirrored = template.map((value, at) => (at % 2 === 0 ? -value : value));
  const fit = fitted(mirrored, template)!;
  assert(moved(mirrored, fit).some((value, at) => Math.abs(value - template[at]!) > 10));
});

test('five times the same point, and what is no number, has no best similarity', () => {
  assert.equal(
    fitted(
      Array.from({ length: 10 }, () => 5),
      template,
    ),
    null,
  );
  assert.equal(fitted([Number.NaN, ...template.slice(1)], template), null);
  assert.equal(fitted([Number.POSITIVE_INFINITY, ...template.slice(1)], template), null);
});
