import assert from 'node:assert/strict';
import test from 'node:test';
import { coloursOf } from '../../../actors/things/colours.ts';
import { classNames } from '../../../actors/things/contract.ts';
import { detectionsOf, fillInput, outputs, side } from '../../../actors/things/nanodet.ts';

/** Answer of a graph that sees one thing: in the cell of a stride, with its sides so many strides away. */
function answerOf(
  seen: readonly { stride: number; cell: number; name: string; score: number; bins: number[] }[],
) {
  const answer: Record<string, { data: Float32Array }> = {};
  for (const { stride, scores, sides } of outputs) {
    const cells = (side / stride) ** 2;
    const [all, distances] = [new Float32Array(cells * 80), new Float32Array(cells * 44)];
    for (const one of seen.filter((each) => each.stride === stride)) {
      all[one.cell * 80 + classNames.indexOf(one.name as 'dog')] = one.score;
      // A distribution with all its weight on one bin.
      for (const [which, bin] of one.bins.entries()) distances[one.cell * 44 + which * 11 + bin] = 100;
    }
    answer[scores] = { data: all };
    answer[sides] = { data: distances };
  }
  return answer;
}

test('a box is read off the expected distances from the middle of its cell', () => {
  // Row 6, column 6 of 26: the middle is at (104, 104).
  const dog = { stride: 16, cell: 6 * 26 + 6, name: 'dog', score: 0.8, bins: [2, 3, 4, 5] };
  const [found, ...others] = detectionsOf(answerOf([dog]), { width: 416, height: 208 });
  assert.deepEqual(others, []);
  assert.equal(classNames[found!.label], 'dog');
  assert.ok(Math.abs(found!.score - 0.8) < 1e-6);
  const wanted = [(104 - 32) / 416, (104 - 48) / 208, 96 / 416, 128 / 208];
  for (const [i, value] of wanted.entries())
    assert.ok(Math.abs(found!.box[i]! - value) < 1e-6, `${found!.box}`);
});

test('of boxes that overlap the best one stays, of two classes only where they are nearly the same', () => {
  const at = (cell: number, name: string, score: number) => ({
    stride: 8,
    cell,
    name,
    score,
    bins: [5, 5, 5, 5],
  });
  const near = answerOf([at(1000, 'dog', 0.7), at(1001, 'dog', 0.9), at(1002, 'cat', 0.6)]);
  const picture = { width: 416, height: 416 };
  // One stride of ten apart: .82 of the area is shared; two strides: .67.
  assert.deepEqual(
    detectionsOf(near, picture).map(({ label }) => classNames[label]),
    ['dog'],
  );
  const apart = answerOf([at(1000, 'dog', 0.9), at(1002, 'cat', 0.6), at(1002, 'dog', 0.5)]);
  assert.deepEqual(
    detectionsOf(apart, picture).map(({ label }) => classNames[label]),
    ['dog', 'cat'],
  );
});

test('what is unsure, no number, or beside the picture is nothing', () => {
  const cell = 45 * 52 + 10;
  const below = { stride: 8, cell, name: 'car', score: 0.9, bins: [1, 1, 1, 1] };
  const unsure = { stride: 32, cell: 20, name: 'car', score: 0.39, bins: [1, 1, 1, 1] };
  const broken = { stride: 32, cell: 21, name: 'car', score: Number.NaN, bins: [1, 1, 1, 1] };
  assert.deepEqual(detectionsOf(answerOf([below, unsure, broken]), { width: 416, height: 200 }), []);
});

test('the input has planes of blue, green and red, black beside the picture', () => {
  const planes = new Float32Array(3 * side ** 2);
  fillInput({ data: Uint8Array.from([255, 0, 10, 0, 255, 20]), width: 2, height: 1 }, planes);
  const size = side ** 2;
  const close = (value: number, wanted: number) => assert.ok(Math.abs(value - wanted) < 1e-5, `${value}`);
  close(planes[0]!, (10 - 103.53) / 57.375);
  close(planes[1]!, (20 - 103.53) / 57.375);
  close(planes[size]!, -116.28 / 57.12);
  close(planes[2 * size]!, (255 - 123.675) / 58.395);
  close(planes[2 * size + 2]!, -123.675 / 58.395);
  close(planes.at(-1)!, -123.675 / 58.395);
});

test('the colours of a thing are those of its middle', () => {
  const side = 40;
  const data = new Uint8Array(side * side * 3);
  for (let i = 0; i < side * side; i++) {
    const [x, y] = [i % side, Math.floor(i / side)];
    const isThing = (x - 20) ** 2 + (y - 20) ** 2 < 256;
    data.set(isThing ? [220, 20, 20] : [20, 160, 50], i * 3);
  }
  const [first, ...others] = coloursOf({ data, width: side, height: side }, [0.1, 0.1, 0.8, 0.8]);
  assert.equal(first?.colour, 'red');
  assert.ok(first.share > 0.9, `${first.share}`);
  assert.deepEqual(others, []);
});
