import assert from 'node:assert/strict';
import test from 'node:test';
import { charactersOf, readSteps } from '../../../../actors/text-reader/recognition/line.ts';

const characters = charactersOf('a\r\nb\n字\n');

/** Steps with a class and its probability each. */
function steps(...of: [best: number, probability: number][]): Float32Array {
  const data = new Float32Array(of.length * characters.length).fill(0.01);
  for (const [i, [best, probability]] of of.entries()) data[i * characters.length + best] = probability;
  return data;
}

test('the first class is none, the last one a blank, and lines between are the dictionary', () => {
  assert.deepEqual(characters, ['', 'a', 'b', '字', ' ']);
  assert.deepEqual(charactersOf('x\ny'), ['', 'x', 'y', ' ']);
});

test('repetitions are one character, unless there is a step without one between them', () => {
  const { text, score } = readSteps(
    steps([1, 0.9], [1, 0.5], [0, 0.9], [1, 0.7], [4, 1], [2, 0.8], [2, 0.8], [3, 0.6]),
    characters,
  );
  assert.equal(text, 'aa b字');
  assert.ok(Math.abs(score - (0.9 + 0.7 + 1 + 0.8 + 0.6) / 5) < 1e-6);
});

test('a line of nothing, or of blanks alone, has no text and no score', () => {
  assert.deepEqual(readSteps(steps([0, 1], [0, 1]), characters), { text: '', score: 0 });
  assert.deepEqual(readSteps(steps([4, 1], [0, 1], [4, 0.9]), characters), { text: '', score: 0 });
  assert.deepEqual(readSteps(new Float32Array(0), characters), { text: '', score: 0 });
});
