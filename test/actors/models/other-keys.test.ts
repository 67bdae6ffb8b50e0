import assert from 'node:assert/strict';
import test from 'node:test';
import { currentKey, olderKeys } from '../../../actors/models/other-keys.ts';
import { findRow } from '../../../actors/models/registry.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

test('a key from before names the row that has taken its place, and that row knows it', () => {
  const before = ['starter-visual', 'starter-visual-2'];
  for (const key of before) {
    assert.equal(currentKey(key), 'starter-visual-3');
    assert.equal(findRow({ rows: builtInRows, problems: [] }, key).key, 'starter-visual-3');
  }
  assert.deepEqual(olderKeys('starter-visual-3'), before);
});

test('every other key is what it is', () => {
  for (const key of ['siglip2-b16-256', 'starter-speaker', 'toString', '']) {
    assert.equal(currentKey(key), key);
    assert.deepEqual(olderKeys(key), []);
  }
});
