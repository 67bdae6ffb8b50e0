import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findEps } from '../../../../actors/faces/clustering/clustering.ts';
import { Dbscan } from '../../../../actors/faces/clustering/dbscan.ts';
import { Entries } from '../../../../actors/faces/clustering/entries.ts';
import { Product } from '../../../../actors/faces/clustering/product.ts';
import { usualEps } from '../../../../actors/models/face-distance.ts';
import { createLog } from '../../../../runtime/log.ts';
import { sampled } from '../../../shared.ts';
import { type Crowd, crowd } from './people.ts';

let product: Product;
before(async () => {
  product = await Product.open({ threads: 1, log: createLog('test', () => {}) });
});
after(() => product.close());

async function epsOf(
  vectors: Float32Array,
  dimensions: number,
  { tileRows = 512, own = usualEps }: { tileRows?: number; own?: number } = {},
): Promise<number> {
  const entries = new Entries(dimensions, tileRows);
  entries.add(vectors, new Uint8Array(vectors.length / dimensions));
  const work = findEps(entries.strong, product, own);
  let turn = await work.next();
  for (let known = 0; !turn.done; turn = await work.next()) {
    assert.ok(turn.value >= known && turn.value <= 1, 'the fraction rises');
    known = turn.value;
  }
  return turn.value;
}

/** How well pairs of faces that share a cluster are those that share a person: 2·both/(one + other). */
async function pairScore(made: Crowd, eps: number): Promise<number> {
  const { vectors, who } = crowd(made);
  const entries = new Entries(made.dimensions);
  entries.add(vectors, new Uint8Array(who.length));
  const work = new Dbscan(entries, product, { eps, minSamples: 3, before: null }).run();
  let turn = await work.next();
  for (let step = 0; !turn.done && step < 1000; step++) turn = await work.next();
  const labels = turn.done ? turn.value.labels : new Int32Array(0);
  let [together, same, both] = [0, 0, 0];
  for (const [i, person] of who.entries()) {
    for (let j = 0; j < i; j++) {
      const isTogether = labels[i]! >= 0 && labels[i] === labels[j];
      if (isTogether) together += 1;
      if (who[j] === person) same += 1;
      if (isTogether && who[j] === person) both += 1;
    }
  }
  return (2 * both) / (together + same);
}

const people = [120, 60, 45, 30, 20, 12, 9, 8, 7, 6, 5, 5, 4, 4, 4, 3, 3, 3];

test('people as tight or as loose as embedders make them are told apart, with many strangers or few', async () => {
  const crowds = [128, 512].flatMap((dimensions) =>
    [0.8, 0.65, 0.5].flatMap((same) =>
      [20, 500].map((loners): Crowd => ({ dimensions, people, loners, same, seed: 3 })),
    ),
  );
  for (const made of sampled(crowds, 5)) {
    const eps = await epsOf(crowd(made).vectors, made.dimensions);
    const score = await pairScore(made, eps);
    const { dimensions, same, loners } = made;
    const what = `${dimensions} dimensions, cosine ${same}, ${loners} strangers`;
    assert.ok(score > 0.97, `${what}: ${eps}, ${score}`);
  }
});

test('one person, strangers alone and a few faces have no structure: the default is taken', async () => {
  const crowds: Crowd[] = [
    { dimensions: 128, people: [400], same: 0.6, seed: 1 },
    { dimensions: 512, people: [60], same: 0.7, seed: 2 },
    { dimensions: 512, people: [], loners: 400, same: 0.6, seed: 3 },
    { dimensions: 128, people: [], loners: 900, same: 0.6, seed: 4 },
    { dimensions: 128, people: [6, 6, 6], same: 0.6, seed: 5 },
    { dimensions: 128, people: [1], same: 0.6, seed: 6 },
  ];
  for (const made of crowds) assert.equal(await epsOf(crowd(made).vectors, made.dimensions), usualEps);
  assert.equal(await epsOf(new Float32Array(0), 128), usualEps, 'nobody');
  assert.equal(await epsOf(new Float32Array(300 * 64).fill(0.125), 64), usualEps, 'the same picture');
});

test('what is found is never below 0.2 and never above 0.8', async () => {
  const tight = crowd({ dimensions: 16, people, same: 0.999, seed: 1 });
  const [low, high] = [await epsOf(tight.vectors, 16), await epsOf(opposites(), 64)];
  assert.equal(low, 0.2);
  assert.equal(high, 0.8);
});

test('for a model of shorter distances the bounds and what is taken without structure are nearer', async () => {
  const own = 0.26;
  const tight = crowd({ dimensions: 16, people, same: 0.999, seed: 1 });
  assert.equal(await epsOf(tight.vectors, 16, { own }), 0.11);
  assert.equal(await epsOf(opposites(), 64, { own }), 0.43);
  assert.equal(await epsOf(new Float32Array(0), 128, { own }), own);
});

/** Two groups in opposite directions, each of vectors at right angles. */
function opposites(): Float32Array {
  const vectors = new Float32Array(60 * 64);
  for (let i = 0; i < 60; i++) {
    vectors[i * 64 + 2 + i] = 1;
    vectors[i * 64] = i % 2 === 0 ? 1 : -1;
  }
  return vectors;
}

test('neither the order of the faces nor the shape of the blocks changes what is found', async () => {
  const { vectors } = crowd({ dimensions: 96, people, loners: 400, same: 0.6, seed: 8 });
  const backwards = new Float32Array(vectors.length);
  const count = vectors.length / 96;
  for (let i = 0; i < count; i++) backwards.set(vectors.subarray(i * 96, (i + 1) * 96), (count - 1 - i) * 96);
  const answers = [
    await epsOf(vectors, 96),
    await epsOf(vectors, 96, { tileRows: 33 }),
    await epsOf(vectors, 96, { tileRows: 700 }),
    await epsOf(backwards, 96),
  ];
  assert.equal(new Set(answers).size, 1, answers.join(' '));
  assert.notEqual(answers[0], usualEps);
});
