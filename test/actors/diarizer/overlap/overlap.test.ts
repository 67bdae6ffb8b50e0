import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  adjustedProbabilities,
  clearShares,
  likenessOf,
  overlapSpans,
  secondTurns,
  voicesOf,
} from '../../../../actors/diarizer/overlap/spans.ts';
import { namedTurns } from '../../../../actors/diarizer/turns.ts';

const turn = (start: number, end: number, label: number) => ({ start, end, label });

/** Probabilities for every 20 ms: so many frames of each value, 0 to 255. */
const frames = (...parts: readonly [count: number, value: number][]) =>
  Uint8Array.from(parts.flatMap(([count, value]) => new Array<number>(count).fill(value)));

test("what is usual for a voice is taken out of its turns and of nobody else's", () => {
  // Two seconds each: a clear voice with overlap in it, and one that always sounds a little like two.
  const heard = frames([60, 1], [40, 250], [60, 160], [40, 254]);
  const found = adjustedProbabilities(heard, 0, [turn(0, 2, 0), turn(2, 4, 1)]);
  assert.deepEqual(found.subarray(0, 99), heard.subarray(0, 99));
  assert.ok(found.subarray(101, 159).every((value) => value < 40));
  assert.ok(found.subarray(161).every((value) => value < 254 && value > 200));
  // Not changed in place.
  assert.equal(heard[120], 160);
});

test('the turns of one speaker are judged together, and frames of nobody are left', () => {
  const heard = frames([100, 200], [50, 200], [50, 1], [300, 1]);
  const clear = [turn(0, 2, 0), turn(2, 2.98, 1), turn(4, 10, 0)];
  const found = adjustedProbabilities(heard, 0, clear);
  assert.deepEqual(found.subarray(1, 99), heard.subarray(1, 99));
  const other = adjustedProbabilities(heard, 0, [turn(0, 2, 0), turn(2, 2.98, 1), turn(4, 10, 1)]);
  assert.ok(other.subarray(1, 99).every((value) => value < 80));
  assert.deepEqual(other.subarray(151, 199), heard.subarray(151, 199));
});

test('far from where one takes over from another without a pause, more is asked for', () => {
  // Clear voices; 230 is 90 %, of which a tenth of the odds is 48 %.
  const heard = frames([1, 230], [299, 1], [50, 230], [1, 230], [99, 1], [149, 1], [1, 230]);
  const at = (turns: Parameters<typeof adjustedProbabilities>[2]) => {
    const found = adjustedProbabilities(heard, 0, turns);
    return [found[0], found[325], found[350], found[599]];
  };
  assert.deepEqual(at([turn(0, 7.05, 0), turn(7.05, 20, 1)]), [122, 230, 230, 122]);
  assert.deepEqual(at([turn(0, 7, 0), turn(7.05, 20, 1)]), [122, 230, 230, 122]);
  // After a pause, or where the same voice goes on.
  assert.deepEqual(at([turn(0, 6.8, 0), turn(7, 20, 1)]), [122, 122, 122, 122]);
  assert.deepEqual(at([turn(0, 7.05, 0), turn(7.05, 20, 0)]), [122, 122, 122, 122]);
  // Nearly certain stays nearly certain.
  const certain = adjustedProbabilities(frames([300, 1], [50, 255], [300, 1]), 0, [turn(0, 13, 0)]);
  assert.ok(certain[325]! > 245);
});

test('turns that reach beyond the sound, a late start and no turns at all are taken', () => {
  const heard = frames([50, 200]);
  const late = adjustedProbabilities(heard, 480_000, [turn(29, 40, 0)]);
  assert.ok(late.every((value) => value < 80));
  assert.deepEqual(adjustedProbabilities(heard, 480_000, [turn(0, 2, 0)]), heard);
  assert.deepEqual(adjustedProbabilities(heard, 0, []), heard);
  assert.deepEqual(adjustedProbabilities(new Uint8Array(0), 0, [turn(0, 2, 0)]), new Uint8Array(0));
});

const unheard = () => null;

const rules = { reach: 10, perSecond: 0.1 };

test('both sides of a border inside a span speak in all of it', () => {
  const turns = [turn(0, 4, 0), turn(4, 9, 1)];
  const second = secondTurns(turns, [[3.5, 4.75]], unheard, rules);
  assert.deepEqual(second, [turn(3.5, 4, 1), turn(4, 4.75, 0)]);
  assert.deepEqual(namedTurns([...turns, ...second], 0.3), [
    { start_seconds: 0, end_seconds: 4.75, speaker: 'SPEAKER_00' },
    { start_seconds: 3.5, end_seconds: 9, speaker: 'SPEAKER_01' },
  ]);
});

