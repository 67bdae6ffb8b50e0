import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RightSide } from '../../../../actors/summarizer/products/products.ts';
import { seeded } from '../../../seeded.ts';

test('each row is multiplied with each, for any number of rows and dimensions, whatever was there before', () => {
  const random = seeded(5);
  const made = (count: number, dimensions: number) => ({
    vectors: Float32Array.from({ length: count * dimensions }, () => random() - 0.5),
    dimensions,
  });
  for (const dimensions of [1, 2, 3, 4, 7, 64, 513])
    for (const [rows, columns] of [
      [1, 1],
      [2, 3],
      [5, 4],
      [3, 9],
      [40, 130],
      [1, 0],
    ] as const) {
      const [left, right] = [made(rows, dimensions), made(columns, dimensions)];
      const side = new RightSide(right);
      const first = rows >> 1;
      const found = side.times(left, first, rows - first);
      assert.equal(side.count, columns);
      for (let i = first; i < rows; i++)
        for (let j = 0; j < columns; j++) {
          let sum = 0;
          for (let k = 0; k < dimensions; k++)
            sum += left.vectors[i * dimensions + k]! * right.vectors[j * dimensions + k]!;
          const own = found[(i - first) * side.width + j]!;
          assert.ok(Math.abs(own - sum) < 1e-5, `${own} is not ${sum}: ${i}, ${j} of ${dimensions}`);
        }
    }
});
