import assert from 'node:assert/strict';
import test from 'node:test';
import { anyMarked, areaOf, blocksOfBox, rangeOf } from '../../../actors/text-reader/reading.ts';
import { blocksOf, changedBlocks, taken } from '../../../runtime/blocks.ts';
import { drawn } from './graphs.ts';

const size = { width: 1280, height: 720 };
const grey = drawn(size.width, size.height, () => [100, 100, 100]);

test('blocks are the brightness of squares, with smaller ones at the edges', () => {
  const { values, columns } = blocksOf(grey);
  assert.deepEqual([columns, values.length], [160, 160 * 90]);
  assert.ok(values.every((value) => value === 100));
  const odd = blocksOf(drawn(165, 3, (x) => (x >= 164 ? [255, 255, 255] : [0, 0, 0])));
  assert.equal(odd.columns, 83);
  assert.deepEqual([...odd.values.subarray(81, 83)], [0, 255]);
  assert.deepEqual([...odd.values.subarray(164)], [0, 255]);
});

test('a stroke of a letter changes its block, and the noise of a codec none', () => {
  const before = blocksOf(grey);
  const stroke = drawn(size.width, size.height, (x, y) =>
    x >= 803 && x < 805 && y >= 400 && y < 408 ? [220, 220, 220] : [100, 100, 100],
  );
  const marks = changedBlocks(before, blocksOf(stroke))!;
  assert.deepEqual(rangeOf(marks, 160), [100, 50, 101, 51]);
  const noise = drawn(size.width, size.height, (x, y) => {
    const value = 100 + ((x * 31 + y * 17) % 13) - 6 + ((x >> 3) % 3);
    return [value, value, value];
  });
  assert.equal(rangeOf(changedBlocks(before, blocksOf(noise))!, 160), null);
});

test('a slow fade adds up, because blocks stay as they were when they were read', () => {
  const of = (value: number) => blocksOf(drawn(160, 90, () => [value, value, value]));
  let before = of(100);
  let changes = 0;
  for (let step = 1; step <= 20; step++) {
    const now = of(100 + step);
    const marks = changedBlocks(before, now)!;
    if (rangeOf(marks, 160) !== null) changes++;
    before = taken(before, now, marks);
  }
  assert.equal(changes, 2);
});

test('pictures of two sizes are not compared', () => {
  assert.equal(changedBlocks(blocksOf(grey), blocksOf(drawn(720, 1280, () => [0, 0, 0]))), null);
});

test('a box has the blocks that it touches', () => {
  assert.deepEqual(blocksOfBox([0.5, 0.5, 0.1, 0.1], size), [80, 45, 96, 54]);
  assert.deepEqual(blocksOfBox([0, 0, 0, 0], size), [0, 0, 1, 1]);
  const marks = new Uint8Array(160 * 90);
  marks[45 * 160 + 96] = 1;
  assert.equal(anyMarked(marks, 160, [80, 45, 96, 54]), false);
  assert.equal(anyMarked(marks, 160, [80, 45, 97, 54]), true);
});

test('what is looked at has whole steps, a margin, and no line that is cut', () => {
  const scaled = { width: 640, height: 352 };
  const alone = areaOf([60, 40, 62, 42], size, scaled, []);
  assert.deepEqual(alone, { left: 192, top: 96, width: 96, height: 128 });
  const line = (box: [number, number, number, number]) => ({ text: 'x', score: 1, box });
  // The first line reaches into the area, the second one into what the first adds, the third one nowhere.
  const wide = areaOf([60, 40, 62, 42], size, scaled, [
    line([0.05, 0.4, 0.35, 0.05]),
    line([0.06, 0.38, 0.02, 0.3]),
    line([0.9, 0.1, 0.05, 0.05]),
  ]);
  assert.deepEqual(wide, { left: 32, top: 96, width: 256, height: 160 });
  const corner = areaOf([0, 0, 160, 90], size, scaled, []);
  assert.deepEqual(corner, { left: 0, top: 0, ...scaled });
});
