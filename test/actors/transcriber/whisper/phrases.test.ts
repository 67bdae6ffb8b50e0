import assert from 'node:assert/strict';
import test from 'node:test';
import { phrasesOf } from '../../../../actors/transcriber/whisper/phrases.ts';

/** Text 0 to 29, times from 30 on. */
const vocabulary = {
  firstTime: 30,
  text: (tokens: readonly number[]) => tokens.map((token) => ` w${token}`).join(''),
};
const at = (seconds: number) => 30 + Math.round(seconds * 50);

const readings: [claim: string, written: number[], expected: [string, number, number][]][] = [
  ['no tokens, no phrase', [], []],
  ['a start time alone is no phrase', [at(1)], []],
  ['a phrase lies between its times', [at(1), 5, 6, at(2.5)], [[' w5 w6', 1, 2.5]]],
  [
    'phrases follow each other',
    [at(0), 5, at(1), at(1.5), 6, at(3)],
    [
      [' w5', 0, 1],
      [' w6', 1.5, 3],
    ],
  ],
  ['a phrase that is not closed lasts to the end', [at(1), 5], [[' w5', 1, 4]]],
  ['times after the end are clamped to it', [at(1), 5, at(20)], [[' w5', 1, 4]]],
];
for (const [claim, written, expected] of readings) {
  test(claim, () => {
    const found = phrasesOf(written, 4, vocabulary);
    assert.deepEqual(
      found.map(({ text, start, end }) => [text, start, end]),
      expected,
    );
  });
}