test('inside a turn the second speaker is the nearest, unless another is more like the sound', () => {
  const turns = [turn(0, 2, 0), turn(2, 8, 1), turn(8.5, 12, 2)];
  assert.deepEqual(secondTurns(turns, [[3, 3.5]], unheard, rules), [turn(3, 3.5, 0)]);
  assert.deepEqual(secondTurns(turns, [[6.5, 7]], unheard, rules), [turn(6.5, 7, 2)]);
  const likeSecond = () => Float64Array.of(0.1, 0.9, 0.8);
  assert.deepEqual(secondTurns(turns, [[3, 3.5]], likeSecond, rules), [turn(3, 3.5, 2)]);
});

test('a span where nobody speaks, with one speaker only or with nobody near has no second speaker', () => {
  assert.deepEqual(secondTurns([turn(0, 2, 0), turn(5, 8, 1)], [[3, 4]], unheard, rules), []);
  assert.deepEqual(secondTurns([turn(0, 2, 0), turn(5, 8, 0)], [[1, 2]], unheard, rules), []);
  assert.deepEqual(secondTurns([turn(0, 2, 0), turn(30, 32, 1)], [[1, 2]], unheard, rules), []);
  assert.deepEqual(secondTurns([], [[1, 2]], unheard, rules), []);
});

test('a span is cut to the turns it lies in', () => {
  const turns = [turn(1, 2, 0), turn(3, 4, 1)];
  assert.deepEqual(secondTurns(turns, [[1.5, 3.25]], unheard, rules), [turn(1.5, 2, 1), turn(3, 3.25, 0)]);
});

test('voices are the weighted directions of their subsegments, and a span is like those that share it', () => {
  const subsegments = [
    { from: 0, to: 16_000, region: 0 },
    { from: 8_000, to: 24_000, region: 0 },
    { from: 40_000, to: 56_000, region: 1 },
  ];
  const vectors = Float32Array.of(1, 0, 0, 1, 0, 1);
  const voices = voicesOf(vectors, Int32Array.of(0, 0, 1), [0.75, 1, 1], 2);
  assert.deepEqual([...voices], [0.6, 0.8, 0, 1]);
  const likeness = likenessOf(subsegments, vectors, voices, 2);
  assert.deepEqual([...likeness([0, 0.25])!], [0.6, 0]);
  // A quarter of a second with the first, half a second with the second.
  const both = likeness([0.75, 1.25])!;
  assert.ok(Math.abs(both[0]! - (0.6 + 2 * 0.8) / 3) < 1e-9 && Math.abs(both[1]! - 2 / 3) < 1e-9);
  assert.equal(likeness([1.75, 2]), null);
  assert.deepEqual([...likeness([2.5, 3])!], [0.8, 1]);
  assert.deepEqual(voicesOf(vectors, Int32Array.of(-1, -1, -1), [1, 1, 1], 2), new Float64Array(0));
});

const spanRules = { sure: 0.8, likely: 0.4, bridge: 0.1, shortest: 0.3 };

/** Probabilities for every 20 ms: so many spanFrames of each value. */
const spanFrames = (...parts: readonly [count: number, probability: number][]) =>
  Uint8Array.from(
    parts.flatMap(([count, probability]) => new Array(count).fill(Math.round(255 * probability))),
  );

const rounded = (spans: readonly (readonly [number, number])[]) =>
  spans.map((span) => span.map((seconds) => Math.round(seconds * 1000) / 1000));

test('a span is somewhere sure, likely throughout, and long enough', () => {
  const found = overlapSpans(spanFrames([50, 0], [10, 0.5], [5, 0.9], [10, 0.5], [50, 0.1]), 0, spanRules);
  // 25 spanFrames from the fiftieth on; a frame stands for the 20 ms around its middle.
  assert.deepEqual(rounded(found), [[1.003, 1.503]]);
  assert.deepEqual(overlapSpans(spanFrames([50, 0], [40, 0.7], [50, 0]), 0, spanRules), []);
  assert.deepEqual(overlapSpans(spanFrames([50, 0], [14, 1], [50, 0]), 0, spanRules), []);
  assert.deepEqual(overlapSpans(new Uint8Array(0), 0, spanRules), []);
});

test('short gaps are bridged, long ones part two spans', () => {
  const near = overlapSpans(spanFrames([20, 1], [5, 0], [20, 1]), 0, spanRules);
  assert.deepEqual(rounded(near), [[0.003, 0.903]]);
  const far = overlapSpans(spanFrames([20, 1], [6, 0], [20, 1]), 16_000, spanRules);
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
