import assert from 'node:assert/strict';
import test from 'node:test';
import { clearShares, overlapSpans } from '../../../../actors/diarizer/overlap/spans.ts';

const rules = { sure: 0.8, likely: 0.4, bridge: 0.1, shortest: 0.3 };

/** Probabilities for every 20 ms: so many frames of each value. */
const frames = (...parts: readonly [count: number, probability: number][]) =>
  Uint8Array.from(
    parts.flatMap(([count, probability]) => new Array(count).fill(Math.round(255 * probability))),
  );

const rounded = (spans: readonly (readonly [number, number])[]) =>
  spans.map((span) => span.map((seconds) => Math.round(seconds * 1000) / 1000));

test('a span is somewhere sure, likely throughout, and long enough', () => {
  const found = overlapSpans(frames([50, 0], [10, 0.5], [5, 0.9], [10, 0.5], [50, 0.1]), 0, rules);
  // 25 frames from the fiftieth on; a frame stands for the 20 ms around its middle.
  assert.deepEqual(rounded(found), [[1.003, 1.503]]);
  assert.deepEqual(overlapSpans(frames([50, 0], [40, 0.7], [50, 0]), 0, rules), []);
  assert.deepEqual(overlapSpans(frames([50, 0], [14, 1], [50, 0]), 0, rules), []);
  assert.deepEqual(overlapSpans(new Uint8Array(0), 0, rules), []);
});

test('short gaps are bridged, long ones part two spans', () => {
  const near = overlapSpans(frames([20, 1], [5, 0], [20, 1]), 0, rules);
  assert.deepEqual(rounded(near), [[0.003, 0.903]]);
  const far = overlapSpans(frames([20, 1], [6, 0], [20, 1]), 16_000, rules);
  assert.deepEqual(rounded(far), [
    [1.003, 1.403],
    [1.523, 1.923],
  ]);
});

test('the clear share of a part is what no span covers, and never less than asked', () => {
  const second = (from: number, to: number) => ({ from: from * 16_000, to: to * 16_000 });
  const parts = [second(0, 2), second(1, 3), second(2, 4), second(6, 8), second(9, 10)];
  const spans = [
    [1.5, 2.5],
    [2.75, 3],
    [5, 9],
  ] as const;
  assert.deepEqual(clearShares(parts, spans, 0.1), [0.75, 0.375, 0.625, 0.1, 1]);
  assert.deepEqual(clearShares(parts, [], 0.1), [1, 1, 1, 1, 1]);
});
