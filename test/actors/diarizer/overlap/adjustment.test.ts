import assert from 'node:assert/strict';
import test from 'node:test';
import { adjustedProbabilities } from '../../../../actors/diarizer/overlap/spans.ts';

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
