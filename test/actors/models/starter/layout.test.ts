import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIMENSIONS, named, SIMILARITY } from '../../../../actors/models/starter/layout.ts';

test('every dimension has one use', () => {
  assert.equal(new Set(named).size, named.length);
  assert.ok(SIMILARITY > 0);
  assert.equal(named.length + SIMILARITY + 1, DIMENSIONS);
});
