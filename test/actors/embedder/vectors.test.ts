import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalizeRows } from '../../../actors/embedder/towers.ts';

test('a normalised row has length 1 and keeps its direction', () => {
  const number = fc.float({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number, number), { minLength: 1 }), (rows) => {
      fc.pre(rows.every((row) => Math.hypot(...row) > 1e-6));
      const vectors = normalizeRows(Float32Array.from(rows.flat()), 3, 'graph');
      for (const [at, row] of rows.entries()) {
        const unit = [...vectors.subarray(at * 3, at * 3 + 3)];
        assert(Math.abs(Math.hypot(...unit) - 1) < 1e-5);
        for (const [d, value] of unit.entries())
          assert(Math.abs(value - row[d]! / Math.hypot(...row)) < 1e-5);
      }
    }),
  );
});

for (const bad of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
  test(`a row of ${bad} has no direction and is refused by its number`, () => {
    const vectors = Float32Array.of(1, 0, bad, bad);
    assert.throws(() => normalizeRows(vectors, 2, 'the graph'), {
      code: 'MODEL_RUN_FAILED',
      message: /row 1/,
    });
  });
}
