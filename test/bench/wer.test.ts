import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { align, errorRate, pooled, wordErrors, wordsOf } from '../../bench/wer.ts';

const words: [claim: string, text: string, expected: string[], language?: string][] = [
  ['case and marks do not count', 'Hello, World! (Yes.)', ['hello', 'world', 'yes']],
  [
    'an apostrophe belongs to its word, of either form',
    "Don't ’tis 'quoted' l’eau",
    ["don't", 'tis', 'quoted', "l'eau"],
  ],
  [
    'numbers stay as they are written',
    'It cost 1,000.50, at 3:15. Or 15.',
    ['it', 'cost', '1,000.50', 'at', '3:15', 'or', '15'],
  ],
  ['a hyphen parts words', 'well-known — indeed', ['well', 'known', 'indeed']],
  ['accents stay', 'Über Ärger, naïve', ['über', 'ärger', 'naïve']],
  ['wide letters are letters', 'ＡＢＣ', ['abc']],
  ['Turkish has two letters i', 'IĞDIR İzmir', ['ığdır', 'izmir'], 'tr'],
  ['Chinese is compared by characters', '今天，很好 OK', ['今', '天', '很', '好', 'ok'], 'zh'],
  ['nothing is no word', ' .,! ', []],
];
for (const [claim, text, expected, language] of words) {
  test(claim, () => assert.deepEqual(wordsOf(text, language), expected));
}

const cases: [reference: string, heard: string, [words: number, subs: number, dels: number, ins: number]][] =
  [
    ['', '', [0, 0, 0, 0]],
    ['one two three', 'One, two three.', [3, 0, 0, 0]],
    ['one two three', 'one too three', [3, 1, 0, 0]],
    ['one two three', 'one three', [3, 0, 1, 0]],
    ['one two three', 'one two and three', [3, 0, 0, 1]],
    ['one two three', '', [3, 0, 3, 0]],
    ['', 'thank you', [0, 0, 0, 2]],
    ['one two three four', 'two three four five', [4, 0, 1, 1]],
    ['the cat sat', 'a dog ran off', [3, 3, 0, 1]],
    ['take 15', 'take fifteen', [2, 1, 0, 0]],
    ['今天很好', '今天好', [4, 0, 1, 0]],
  ];
for (const [reference, heard, [words, substitutions, deletions, insertions]] of cases) {
  test(`"${reference}" heard as "${heard}"`, () => {
    assert.deepEqual(wordErrors(reference, heard), { words, substitutions, deletions, insertions });
  });
}

test('the rate is errors by words said', () => {
  assert.equal(errorRate(wordErrors('one two three four', 'one too three')), 0.5);
  assert.equal(errorRate(wordErrors('', '')), 0);
  assert.equal(errorRate(wordErrors('', 'so')), Number.POSITIVE_INFINITY);
  assert.equal(errorRate(wordErrors('so', 'and so on and on')), 4);
});

test('a long text counts for more than a short one', () => {
  const both = pooled([wordErrors('one', 'two'), wordErrors('a b c d e f g h i', 'a b c d e f g h i')]);
  assert.equal(errorRate(both), 0.1);
});

const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
test('the steps lead from one text to the other', () => {
  fc.assert(
    fc.property(text, text, (reference, hypothesis) => {
      const steps = align(reference, hypothesis);
      assert.deepEqual(
        steps.flatMap((step) => step.reference ?? []),
        reference,
      );
      assert.deepEqual(
        steps.flatMap((step) => step.hypothesis ?? []),
        hypothesis,
      );
      for (const { kind, reference: said, hypothesis: written } of steps) {
        assert.equal(kind === 'same', said === written);
      }
    }),
  );
});

test('errors are a metric: symmetric, zero to itself, with the triangle inequality', () => {
  const distance = (one: readonly string[], other: readonly string[]) =>
    align(one, other).filter(({ kind }) => kind !== 'same').length;
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      assert.equal(distance(a, a), 0);
      assert.equal(distance(a, b), distance(b, a));
      assert(distance(a, c) <= distance(a, b) + distance(b, c));
      assert(distance(a, b) >= Math.abs(a.length - b.length));
    }),
  );
});
