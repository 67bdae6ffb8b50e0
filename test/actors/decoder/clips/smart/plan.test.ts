import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type PictureGroup,
  planOf,
  type SourceFrame,
} from '../../../../../actors/decoder/clips/smart/plan.ts';

/** Four pictures from a time on, the third of which is decoded second. */
const group = (at: number, flaw: string | null = null): PictureGroup => ({
  order: [at, at + 2, at + 1, at + 3],
  flaw,
});
const frames = (from: number, to: number): SourceFrame[] =>
  Array.from({ length: to - from }, (_, i) => ({ picture: from + i, at: from + i, until: from + i + 1 }));
const groups = [group(0), group(4), group(8), group(12)];

/** The first and the number of pictures of each part. */
function parts(from: number, to: number, more: Partial<Parameters<typeof planOf>[0]> = {}) {
  const plan = planOf({ groups, frames: frames(from, to), isCut: false, ...more });
  if (typeof plan === 'string') return plan;
  return [plan.head, plan.copied, plan.tail].map((part) => [part[0]?.picture ?? null, part.length]);
}

test('whole groups are copied, and what is before and after them is encoded', () => {
  assert.deepEqual(parts(2, 14), [
    [2, 2],
    [4, 8],
    [12, 2],
  ]);
  assert.deepEqual(parts(4, 12), [
    [null, 0],
    [4, 8],
    [null, 0],
  ]);
  assert.deepEqual(parts(4, 13), [
    [null, 0],
    [4, 8],
    [12, 1],
  ]);
  assert.deepEqual(parts(3, 12), [
    [3, 1],
    [4, 8],
    [null, 0],
  ]);
  assert.deepEqual(parts(0, 16), [
    [null, 0],
    [0, 16],
    [null, 0],
  ]);
});

test('copied pictures are named in the order in which they are decoded', () => {
  const plan = planOf({ groups, frames: frames(3, 9), isCut: false });
  assert.ok(typeof plan === 'object');
  assert.deepEqual(plan.order, [4, 6, 5, 7]);
});

test('without a whole group there is no plan', () => {
  assert.match(String(parts(5, 7)), /no complete closed group/);
  assert.match(String(parts(5, 11)), /no complete closed group/);
  assert.match(String(parts(4, 8, { groups: [group(4, 'it is open')] })), /it is open/);
});

test('a picture that is itself cut is encoded, with its group', () => {
  const late = frames(4, 14).map((frame, i) => (i === 0 ? { ...frame, at: 4.5 } : frame));
  assert.deepEqual(parts(4, 14, { frames: late }), [
    [4, 4],
    [8, 4],
    [12, 2],
  ]);
  assert.deepEqual(parts(2, 12, { isCut: true }), [
    [2, 2],
    [4, 4],
    [8, 4],
  ]);
});

test('the longest row of groups without a flaw is copied', () => {
  const mixed = [group(0), group(4, 'hidden'), group(8), group(12)];
  assert.deepEqual(parts(0, 16, { groups: mixed }), [
    [0, 8],
    [8, 8],
    [null, 0],
  ]);
});

test('a group with a picture twice, or one shown before its first, is not copied', () => {
  const twice: PictureGroup = { order: [4, 6, 5, 5, 7], flaw: null };
  assert.deepEqual(parts(4, 12, { groups: [twice, group(8)] }), [
    [4, 4],
    [8, 4],
    [null, 0],
  ]);
  const early: PictureGroup = { order: [5, 4, 6, 7], flaw: null };
  assert.deepEqual(parts(4, 12, { groups: [early, group(8)] }), [
    [4, 4],
    [8, 4],
    [null, 0],
  ]);
});
