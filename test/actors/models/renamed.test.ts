import assert from 'node:assert/strict';
import test from 'node:test';
import { findRow } from '../../../actors/models/registry.ts';
import { currentKey, olderKey } from '../../../actors/models/renamed.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';

test('a key from before names the row that has taken its place, and that row knows it', () => {
  assert.equal(currentKey('starter-visual'), 'starter-visual-2');
  assert.equal(olderKey('starter-visual-2'), 'starter-visual');
  assert.equal(findRow({ rows: builtInRows, problems: [] }, 'starter-visual').key, 'starter-visual-2');
});

test('every other key is what it is', () => {
  for (const key of ['siglip2-b16-256', 'starter-speaker', 'toString', '']) {
    assert.equal(currentKey(key), key);
    assert.equal(olderKey(key), null);
  }
});
