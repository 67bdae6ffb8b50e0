import assert from 'node:assert/strict';
import test from 'node:test';
import {
  distanceOf,
  embedderSides,
  epsOf,
  ownEpsOf,
  usualEps,
} from '../../../actors/models/face-distance.ts';
import { faceRows } from '../../../actors/models/rows/faces.ts';

test('what requests ask for is made larger or smaller by what suits the model, and comes back as it was', () => {
  assert.equal(distanceOf(usualEps, 0.26), 0.26);
  assert.equal(distanceOf(0.24, 0.26), 0.13);
  assert.equal(distanceOf(0, 0.26), 0);
  assert.equal(distanceOf(2, 0.6), 2, 'no cosine distance is larger');
  for (const eps of [0.1, 0.3, 0.37, usualEps, 0.52, 1.9])
    for (const own of [0.08, 0.26, 0.4, usualEps]) {
      assert.ok(Math.abs(epsOf(distanceOf(eps, own), own) - eps) < 1e-5, `${eps} by ${own}`);
    }
  for (const eps of [0.123_456_789, 0.37, 1.1])
    assert.equal(distanceOf(eps, usualEps), eps, 'the usual model takes it as it is');
});

test('the row is found by the key of the pair, and a model whose row is gone is a usual one', async () => {
  const models = faceRows.map((row) => ({ row }));
  const library = { list: async () => ({ models, problems: [] }) as never };
  const ownEps = await ownEpsOf(library);
  assert.equal(ownEps('yunet-2026may+dlib-resnet-v1'), 0.26);
  assert.equal(ownEps('yunet-2026may+sface'), usualEps);
  assert.equal(ownEps('yunet-2026may+gone'), usualEps);
  const sideOf = await embedderSides(library);
  assert.equal(sideOf('blazeface-256+dlib-resnet-v1')?.thresholds.same, 0.64);
  assert.equal((await ownEpsOf(null))('a+sface'), usualEps);
});
