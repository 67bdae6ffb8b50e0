import assert from 'node:assert/strict';
import test from 'node:test';
import { exportErrors } from '../../../actors/exporter/contract.ts';
import { exactTime, rowsOf, withSilence } from '../../../actors/exporter/rows.ts';
import type { EngineError } from '../../../runtime/errors.ts';

const refused: [what: string, segments: unknown[][], field: string][] = [
  ['a negative start', [[-1, 'a', 1]], 'segments[0][0]'],
  ['a start that is a string', [['0', 'a', 1]], 'segments[0][0]'],
  [
    'an end before the start',
    [
      [0, 'a', 1],
      [2, 'a', 1],
    ],
    'segments[1][2]',
  ],
  ['an infinite time', [[0, 'a', Number.POSITIVE_INFINITY]], 'segments[0][2]'],
  ['a time of NaN', [[Number.NaN, 'a', 1]], 'segments[0][0]'],
  ['a time far too late', [[0, 'a', 1e300]], 'segments[0][2]'],
  ['a text that is a number', [[0, 5, 1]], 'segments[0][1]'],
  ['text and end swapped', [[0, 1, 'a']], 'segments[0][1]'],
  ['a speaker that is a number', [[0, 'a', 1, 5]], 'segments[0][3]'],
  ['a text that is too long', [[0, 'a'.repeat(100_001), 1]], 'segments[0][1]'],
];
for (const [what, segments, field] of refused) {
  test(`${what} is refused, naming ${field}`, () => {
    const isNamed = (error: EngineError) =>
      exportErrors.SEGMENTS_INVALID.is(error) &&
      error.message.startsWith(field) &&
      error.details['field'] === field;
    assert.throws(() => rowsOf(segments), isNamed);
  });
}

test('too many segments or characters are refused', () => {
  const isTooLarge = (error: EngineError) => exportErrors.DOCUMENT_TOO_LARGE.is(error);
  assert.throws(() => rowsOf(Array.from({ length: 50_001 }, () => [0, 'a', 1])), isTooLarge);
  const long = 'a'.repeat(100_000);
  assert.throws(() => rowsOf(Array.from({ length: 101 }, () => [0, long, 1])), isTooLarge);
});

test('rows are in order of start, and a pause of two seconds or more is a row', () => {
  const rows = withSilence(
    rowsOf([
      [10, ' late', 12],
      [0, ' a', 5],
      [1, ' b', 2],
      [6.99, ' c', 8],
      [30, ' d', 30],
    ]),
  );
  assert.deepEqual(
    rows.map(({ kind, start, end }) => [kind, start, end]),
    [
      ['speech', 0, 5],
      ['speech', 1, 2],
      ['speech', 6.99, 8],
      ['silence', 8, 10],
      ['speech', 10, 12],
      ['silence', 12, 30],
      ['speech', 30, 30],
    ],
  );
});

test('times are exact to the millisecond', () => {
  for (const [seconds, text] of [
    [0, '00:00:00.000'],
    [59.9996, '00:01:00.000'],
    [3599.999, '00:59:59.999'],
    [360_000.5, '100:00:00.500'],
  ] as const) {
    assert.equal(exactTime(seconds), text);
  }
});
