import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { resegment } from '../../../actors/diarizer/resegment.ts';

const model = { between: new Float64Array([1, 1]) };

/** Embeddings of weight 1 in two dimensions. */
function groupsOf(points: readonly (readonly [number, number])[]) {
  return {
    sums: Float32Array.from(points.flat()),
    weights: new Float32Array(points.length).fill(1),
    dimensions: 2,
  };
}

const east = [2, 0] as const;
const north = [0, 2] as const;
const same = (count: number) => new Array<number>(count).fill(0);

test('embeddings that were labelled as their neighbours go back to their speaker', () => {
  const points = [...new Array(6).fill(east), ...new Array(6).fill(north), ...new Array(6).fill(east)];
  const labels = Int32Array.from([...same(6), 0, 0, 0, 1, 1, 1, 1, 1, ...same(4)]);
  const path = resegment(groupsOf(points), same(18), labels, 2, model);
  assert.deepEqual([...path], [...same(6), 1, 1, 1, 1, 1, 1, ...same(6)]);
});

test('one unclear embedding changes no speaker within a region of speech, but may in a region of its own', () => {
  const unclear = [1.2, 1.5] as const;
  const points = [
    ...new Array(5).fill(east),
    unclear,
    ...new Array(5).fill(east),
    ...new Array(6).fill(north),
  ];
  const labels = Int32Array.from([...same(11), 1, 1, 1, 1, 1, 1]);
  const regions = points.map((_, at) => (at < 11 ? 0 : 1));
  const within = resegment(groupsOf(points), regions, labels, 2, model);
  assert.deepEqual([...within], [...labels]);
  const alone = points.map((_, at) => (at < 5 ? 0 : at === 5 ? 1 : at < 11 ? 2 : 3));
  assert.equal(resegment(groupsOf(points), alone, labels, 2, model)[5], 1);
});

test('every embedding gets one of the speakers, and a single speaker keeps all', () => {
  const coordinate = fc.double({ min: -1, max: 1, noNaN: true });
  const windows = fc.array(fc.tuple(coordinate, coordinate, fc.nat({ max: 3 }), fc.boolean()), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(windows, (list) => {
      const groups = groupsOf(list.map(([x, y]) => [x, y]));
      let region = 0;
      const regions = list.map(([, , , begins]) => {
        if (begins) region += 1;
        return region;
      });
      const path = resegment(
        groups,
        regions,
        Int32Array.from(list, ([, , speaker]) => speaker),
        4,
        model,
      );
      assert.equal(path.length, list.length);
      assert.ok(path.every((speaker) => speaker >= 0 && speaker < 4));
      assert.ok(
        resegment(groups, regions, new Int32Array(list.length), 1, model).every((speaker) => speaker === 0),
      );
    }),
  );
});
