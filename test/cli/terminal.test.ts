import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { duration, fitted, padded, printable, widthOf, wrapped } from '../../cli/terminal.ts';

test('control characters of file names are shown, not sent to the terminal', () => {
  assert.equal(printable('a\x1b[2Jb\n'), 'a\\x1b[2Jb\\x0a');
});

test('durations are written as a person says them', () => {
  assert.deepEqual([0.2, 59, 61, 3_725].map(duration), ['1 s', '59 s', '1 min 1 s', '1 h 2 min']);
});

test('a text is cut and filled by the columns it takes', () => {
  assert.deepEqual(['abc', '東京', 'é', 'e\u0301', '🎬'].map(widthOf), [3, 4, 1, 1, 2]);
  assert.equal(fitted('abcdef', 4), 'abc…');
  assert.equal(fitted('東京の夜', 6), '東京…');
  assert.equal(fitted('abc', 3), 'abc');
  // A picture made of several is not cut in two, nor a letter from its marks.
  assert.equal(fitted('a👩‍👩‍👧b', 6), 'a…');
  assert.equal(fitted('abe\u0301fg', 4), 'abe\u0301…');
  assert.equal(padded('東', 4), '東  ');
});

test('a paragraph is broken at spaces, beside wide letters, and within what is wider than a line', () => {
  assert.deepEqual(wrapped('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapped('  one\n two ', 80), ['one two']);
  assert.deepEqual(wrapped('東京の夜は、長い', 6), ['東京の', '夜は、', '長い']);
  assert.deepEqual(wrapped('abcdefgh', 3), ['abc', 'def', 'gh']);
  assert.deepEqual(wrapped('a👩‍👩‍👧b', 2), ['a', '👩‍👩‍👧', 'b']);
  assert.deepEqual(wrapped(' \n ', 10), []);
});

test('property: a wrapped text has every letter, and no line is wider than it may be', () => {
  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom(' ', '東', '。', 'e\u0301', 'abc'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 80,
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 8, max: 40 }), (text, columns) => {
      const lines = wrapped(text, columns);
      const letters = (some: string) => some.replace(/\s+/g, '');
      assert.equal(letters(lines.join('')), letters(text));
      for (const line of lines)
        assert.ok(widthOf(line) <= columns || [...new Intl.Segmenter().segment(line)].length === 1, line);
    }),
  );
});
