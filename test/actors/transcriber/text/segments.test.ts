import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { LONGEST_SECONDS, LONGEST_TEXT, segmentsOf } from '../../../../actors/transcriber/text/segments.ts';
import type { TimedPiece, TimedSpan } from '../../../../actors/transcriber/text/timing.ts';

const piece = (text: string, start_seconds: number, end_seconds: number): TimedPiece => ({
  text,
  start_seconds,
  end_seconds,
});
const span = (start_seconds: number, end_seconds: number): TimedSpan => ({ start_seconds, end_seconds });
const texts = (pieces: readonly TimedPiece[], speech: readonly TimedSpan[] = []) =>
  segmentsOf(pieces, speech).map(({ text }) => text);
/** Words of a quarter of a second each. */
const paced = (text: string, start = 0) =>
  text.split(/(?= )/).map((word, at) => piece(word, start + at * 0.25, start + at * 0.25 + 0.2));

const ascending = (segments: ReturnType<typeof segmentsOf>) => {
  let free = 0;
  for (const { start_seconds, end_seconds, text } of segments) {
    assert(start_seconds >= free, `${start_seconds} starts before ${free}`);
    assert(end_seconds > start_seconds, `${text} lasts no time`);
    assert(
      end_seconds - start_seconds < LONGEST_SECONDS + 1e-6,
      `${text} lasts ${end_seconds - start_seconds}`,
    );
    assert(text.length <= LONGEST_TEXT, `${text.length} characters`);
    assert.match(text, /^ \S/u);
    free = end_seconds;
  }
};

const cases: [claim: string, pieces: TimedPiece[], expected: string[]][] = [
  ['no text, no segment', [piece('', 0, 1), piece(' \n', 1, 2)], []],
  ['a short sentence is one segment', [piece('Hello there.', 1, 2)], [' Hello there.']],
  ['tokens join to words', [piece(' Hel', 0, 0.2), piece('lo', 0.2, 0.4), piece(',', 0.4, 0.4)], [' Hello,']],
  [
    'sentences are segments of their own',
    paced('It rained all night long. The river had come over the road.'),
    [' It rained all night long.', ' The river had come over the road.'],
  ],
  ['very short sentences stay together', paced(' Yes. No. I see.'), [' Yes. No. I see.']],
  [
    'an initial or a title ends no sentence',
    paced(' Then Dr. J. Watson walked into the empty room.'),
    [' Then Dr. J. Watson walked into the empty room.'],
  ],
  [
    'a long sentence is broken at its comma',
    paced(
      ' When the long winter was finally over and the snow had gone, they opened every window of the old house',
    ),
    [
      ' When the long winter was finally over and the snow had gone,',
      ' they opened every window of the old house',
    ],
  ],
  [
    'a long sentence without punctuation is broken at its pause',
    [
      ...paced(' one two three four five six seven eight nine ten'),
      ...paced(' eleven twelve thirteen fourteen fifteen sixteen seventeen', 3),
    ],
    [
      ' one two three four five six seven eight nine ten',
      ' eleven twelve thirteen fourteen fifteen sixteen seventeen',
    ],
  ],
  ['a pause of a second always breaks', [...paced(' so we'), ...paced(' left', 2)], [' so we', ' left']],
  ['line breaks become spaces', [piece('one\r\n two\tthree', 0, 2)], [' one two three']],
];
for (const [claim, pieces, expected] of cases) {
  test(claim, () => {
    const found = segmentsOf(pieces);
    ascending(found);
    assert.deepEqual(
      found.map(({ text }) => text),
      expected,
    );
  });
}

const unspaced = [
  ['Chinese', '今天天气很好，我们一起去公园散步吧。', ['今天', '天气', '公园', '散步']],
  ['Japanese', '昨日は東京へ行きました。新しいカメラを買いました。', ['東京', '新しい', 'カメラ']],
  ['Thai', 'วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะกัน', ['อากาศ', 'เดิน', 'สาธารณะ']],
] as const;
for (const [language, sentence, words] of unspaced) {
  test(`${language} is broken between its words`, () => {
    const text = sentence.repeat(8);
    const found = segmentsOf([piece(text, 0, 40)]);
    ascending(found);
    assert.equal(found.map((segment) => segment.text.slice(1)).join(''), text);
    for (const word of words) {
      const whole = found.reduce((sum, segment) => sum + segment.text.split(word).length - 1, 0);
      assert.equal(whole, 8, `${word} is cut`);
    }
  });
}

