import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { equalError, errorsAt } from '../../../bench/diarization/equal-error.ts';

const cases = [
  { name: 'pairs that lie apart', same: [0.8, 0.9], other: [0.1, 0.2], rate: 0, threshold: 0.8 },
  {
    name: 'one of four on the wrong side each',
    same: [0.3, 0.7, 0.8, 0.9],
    other: [0.1, 0.2, 0.25, 0.6],
    rate: 0.25,
    threshold: 0.6,
  },
  { name: 'everything the wrong way round', same: [0.1, 0.2], other: [0.8, 0.9], rate: 1, threshold: 0.8 },
  { name: 'no difference at all', same: [0.5, 0.5], other: [0.5, 0.5], rate: 0.5, threshold: 0.5 },
];
for (const { name, same, other, rate, threshold } of cases) {
  test(`${name}: ${100 * rate} %`, () => {
    const found = equalError({ same, other });
    assert.equal(found.rate, rate);
    assert.equal(found.threshold, threshold);
    const { missed, confused } = errorsAt({ same, other }, found.threshold);
    assert.equal((missed + confused) / 2, rate);
  });
}

test('the rate lies between 0 and 1 and does not change when all similarities move and stretch', () => {
  const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(values, values, (same, other) => {
      const { rate } = equalError({ same, other });
      assert.ok(rate >= 0 && rate <= 1);
      const moved = equalError({ same: same.map((x) => 4 * x + 7), other: other.map((x) => 4 * x + 7) });
      assert.equal(moved.rate, rate);
    }),
  );
});

test('without pairs of both kinds there is no rate', () => {
  assert.throws(() => equalError({ same: [], other: [1] }), RangeError);
  assert.throws(() => equalError({ same: [1], other: [] }), RangeError);
});
