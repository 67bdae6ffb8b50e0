import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Top } from '../../../../actors/index/people/comparison.ts';

test('the best k of any scores are those a sort gives, equal scores by lower item', () => {
  const scores = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.integer({ min: 0, max: 20 }), (values, k) => {
      const top = new Top(k);
      for (const [item, score] of values.entries()) top.offer(score, item);
      const sorted = values
        .map((score, item) => ({ score, item }))
        .sort((a, b) => b.score - a.score || a.item - b.item)
        .slice(0, k);
      assert.deepEqual(top.sorted(), sorted);
      assert.equal(top.threshold, k === 0 ? Infinity : sorted.length < k ? -Infinity : sorted.at(-1)!.score);
    }),
  );
});