test('closing marks never begin a segment, opening ones never end it', () => {
  const found = texts([piece('他说：「我们明天早上八点钟在火车站见面。」'.repeat(12), 0, 70)]);
  for (const text of found) {
    assert.doesNotMatch(text, /^ [」。：，]/u);
    assert.doesNotMatch(text, /「$/u);
  }
});

test('a text timed only by its window is spread around the silence, broken at the comma', () => {
  const speech = [span(10, 13), span(16, 20)];
  const found = segmentsOf([piece('Come over here, then we can all go home together', 10, 20)], speech);
  assert.deepEqual(
    found.map(({ start_seconds, end_seconds, text }) => [start_seconds, end_seconds, text]),
    [
      [10, 13, ' Come over here,'],
      [16, 20, ' then we can all go home together'],
    ],
  );
});

test('without speech regions all characters of a piece take equal time', () => {
  const [first, second] = segmentsOf([piece('This one ends here. That one begins.', 0, 7.2)]);
  assert.equal(first?.start_seconds, 0);
  assert.equal(first?.end_seconds, 3.8);
  assert.equal(second?.start_seconds, 4);
});

test('the space before a word takes none of its time', () => {
  const [only] = segmentsOf([piece(' wor', 3, 4), piece('ld ', 4, 5)]);
  assert.deepEqual([only?.start_seconds, only?.end_seconds], [3, 5]);
});

test('a word longer than a segment is cut between letters, not inside one', () => {
  const family = '👩‍👩‍👧‍👦';
  const found = segmentsOf([piece(`${family.repeat(20)}`, 0, 5)]);
  ascending(found);
  for (const { text } of found) assert.equal(text.slice(1).length % family.length, 0);
});

test('times that are NaN or run backwards are put in order', () => {
  ascending(
    segmentsOf([
      piece(' first of all', Number.NaN, 2),
      piece(' second', 5, 3),
      piece(' third', 1, Number.POSITIVE_INFINITY),
      piece(' fourth', -4, Number.NaN),
    ]),
  );
});

const script = fc.constantFrom(
  ...[
    ...'abc déß.,;?!"()-',
    ' ',
    ' ',
    '\n',
    '中',
    '国',
    '，',
    '。',
    '「',
    'カ',
    'ー',
    'น้ำ',
    'ก',
    'א',
    'ة',
    '👩‍👧',
    '\u0301',
  ],
);
const pieces = fc.array(
  fc.record({
    text: fc.array(script, { maxLength: 150 }).map((letters) => letters.join('')),
    start_seconds: fc.double({ min: -5, max: 100 }),
    end_seconds: fc.double({ min: -5, max: 130 }),
  }),
  { maxLength: 12 },
);
const regions = fc
  .array(fc.double({ min: 0, max: 120, noNaN: true }), { maxLength: 12 })
  .map((edges) => edges.sort((a, b) => a - b))
  .map((edges) => edges.flatMap((edge, at) => (at % 2 === 1 ? [span(edges[at - 1]!, edge)] : [])));

test('every character stays, in order; no segment is too long, none overlaps', () => {
  fc.assert(
    fc.property(pieces, regions, (said, speech) => {
      const found = segmentsOf(said, speech);
      ascending(found);
      const letters = (text: string) => text.replace(/[\s\p{Cc}]+/gu, '');
      assert.equal(
        letters(found.map(({ text }) => text).join('')),
        letters(said.map(({ text }) => text).join('')),
      );
    }),
  );
});

test('in scripts with spaces every word stays whole', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdéüñ.,!’-'), minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 80 }),
      fc.double({ min: 0, max: 60, noNaN: true }),
      (words, end) => {
        const found = segmentsOf([piece(words.join(' '), 0, end)]);
        assert.deepEqual(
          found
            .map(({ text }) => text)
            .join('')
            .split(' ')
            .slice(1),
          words,
        );
      },
    ),
  );
});
