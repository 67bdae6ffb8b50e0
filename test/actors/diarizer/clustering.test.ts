import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  cluster,
  type Groups,
  type Linkage,
  labelsAfter,
  precluster,
  similarityOf,
  sumByLabel,
} from '../../../actors/diarizer/clustering.ts';
import { inPldaSpace, readPlda } from '../../../actors/diarizer/plda.ts';
import { firstRejected } from '../../../actors/diarizer/speaker-clustering.ts';
import { EngineError } from '../../../runtime/errors.ts';
import { D, embeddingsOf, talk } from './embeddings.ts';
import { resultOf } from './generator-result.ts';

/** The similarity of the first group of a list with the second. */
function similarityIn(groups: Groups, linkage: Linkage): number {
  const { termOf, of } = similarityOf(linkage);
  return of(groups, 0, termOf(groups, 0), groups, 1, termOf(groups, 1));
}

const pair = (one: readonly number[], other: readonly number[], weights = [1, 1]): Groups => ({
  sums: Float32Array.from([...one, ...other]),
  weights: Float32Array.from(weights),
  dimensions: one.length,
});

test('a group is most similar to itself and least to its opposite', () => {
  const plda = { between: new Float64Array([1, 2]), saturation: 0 };
  for (const linkage of ['average', 'centroid', plda] as const) {
    const like = (x: number, y: number) => similarityIn(pair([1, 0], [x, y]), linkage);
    assert.ok(like(1, 0) > like(0, 1));
    assert.ok(like(0, 1) > like(-1, 0));
  }
  assert.ok(Math.abs(similarityIn(pair([2, 0], [3, 0], [2, 3]), 'average') - 1) < 1e-12);
  assert.ok(Math.abs(similarityIn(pair([2, 0], [1.5, Math.sqrt(6.75)], [5, 5]), 'centroid') - 0.5) < 1e-6);
});

/**
 * Of values of one speaker, which vary by 1 around him, in one direction. By elimination in their covariance.
 */
function logDensity(values: readonly number[], between: number): number {
  const rows = values.map((value, at) => [...values.map((_, i) => between + (i === at ? 1 : 0)), value]);
  let sum = 0;
  rows.forEach((row, at) => {
    const pivot = row[at]!;
    sum -= 0.5 * (Math.log(2 * Math.PI * pivot) + row.at(-1)! ** 2 / pivot);
    for (const below of rows.slice(at + 1)) {
      const factor = below[at]! / pivot;
      for (let i = at; i < row.length; i++) below[i]! -= factor * row[i]!;
    }
  });
  return sum;
}

test('with a PLDA model the similarity is the ratio of the densities of one speaker and of two', () => {
  const value = fc.double({ min: -4, max: 4, noNaN: true });
  const list = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 5 });
  const variance = fc.double({ min: 0.01, max: 20, noNaN: true });
  fc.assert(
    fc.property(list, list, fc.tuple(variance, variance, variance), (one, other, variances) => {
      const sum = (points: typeof one) => [0, 1, 2].map((i) => points.reduce((all, at) => all + at[i]!, 0));
      const groups = pair(sum(one), sum(other), [one.length, other.length]);
      const similarity = similarityIn(groups, { between: Float64Array.from(variances), saturation: 0 });
      const expected = variances.reduce((total, between, i) => {
        const [a, b] = [one.map((at) => at[i]!), other.map((at) => at[i]!)];
        return total + logDensity([...a, ...b], between) - logDensity(a, between) - logDensity(b, between);
      }, 0);
      assert.ok(Math.abs(similarity - expected) < 1e-3, `${similarity} and ${expected}`);
    }),
  );
});

test('in hundreds of directions likelihoods stay finite, however long somebody speaks', () => {
  const between = new Float64Array(512).fill(30);
  const sums = new Array<number>(512).fill(1e6);
  assert.ok(Number.isFinite(similarityIn(pair(sums, sums, [1e6, 1e6]), { between, saturation: 0 })));
});

