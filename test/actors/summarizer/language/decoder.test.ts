import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridPositions, plainPositions } from '../../../../actors/summarizer/language/decoder.ts';

test('text counts on all axes, a picture spreads over rows and columns, and text goes on behind its longer side', () => {
  // A picture of 4×6 patches: 2×3 tokens.
  const { ids, next } = gridPositions([{ tokens: 2 }, { grid: { rows: 4, columns: 6 } }, { tokens: 2 }]);
  const length = 10;
  const axis = (at: number) => Array.from(ids.subarray(at * length, (at + 1) * length), Number);
  assert.deepEqual(axis(0), [0, 1, 2, 2, 2, 2, 2, 2, 5, 6]);
  assert.deepEqual(axis(1), [0, 1, 2, 2, 2, 3, 3, 3, 5, 6]);
  assert.deepEqual(axis(2), [0, 1, 2, 3, 4, 2, 3, 4, 5, 6]);
  assert.equal(next, 7);
});

test('nothing has no positions, and plain ones count', () => {
  assert.deepEqual(gridPositions([]), { ids: new BigInt64Array(0), next: 0 });
  assert.deepEqual(plainPositions(3), { ids: BigInt64Array.of(0n, 1n, 2n), next: 3 });
});
