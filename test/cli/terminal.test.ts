import assert from 'node:assert/strict';
import test from 'node:test';
import { duration, fitted, padded, printable, widthOf } from '../../cli/terminal.ts';

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
