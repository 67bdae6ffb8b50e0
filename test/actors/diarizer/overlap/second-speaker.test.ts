import assert from 'node:assert/strict';
import test from 'node:test';
import { likenessOf, secondTurns, voicesOf } from '../../../../actors/diarizer/overlap/spans.ts';
import { namedTurns } from '../../../../actors/diarizer/turns.ts';

const unheard = () => null;
const turn = (start: number, end: number, label: number) => ({ start, end, label });
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