test('what saturates says no more however long it goes on', () => {
  const between = new Float64Array([2]);
  const at = (weight: number, saturation: number) =>
    similarityIn(pair([weight], [1.5 * weight], [weight, weight]), { between, saturation });
  assert.ok(at(10, 0) > 0 && at(1000, 0) < -50);
  assert.ok(Math.abs(at(1e4, 0.2) - at(1e6, 0.2)) < 0.01 && at(1e6, 0.2) > 0);
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

/** The file of a model of two dimensions. */
const bytesOf = (mean: number[], transform: number[], between: number[]) => {
  const values = [...mean, ...transform, ...between];
  const bytes = new Uint8Array(4 * values.length + 1);
  const view = new DataView(bytes.buffer, 1);
  values.forEach((value, at) => {
    view.setFloat32(4 * at, value, true);
  });
  return bytes.subarray(1);
};

const file = '/models/mine/plda.bin';
const failed = (message: RegExp) => (error: unknown) =>
  error instanceof EngineError &&
  error.code === 'MODEL_LOAD_FAILED' &&
  error.message.startsWith(`${file}: `) &&
  message.test(error.message);

test('a file is read wherever it lies in memory, without directions in which speakers do not differ', () => {
  const whole = readPlda(bytesOf([1, 2], [3, 4, 5, 6], [7, 8]), 2, file);
  assert.deepEqual([...whole.mean], [1, 2]);
  assert.deepEqual([...whole.transform], [3, 4, 5, 6]);
  assert.deepEqual([...whole.between], [7, 8]);
  const one = readPlda(bytesOf([1, 2], [3, 4, 5, 6], [0, 8]), 2, file);
  assert.deepEqual([...one.transform], [5, 6]);
  assert.deepEqual([...one.between], [8]);
});

test('a file of another size, or with values that say nothing, is named', () => {
  const good = bytesOf([0, 0], [1, 0, 0, 1], [1, 1]);
  assert.throws(() => readPlda(good, 3, file), failed(/has 32 bytes; .* of 3 dimensions has 60/));
  assert.throws(() => readPlda(good.subarray(4), 2, file), failed(/has 28 bytes/));
  assert.throws(() => readPlda(new Uint8Array(), 2, file), failed(/has 0 bytes/));
  const odd = bytesOf([0, Number.NaN], [1, 0, 0, 1], [1, 1]);
  assert.throws(() => readPlda(odd, 2, file), failed(/no finite number/));
  assert.throws(() => readPlda(bytesOf([0, 0], [1, 0, 0, 1], [0, -1]), 2, file), failed(/no direction/));
});

test('embeddings are moved, turned and scaled to the length that the model expects', () => {
  const model = readPlda(bytesOf([1, 0], [0, 2, 1, 0], [3, 1]), 2, file);
  const length = Math.sqrt(3 + 1 + 2);
  const moved = inPldaSpace(Float32Array.from([2, 0, 1, 5, 2, 0.5, 1, 0]), model);
  const expected = [0, length, length, 0, length / Math.SQRT2, length / Math.SQRT2, 0, 0];
  for (const [at, value] of moved.entries())
    assert.ok(Math.abs(value - expected[at]!) < 1e-6, `${at}: ${value}`);
});

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
    { into: 0, from: 1, similarity: 5 },
    { into: 2, from: 3, similarity: 4 },
    { into: 0, from: 2, similarity: -7 },
  ];
  assert.equal(firstRejected(units, merges, likelihoodAlone, 0, 1), 2);
  assert.equal(firstRejected(units, merges, likelihoodAlone, 4.5, 1), 1);
  assert.equal(firstRejected(units, merges, likelihoodAlone, -8, 1), 3);
});

test('a merge with a small group is never rejected, and what grew large is looked at', () => {
  const units = unitsAt([0, 0.5, 0.5, 0.5], [5, 1, 1, 1]);
  const merges = [
    { into: 0, from: 1, similarity: -50 },
    { into: 2, from: 3, similarity: -50 },
    { into: 0, from: 2, similarity: -50 },
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
    { into: 0, from: 1, similarity: 100 },
    { into: 2, from: 3, similarity: 100 },
    { into: 0, from: 2, similarity: 1 },
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
