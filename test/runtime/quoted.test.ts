import assert from 'node:assert/strict';
import test from 'node:test';
import { quoted } from '../../runtime/text.ts';

test('a text stands in a message as it is, but in one line', () => {
  for (const [text, shown] of [
    ['C:\\films\\a.mp4', '"C:\\films\\a.mp4"'],
    ['日本 "x"', '"日本 "x""'],
    ['a\nb\u001b[31m\u2028\ud800', '"a\\u000ab\\u001b[31m\\u2028\\ud800"'],
  ] as const)
    assert.equal(quoted(text), shown);
});
