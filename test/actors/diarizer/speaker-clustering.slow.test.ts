import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { renumbered } from '../../../actors/diarizer/clustering.ts';
import {
  type ClusteringOptions,
  clusterSpeakers,
  type Embeddings,
} from '../../../actors/diarizer/speaker-clustering.ts';
import { seeded } from '../../../bench/diarization/random.ts';
import { D, embeddingsOf, pldaOf, talk } from './embeddings.ts';
import { resultOf } from './generator-result.ts';

const labelsOf = (steps: ReturnType<typeof clusterSpeakers>) => resultOf(steps).labels;

const plda: ClusteringOptions = {
  linkage: { plda: pldaOf(0.6), news: 0.5, saturation: 0.2, score: { average: 0, centroid: 0 } },
  similarity: 0,
  minSeconds: 2,
  minShare: 0.06,
};
const cosine: ClusteringOptions = { linkage: 'average', similarity: 0.3, minSeconds: 2, minShare: 0.15 };

for (const [name, clustering] of Object.entries({ plda, cosine })) {
  test(`${name}: speakers that lie apart are counted and told apart`, () => {
    for (const turns of [[0], [0, 1, 0, 1], [0, 1, 2, 0, 2, 1], [3, 1, 2, 0, 2, 1, 3, 0]]) {
      const speakers = talk(turns);
      const labels = labelsOf(clusterSpeakers(embeddingsOf(speakers, 0.75, 7), 'auto', clustering));
      assert.deepEqual(labels, renumbered(Int32Array.from(speakers)));
    }
  });

  test(`${name}: a count that is asked for is what comes out`, () => {
    const embeddings = embeddingsOf(talk([0, 1, 2, 0, 1, 2, 3, 3, 0, 1]), 0.7, 3);
    for (const count of [1, 2, 3, 4] as const) {
      const labels = labelsOf(clusterSpeakers(embeddings, count, clustering));
      assert.equal(new Set(labels).size, count);
    }
    const many = new Set(labelsOf(clusterSpeakers(embeddings, '5+', clustering))).size;
    assert.ok(many >= 5 && many <= 12, `${many}`);
  });

  test(`${name}: embeddings of zeros have no speaker`, () => {
    const embeddings = embeddingsOf(talk([0, 1]), 0.8, 5);
    embeddings.vectors.fill(0, 0, 2 * D);
    const labels = labelsOf(clusterSpeakers(embeddings, 'auto', clustering));
    assert.deepEqual([...labels.subarray(0, 2)], [-1, -1]);
    assert.equal(new Set(labels.subarray(2)).size, 2);
    embeddings.vectors.fill(0);
    assert.deepEqual(new Set(labelsOf(clusterSpeakers(embeddings, 3, clustering))), new Set([-1]));
  });

  test(`${name}: a single odd embedding is no speaker, unless so many speakers were asked for`, () => {
    const speakers = [...talk([0, 1, 0, 1, 0, 1, 0, 1]), 2];
    const embeddings = embeddingsOf(speakers, 0.75, 11);
    assert.equal(new Set(labelsOf(clusterSpeakers(embeddings, 'auto', clustering))).size, 2);
    assert.equal(new Set(labelsOf(clusterSpeakers(embeddings, 3, clustering))).size, 3);
  });

  test(`${name}: thousands of embeddings are clustered as well as few`, () => {
    const random = seeded(2);
    const turns = Array.from({ length: 900 }, () => random.below(3));
    const speakers = talk(turns);
    const labels = labelsOf(clusterSpeakers(embeddingsOf(speakers, 0.7, 1), 'auto', clustering));
    assert.equal(new Set(labels).size, 3);
    const right = labels.filter((label, at) => label === renumbered(Int32Array.from(speakers))[at]).length;
    assert.ok(right / speakers.length > 0.98, `${right / speakers.length}`);
  });
}

for (const [name, clustering] of Object.entries({ plda, cosine })) {
  test(`${name}: exactly as many speakers as asked for, wherever there are so many embeddings`, () => {
    const turns = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        turns,
        fc.integer({ min: 1, max: 4 }),
        fc.integer(),
        fc.integer({ min: 1, max: 40 }),
        (list, count, seed, perRegion) => {
          const embeddings = embeddingsOf(list, 0.6, seed, perRegion);
          const found = new Set(labelsOf(clusterSpeakers(embeddings, count as 1, clustering)));
          assert.equal(found.size, Math.min(count, list.length));
        },
      ),
    );
  });
}

/** Of a speaker who sounds different in every second turn: a cosine of about 0.74 in a turn, 0.36 between. */
function changing(turns: number): Embeddings {
  const ways = talk(Array.from({ length: turns }, (_, at) => at % 2));
  const embeddings = embeddingsOf(ways, 0.6, 7);
  const { vectors } = embeddings;
  const shared = embeddingsOf([0], 1, 9).vectors;
  for (const at of ways.keys()) {
    const moved = vectors.subarray(at * D, (at + 1) * D);
    for (let i = 0; i < D; i++) moved[i]! += 0.75 * shared[i]!;
    const norm = Math.hypot(...moved);
    for (let i = 0; i < D; i++) moved[i]! /= norm;
  }
  return embeddings;
}

test('one who sounds in two ways counts as one where the cosines of the two are high', () => {
  const found = (average: number) => {
    const linkage = { plda: pldaOf(0.6), news: 0.5, saturation: 0.2, score: { average, centroid: 0 } };
    const options = { ...plda, linkage };
    return new Set(labelsOf(clusterSpeakers(changing(8), 'auto', options))).size;
  };
  assert.equal(found(0), 2);
  assert.equal(found(300), 1);
});

test('fewer embeddings than speakers: each is its own', () => {
  const labels = labelsOf(clusterSpeakers(embeddingsOf([0, 1], 0.7, 1), 4, plda));
  assert.equal(new Set(labels).size, 2);
});

test('hours of speech without a pause are clustered in linear time', () => {
  const speakers = Array.from({ length: 20_000 }, (_, at) => Math.floor(at / 3000) % 2);
  const labels = labelsOf(clusterSpeakers(embeddingsOf(speakers, 0.75, 3, speakers.length), 'auto', plda));
  const wrong = labels.filter((label, at) => label !== speakers[at]).length;
  assert.ok(wrong < 20, `${wrong}`);
});
