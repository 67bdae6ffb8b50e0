import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { cluster, type Groups } from '../../../actors/diarizer/clustering.ts';
import { firstRejected } from '../../../actors/diarizer/speaker-clustering.ts';

/** In two directions: the angle of each embedding, in turns of the circle. */
function unitsAt(angles: readonly number[], weights = angles.map(() => 1)): Groups {
  const sums = angles.flatMap((angle, at) =>
    [Math.cos, Math.sin].map((axis) => weights[at]! * axis(2 * Math.PI * angle)),
  );
  return { sums: Float32Array.from(sums), weights: Float32Array.from(weights), dimensions: 2 };
}

const likelihoodAlone = { average: 0, centroid: 0 };

test('without cosines the first merge of two large groups below the threshold is rejected', () => {
  const units = unitsAt([0, 0.1, 0.5, 0.6]);
  const merges = [
    { into: 0, other: 1, similarity: 5 },
    { into: 2, other: 3, similarity: 4 },
    { into: 0, other: 2, similarity: -7 },
  ];
  assert.equal(firstRejected(units, merges, likelihoodAlone, 0, 1), 2);
  assert.equal(firstRejected(units, merges, likelihoodAlone, 4.5, 1), 1);
  assert.equal(firstRejected(units, merges, likelihoodAlone, -8, 1), 3);
});

test('a merge with a small group is never rejected, and what grew large is looked at', () => {
  const units = unitsAt([0, 0.5, 0.5, 0.5], [5, 1, 1, 1]);
  const merges = [
    { into: 0, other: 1, similarity: -50 },
    { into: 2, other: 3, similarity: -50 },
    { into: 0, other: 2, similarity: -50 },
  ];
  assert.equal(firstRejected(units, merges, likelihoodAlone, 0, 2), 2);
  assert.equal(firstRejected(units, merges, likelihoodAlone, 0, 3), 3);
});

test('the mean cosine of all pairs and the cosine of the sums count as often as they are said to', () => {
  // Two groups of two: within each the angle is 60 degrees, and the sums are at 90 degrees.
  const units = unitsAt([0, 1 / 6, 1 / 4, 5 / 12]);
  const angles = [0, 1 / 6, 1 / 4, 5 / 12].map((angle) => 2 * Math.PI * angle);
  const cosines = [0, 1].flatMap((one) => [2, 3].map((other) => Math.cos(angles[one]! - angles[other]!)));
  const average = cosines.reduce((sum, cosine) => sum + cosine, 0) / 4;
  const centroid = Math.cos(2 * Math.PI * (1 / 3 - 1 / 12));
  const merges = [
    { into: 0, other: 1, similarity: 100 },
    { into: 2, other: 3, similarity: 100 },
    { into: 0, other: 2, similarity: 1 },
  ];
  const score = { average: 10, centroid: -3 };
  const expected = 1 + 10 * average - 3 * centroid;
  assert.equal(firstRejected(units, merges, score, expected - 1e-4, 1), 3);
  assert.equal(firstRejected(units, merges, score, expected + 1e-4, 1), 2);
});

test('the groups that were given stay as they were, and a higher threshold never keeps more merges', () => {
  const list = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      list,
      fc.double({ min: -3, max: 3, noNaN: true }),
      fc.integer({ min: 0, max: 4 }),
      (angles, threshold, minWeight) => {
        const units = unitsAt(angles);
        const before = { sums: units.sums.slice(), weights: units.weights.slice() };
        const merges = cluster(units, 'average');
        const score = { average: 1, centroid: -0.5 };
        const kept = firstRejected(units, merges, score, threshold, minWeight);
        assert.ok(firstRejected(units, merges, score, threshold + 0.5, minWeight) <= kept);
        assert.ok(kept <= merges.length);
        assert.deepEqual(units.sums, before.sums);
        assert.deepEqual(units.weights, before.weights);
      },
    ),
  );
});
