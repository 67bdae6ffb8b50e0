import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  cluster,
  gather,
  labelsAfter,
  renumbered,
  similarityOf,
  summed,
} from '../../../actors/diarizer/clustering.ts';
import { type Clustering, decideVoices, type Windows } from '../../../actors/diarizer/decide.ts';
import { seeded } from '../../../bench/diarization/random.ts';
import { ended } from './ended.ts';

const D = 24;

/** Unit vectors around the voice of each window: cosines of one voice are about `same`. */
function windowsOf(voices: readonly number[], same: number, seed: number, perRegion = 4): Windows {
  const random = seeded(seed);
  const gauss = () => Math.sqrt(-2 * Math.log(random.between(1e-9, 1))) * Math.cos(random.between(0, 6.2832));
  const unit = (vector: number[]) => {
    const length = Math.hypot(...vector);
    return vector.map((x) => x / length);
  };
  const points = new Map<number, number[]>();
  const vectors = new Float32Array(voices.length * D);
  voices.forEach((voice, at) => {
    const point = points.get(voice) ?? unit(Array.from({ length: D }, gauss));
    points.set(voice, point);
    const noise = unit(Array.from({ length: D }, gauss));
    vectors.set(unit(point.map((x, i) => Math.sqrt(same) * x + Math.sqrt(1 - same) * noise[i]!)), at * D);
  });
  const regions = voices.map((_, at) => Math.floor(at / perRegion));
  return { vectors, seconds: new Float32Array(voices.length).fill(1.5), regions, dimensions: D, hop: 0.5 };
}

const model: Clustering = {
  linkage: { same: 0.6, freedom: D },
  similarity: 0,
  news: 0.5,
  least: 2,
  share: 0.15,
  alike: 0.4,
};
const cosine: Clustering = { linkage: 'average', similarity: 0.3, news: 1, least: 2, share: 0.15, alike: 1 };
const talk = (turns: readonly number[]) => turns.flatMap((voice) => new Array<number>(4).fill(voice));

for (const [name, clustering] of Object.entries({ model, cosine })) {
  test(`${name}: voices that lie apart are counted and told apart`, () => {
    for (const turns of [[0], [0, 1, 0, 1], [0, 1, 2, 0, 2, 1], [3, 1, 2, 0, 2, 1, 3, 0]]) {
      const voices = talk(turns);
      const labels = ended(decideVoices(windowsOf(voices, 0.75, 7), 'auto', clustering));
      assert.deepEqual(labels, renumbered(Int32Array.from(voices)));
    }
  });

  test(`${name}: a count that is asked for is what comes out`, () => {
    const windows = windowsOf(talk([0, 1, 2, 0, 1, 2, 3, 3, 0, 1]), 0.7, 3);
    for (const count of [1, 2, 3, 4] as const) {
      const labels = ended(decideVoices(windows, count, clustering));
      assert.equal(new Set(labels).size, count);
    }
    const many = new Set(ended(decideVoices(windows, '5+', clustering))).size;
    assert.ok(many >= 5 && many <= 12, `${many}`);
  });

  test(`${name}: windows that say nothing have no voice, and need none`, () => {
    const windows = windowsOf(talk([0, 1]), 0.8, 5);
    windows.vectors.fill(0, 0, 2 * D);
    const labels = ended(decideVoices(windows, 'auto', clustering));
    assert.deepEqual([...labels.subarray(0, 2)], [-1, -1]);
    assert.equal(new Set(labels.subarray(2)).size, 2);
    windows.vectors.fill(0);
    assert.deepEqual(new Set(ended(decideVoices(windows, 3, clustering))), new Set([-1]));
  });

  test(`${name}: a cough is nobody, unless so many voices were asked for`, () => {
    const voices = [...talk([0, 1, 0, 1, 0, 1, 0, 1]), 2];
    const windows = windowsOf(voices, 0.75, 11);
    assert.equal(new Set(ended(decideVoices(windows, 'auto', clustering))).size, 2);
    assert.equal(new Set(ended(decideVoices(windows, 3, clustering))).size, 3);
  });

  test(`${name}: thousands of windows are as right as few`, () => {
    const random = seeded(2);
    const turns = Array.from({ length: 900 }, () => random.below(3));
    const voices = talk(turns);
    const labels = ended(decideVoices(windowsOf(voices, 0.7, 1), 'auto', clustering));
    assert.equal(new Set(labels).size, 3);
    const right = labels.filter((label, at) => label === renumbered(Int32Array.from(voices))[at]).length;
    assert.ok(right / voices.length > 0.98, `${right / voices.length}`);
  });
}

test('fewer windows than voices: each is its own', () => {
  const labels = ended(decideVoices(windowsOf([0, 1], 0.7, 1), 4, model));
  assert.equal(new Set(labels).size, 2);
});

test('similarity: what a group is to itself, and what it is to its opposite', () => {
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

test('n groups have n-1 merges, and cutting them anywhere leaves what was not merged', () => {
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
        const total = summed(groups, labels).weights.reduce((sum, one) => sum + one, 0);
        assert.equal(total, points.length);
      }
    }),
  );
});

test('hours of speech without a pause are told apart in as many steps as they are long', () => {
  const voices = Array.from({ length: 20_000 }, (_, at) => Math.floor(at / 3000) % 2);
  const labels = ended(decideVoices(windowsOf(voices, 0.75, 3, voices.length), 'auto', model));
  const wrong = labels.filter((label, at) => label !== voices[at]).length;
  assert.ok(wrong < 20, `${wrong}`);
});

test('the next merge is always of the two groups that are most alike', () => {
  fc.assert(
    fc.property(lists, (points) => {
      const groups = {
        sums: Float32Array.from(points.flat()),
        weights: new Float32Array(points.length).fill(1),
        dimensions: 2,
      };
      const merges = cluster(groups, 'average');
      merges.forEach(({ similarity }, steps) => {
        const now = summed(groups, labelsAfter(points.length, merges.slice(0, steps)));
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

test('gathering brings a list down to what fits and keeps the order', () => {
  const windows = windowsOf(talk(Array.from({ length: 700 }, (_, at) => at % 5)), 0.8, 4);
  const weights = new Float32Array(2800).fill(1);
  const labels = ended(gather({ sums: windows.vectors, weights, dimensions: D }, 'average', 500));
  const groups = new Set(labels).size;
  assert.ok(groups <= 500 && groups > 20, `${groups}`);
});
