import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelOver } from '../../../../actors/faces/clustering/product.ts';
import { seeded } from '../../../seeded.ts';

test('every value that reaches the bar is found, in order, for any number of values and at any place', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const kernel = kernelOver(memory);
  const values = new Float32Array(memory.buffer, 0, 300);
  const found = new Int32Array(memory.buffer, 4096, 300);
  const random = seeded(3);
  for (const share of [0, 0.02, 0.5, 1]) {
    for (let count = 0; count <= 200; count += 7) {
      const first = Math.floor(random() * 40);
      values.forEach((_, i) => {
        values[i] = random() < share ? 0.5 + random() / 2 : random() * 0.49;
      });
      values[first] = 0.5;
      const expected = [...values.subarray(first, first + count).keys()].filter(
        (i) => values[first + i]! >= 0.5,
      );
      const number = kernel.reaching(first * 4, count, 0.5, found.byteOffset);
      assert.deepEqual([...found.subarray(0, number)], expected, `${count} values from ${first}`);
    }
  }
});
