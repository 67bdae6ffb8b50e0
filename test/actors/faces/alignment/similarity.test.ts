import assert from 'node:assert/strict';
import test from 'node:test';
import {
  applied,
  fitted,
  inverted,
  type Similarity,
  template,
} from '../../../../actors/faces/alignment/align.ts';
import { weights } from '../../embedder/graphs.ts';

const close = (actual: ArrayLike<number>, expected: ArrayLike<number>, within: number) => {
  assert.equal(actual.length, expected.length);
  Array.from(actual).forEach((value, at) => {
    assert(Math.abs(value - expected[at]!) < within, `${Array.from(actual)} is not ${Array.from(expected)}`);
  });
};

const moved = (points: readonly number[], by: Similarity): number[] => {
  const result: number[] = [];
  for (let at = 0; at < points.length; at += 2) result.push(...applied(by, points[at]!, points[at + 1]!));
  return result;
};

const of = (scale: number, degrees: number, x0: number, y0: number): Similarity => {
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
