import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest, quoted, suggestion } from '../../runtime/text.ts';

const words = ['analyze', 'search', 'tasks', 'transcribe', 'transcript', 'tour', 'serve', 'siglip2-b16-256'];

test('one slip or two are forgiven, and a beginning is enough', () => {
  const cases: [string, string | null][] = [
    ['serch', 'search'],
    ['saerch', 'search'],
    ['analyse', 'analyze'],
    ['anlayze', 'analyze'],
    ['transcribr', 'transcribe'],
    ['TASKS', 'tasks'],
    ['task', 'tasks'],
    ['siglip', 'siglip2-b16-256'],
    ['siglip2-b16-265', 'siglip2-b16-256'],
    ['zebra', null],
    ['x', null],
    ['', null],
  ];
  for (const [typed, meant] of cases) assert.equal(nearest(typed, words), meant, typed);
});

test('a suggestion is the end of a sentence, or nothing', () => {
  assert.equal(suggestion('serch', words), '; did you mean search?');
  assert.equal(suggestion('zebra', words), '');
});

test('a text stands in a message as it is, but in one line', () => {
  for (const [text, shown] of [
    ['C:\\films\\a.mp4', '"C:\\films\\a.mp4"'],
    ['日本 "x"', '"日本 "x""'],
    ['a\nb\u001b[31m\u2028\ud800', '"a\\u000ab\\u001b[31m\\u2028\\ud800"'],
  ] as const)
    assert.equal(quoted(text), shown);
});
