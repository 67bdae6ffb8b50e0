import assert from 'node:assert/strict';
import test from 'node:test';
import { phrasesOf, resumptionOf } from '../../../../actors/transcriber/whisper/sampling.ts';

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
    const found = phrasesOf(written, { from: 0, to: 4 }, vocabulary);
    assert.deepEqual(
      found.map(({ text, start, end }) => [text, start, end]),
      expected,
    );
  });
}

const resumptions: [claim: string, written: number[], ended: boolean, tokens: number | null][] = [
  ['a text that ends with a time is complete', [at(0), 5, at(1), at(1), 6, at(3)], true, null],
  ['an only phrase is complete without an end time', [at(0), 5, 6], true, null],
  ['no text is complete', [], true, null],
  ['a start time alone is complete', [at(1)], true, null],
  ['a phrase that was begun and not ended is decoded again', [at(0), 5, at(1), at(1.5), 6], true, 3],
  ['a phrase that was begun without a word is decoded again', [at(0), 5, at(1), at(1.5)], true, 3],
  ['a text cut by the limit goes on after its last whole phrase', [at(0), 5, at(1), at(1), 6], false, 3],
  ['a text cut right after a time goes on there', [at(0), 5, at(1)], false, 3],
  ['a text cut without any time cannot go on', [at(0), 5, 6], false, null],
];
for (const [claim, written, ended, tokens] of resumptions) {
  test(claim, () => {
    const expected = tokens === null ? null : { tokens, seconds: 1 };
    assert.deepEqual(resumptionOf(written, ended, vocabulary), expected);
  });
}

test('phrases of the rest of a window lie behind what was decoded before', () => {
  const found = phrasesOf([at(0.5), 5, at(1), at(1), 6, at(9)], { from: 10, to: 14 }, vocabulary);
  assert.deepEqual(
    found.map(({ start, end }) => [start, end]),
    [
      [10.5, 11],
      [11, 14],
    ],
  );
});
