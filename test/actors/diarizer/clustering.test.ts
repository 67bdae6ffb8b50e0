import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  cluster,
  labelsAfter,
  precluster,
  similarityOf,
  sumByLabel,
} from '../../../actors/diarizer/clustering.ts';
import { D, embeddingsOf, talk } from './embeddings.ts';
import { resultOf } from './generator-result.ts';

test('a group is most similar to itself and least to its opposite', () => {
  for (const linkage of ['average', 'centroid', { same: 0.5, freedom: 10 }] as const) {
    const like = similarityOf(linkage);
    assert.ok(like(1, 1, 1, 1, 1) > like(0, 1, 1, 1, 1));
    assert.ok(like(0, 1, 1, 1, 1) > like(-1, 1, 1, 1, 1));
  }
  assert.ok(Math.abs(similarityOf('average')(6, 4, 9, 2, 3) - 1) < 1e-12);
  assert.ok(Math.abs(similarityOf('centroid')(3, 4, 9, 5, 5) - 0.5) < 1e-12);
});

const lists = fc.array(
  fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
  { minLength: 1, maxLength: 14 },
);

test('n groups have n-1 merges, and cutting after any of them leaves the groups not merged yet', () => {
  fc.assert(
    fc.property(lists, fc.constantFrom('average', 'centroid'), (points, linkage) => {
      const sums = Float32Array.from(points.flat());
      const weights = new Float32Array(points.length).fill(1);
      const groups = { sums, weights, dimensions: 2 };
      const merges = cluster(groups, linkage as 'average');
      assert.equal(merges.length, points.length - 1);
      for (let steps = 0; steps <= merges.length; steps++) {
        const labels = labelsAfter(points.length, merges.slice(0, steps));
        assert.equal(new Set(labels).size, points.length - steps);
        const total = sumByLabel(groups, labels).weights.reduce((sum, one) => sum + one, 0);
        assert.equal(total, points.length);
      }
    }),
  );
});

test('each merge is of the two most similar groups', () => {
  fc.assert(
    fc.property(lists, (points) => {
      const groups = {
        sums: Float32Array.from(points.flat()),
        weights: new Float32Array(points.length).fill(1),
        dimensions: 2,
      };
      const merges = cluster(groups, 'average');
      merges.forEach(({ similarity }, steps) => {
        const now = sumByLabel(groups, labelsAfter(points.length, merges.slice(0, steps)));
        let most = Number.NEGATIVE_INFINITY;
        for (let a = 0; a < now.weights.length; a++) {
          for (let b = a + 1; b < now.weights.length; b++) {
            const dot = now.sums[2 * a]! * now.sums[2 * b]! + now.sums[2 * a + 1]! * now.sums[2 * b + 1]!;
            most = Math.max(most, dot / (now.weights[a]! * now.weights[b]!));
          }
        }
        assert.ok(Math.abs(similarity - most) < 1e-4, `${similarity} and ${most}`);
      });
    }),
  );
});

test('preclustering brings a list down to the most groups allowed and keeps the order', () => {
  const embeddings = embeddingsOf(talk(Array.from({ length: 700 }, (_, at) => at % 5)), 0.8, 4);
  const weights = new Float32Array(2800).fill(1);
  const labels = resultOf(precluster({ sums: embeddings.vectors, weights, dimensions: D }, 'average', 500));
  const groups = new Set(labels).size;
  assert.ok(groups <= 500 && groups > 20, `${groups}`);
});
