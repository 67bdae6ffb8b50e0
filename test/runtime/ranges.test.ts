import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeFault } from '../../runtime/ranges.ts';

test('a range without length is empty, and another one ends before it starts', () => {
  assert.equal(rangeFault(5, 5), '[5, 5] is empty: its end must be greater than its start');
  assert.equal(rangeFault(5, 3.5), '[5, 3.5] ends before it starts');
});
