import assert from 'node:assert/strict';
import test from 'node:test';
import { isCut } from '../../../../actors/faces/quality/quality.ts';

const picture = { width: 300, height: 500 };

test('a narrow box at a side and a low one at the top or bottom are cut', () => {
  // As the portrait of the astronaut is found, with the left half of the face cut off.
  assert.equal(isCut({ left: 2, top: 63, width: 50, height: 113 }, picture), true);
  assert.equal(isCut({ left: 250, top: 63, width: 50, height: 113 }, picture), true);
  assert.equal(isCut({ left: 100, top: -1, width: 90, height: 70 }, picture), true);
  assert.equal(isCut({ left: 100, top: 430, width: 90, height: 70 }, picture), true);
});

test('a whole face at the edge, and a narrow one elsewhere, are not', () => {
  assert.equal(isCut({ left: -2, top: 61, width: 91, height: 113 }, picture), false);
  assert.equal(isCut({ left: 100, top: 0, width: 91, height: 113 }, picture), false);
  assert.equal(isCut({ left: 100, top: 63, width: 50, height: 113 }, picture), false);
});
