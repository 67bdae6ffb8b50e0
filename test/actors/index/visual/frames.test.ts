import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lowerBound, packFrames, positionOf, unpackFrames } from '../../../../actors/index/visual/frames.ts';
import { joinRanges } from '../../../../runtime/ranges.ts';

const ascending = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 80 })
  .map((list) => list.sort((a, b) => a - b));

test('frames packed as runs are the same frames again', () => {
  fc.assert(
    fc.property(ascending, (frames) => {
      assert.deepEqual([...unpackFrames(packFrames(frames))], frames);
    }),
  );
  assert.deepEqual(packFrames([0, 1, 2, 7, 9, 10]), [0, 3, 7, 1, 9, 2]);
});

test('a position is found in a sorted list, or said not to be there', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: -1, max: 301 }), (frames, value) => {
      assert.equal(positionOf(frames, value), frames.indexOf(value));
      assert.equal(lowerBound(frames, value), frames.filter((frame) => frame < value).length);
    }),
  );
});

test('joined ranges hold the same frames, ascend and do not touch', () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(fc.array(range), (ranges) => {
      const joined = joinRanges(ranges);
      const holds = (list: readonly (readonly [number, number])[], frame: number) =>
        list.some(([start, end]) => frame >= start && frame < end);
      for (let frame = 0; frame < 42; frame++) assert.equal(holds(joined, frame), holds(ranges, frame));
      for (let i = 1; i < joined.length; i++) assert.ok(joined[i]![0] > joined[i - 1]![1]);
    }),
  );
});
