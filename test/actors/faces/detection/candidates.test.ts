import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Candidate,
  isUsable,
  overlap,
  scaled,
  suppressed,
} from '../../../../actors/faces/detection/family.ts';

function box(left: number, top: number, side: number, score = 0.9): Candidate {
  return { score, left, top, width: side, height: side, landmarks: new Float64Array(10) };
}

test('overlap is what two boxes share of all that they cover', () => {
  assert.equal(overlap(box(0, 0, 10), box(0, 0, 10)), 1);
  // 50 of 150 px.
  assert.equal(overlap(box(0, 0, 10), box(5, 0, 10)), 1 / 3);
  assert.equal(overlap(box(0, 0, 10), box(0, 0, 5)), 1 / 4);
  assert.equal(overlap(box(0, 0, 10), box(10, 0, 10)), 0);
  assert.equal(overlap(box(0, 0, 0), box(0, 0, 0)), 0);
});

test('of boxes of one face the best stays; neighbours that overlap a little are two faces', () => {
  const [best, same, neighbour] = [box(0, 0, 100, 0.9), box(5, 5, 100, 0.8), box(60, 0, 100, 0.7)];
  assert.deepEqual(suppressed([neighbour, same, best], 0.3, 10), [best, neighbour]);
  assert.deepEqual(suppressed([neighbour, same, best], 0.3, 1), [best]);
});

test('what lies in a better box is a part of that face, however small their overlap is', () => {
  const [face, eye] = [box(0, 0, 100), box(10, 10, 20, 0.8)];
  assert.ok(overlap(face, eye) < 0.3);
  assert.deepEqual(suppressed([eye, face], 0.3, 10), [face]);
});

test('a box counts when its numbers are finite and a part of it lies in the picture', () => {
  const picture = { width: 50, height: 50 };
  assert.ok(isUsable(box(-5, -5, 10), picture));
  for (const one of [box(-10, 0, 10), box(50, 0, 10), box(0, Number.NaN, 10), box(0, 0, Infinity)])
    assert.equal(isUsable(one, picture), false);
  assert.deepEqual(scaled(box(1, 2, 3), 4), box(4, 8, 12));
});
