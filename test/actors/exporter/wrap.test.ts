import assert from 'node:assert/strict';
import test from 'node:test';
import { visualRuns, wrap } from '../../../actors/exporter/pdf.ts';

test('lines fit the width, and longer words are broken', () => {
  const measure = (text: string) => [...text].length;
  assert.deepEqual(wrap('one two three', 7, measure), ['one two', 'three']);
  assert.deepEqual(wrap('abcdefghij kl', 4, measure), ['abcd', 'efgh', 'ij', 'kl']);
  assert.deepEqual(wrap('', 4, measure), ['']);
  assert.deepEqual(wrap('今日は、いい天気', 4, measure).join(''), '今日は、いい天気');
  for (const line of wrap('今日は、いい天気', 4, measure)) assert.doesNotMatch(line, /^、/);
});

test('words from right to left are in visual order', () => {
  const seen = (line: string) => visualRuns(line).map(({ text }) => text);
  assert.deepEqual(seen('plain text'), ['plain text']);
  assert.deepEqual(seen('אב גד'), ['גד', ' ', 'אב']);
  assert.equal(seen('אב 12 cd ef').join(''), 'cd ef 12 אב');
  assert.equal(seen('see אב גד now').join(''), 'see גד אב now');
  // Brackets are mirrored here; the word itself is reversed when it is shaped.
  assert.deepEqual(seen('אב (גד)'), [')גד(', ' ', 'אב']);
});
