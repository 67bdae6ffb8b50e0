import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Dbscan } from '../../../../actors/faces/clustering/dbscan.ts';
import { type EarlierLabels, Entries } from '../../../../actors/faces/clustering/entries.ts';
import { Product } from '../../../../actors/faces/clustering/product.ts';
import type { ClusterLabels } from '../../../../actors/faces/contract.ts';
import { createLog } from '../../../../runtime/log.ts';
import { seeded } from '../../../seeded.ts';
import { sampled } from '../../../shared.ts';
import { crowd, naive, numbered } from './people.ts';

let product: Product;
before(async () => {
  product = await Product.open({ threads: 1, log: createLog('test', () => {}) });
});
after(() => product.close());

interface Asked {
  readonly dimensions: number;
  readonly eps: number;
  readonly minSamples: number;
  readonly weak?: Uint8Array;
  readonly before?: EarlierLabels | null;
  readonly tileRows?: number;
}

async function clustered(
  vectors: Float32Array,
  request: Asked,
): Promise<ClusterLabels & { decided: number }> {
  const { dimensions, eps, minSamples, before = null, tileRows = 64 } = request;
  const entries = new Entries(dimensions, tileRows);
  entries.add(vectors, request.weak ?? new Uint8Array(vectors.length / dimensions));
  const dbscan = new Dbscan(entries, product, { eps, minSamples, before });
  const work = dbscan.run();
  let turn = await work.next();
  for (let known = 0; !turn.done; turn = await work.next()) {
    assert.ok(dbscan.fraction <= 1 && dbscan.fraction >= 0, `${dbscan.fraction} after ${known}`);
    known = dbscan.fraction;
  }
  return { ...turn.value, decided: dbscan.decided };
}

/** What two clusterings of the same entries must agree in. */
const told = ({ labels, neighbours, clusters }: ClusterLabels) => ({
  labels: [...labels],
  neighbours: [...neighbours],
  clusters,
});

interface Case {
  readonly vectors: Float32Array;
  readonly weak: Uint8Array;
  readonly asked: Asked;
}

/** Small crowds of few dimensions, in which entries of every kind are frequent. */
function someCase(seed: number): Case {
  const random = seeded(seed);
  const dimensions = 2 + Math.floor(random() * 5);
  const people = Array.from({ length: 1 + Math.floor(random() * 5) }, () => Math.floor(random() * 25));
  const loners = Math.floor(random() * 25);
  const { vectors, who } = crowd({ dimensions, people, loners, same: 0.8 + 0.19 * random(), seed });
  const share = random() < 0.3 ? 0 : random() * 0.5;
  const weak = Uint8Array.from(who, () => (random() < share ? 1 + Math.floor(random() * 2) : 0));
  const eps = 0.01 + random() * 0.15;
  return { vectors, weak, asked: { dimensions, eps, minSamples: 1 + Math.floor(random() * 7), weak } };
}

const seeds = Array.from({ length: 120 }, (_, seed) => seed);

test('labels, counts and numbers are those of the definition, for entries of every kind', async () => {
  let [noise, borders, alone] = [0, 0, 0];
  for (const seed of seeds) {
    const { vectors, weak, asked } = someCase(seed);
    const expected = naive(vectors, asked);
    alone += weak.filter((one, i) => one === 2 && expected.labels[i]! < 0).length;
    assert.deepEqual(told(await clustered(vectors, asked)), told(expected), `seed ${seed}`);
    noise += expected.labels.filter((label) => label < 0).length;
    borders += expected.labels.filter(
      (label, i) => label >= 0 && expected.neighbours[i]! < asked.minSamples,
    ).length;
  }
  assert.ok(
    noise > 100 && borders > 100 && alone > 100,
    `${noise} noise, ${borders} borders, ${alone} alone`,
  );
});

test('what grew is what had been clustered at once, wherever it was cut', async () => {
  let [merged, joined] = [0, 0];
  for (const seed of seeds) {
    const { vectors, weak, asked } = someCase(seed);
    const { dimensions } = asked;
    const cut = Math.floor(seeded(seed + 1000)() * weak.length);
    const first = await clustered(vectors.subarray(0, cut * dimensions), {
      ...asked,
      weak: weak.subarray(0, cut),
    });
    // Numbers of an earlier clustering mean nothing.
    const labels = first.labels.map((label) => (label < 0 ? -1 : 1000 - 7 * label));
    const before = { labels, neighbours: first.neighbours };
    const grown = await clustered(vectors, { ...asked, before });
    assert.deepEqual(told(grown), told(naive(vectors, asked)), `seed ${seed}, cut at ${cut}`);
    const after = numbered(grown.labels.slice(0, cut));
    if (after.clusters < first.clusters) merged += 1;
    joined += first.labels.filter((label, i) => label < 0 && grown.labels[i]! >= 0).length;
  }
  assert.ok(merged > 5 && joined > 20, `${merged} merged, ${joined} were noise`);
});

test('many neighbours needed: pairs are visited twice, with the same labels', async () => {
  for (const seed of [1, 2, 3]) {
    const { vectors, who } = crowd({ dimensions: 4, people: [160, 90, 70], loners: 30, same: 0.97, seed });
    const weak = Uint8Array.from(who, (_, i) => (i % 7 === 0 ? 1 : 0));
    const request = { dimensions: 4, eps: 0.05, minSamples: 66, weak };
    const expected = naive(vectors, request);
    assert.ok(expected.clusters > 0);
    assert.deepEqual(told(await clustered(vectors, request)), told(expected));
    const cut = 170;
    const before = await clustered(vectors.subarray(0, cut * 4), { ...request, weak: weak.subarray(0, cut) });
    assert.deepEqual(told(await clustered(vectors, { ...request, before })), told(expected));
  }
});

test('the order of entries changes their numbers only', async () => {
  for (const seed of seeds.slice(0, 40)) {
    const { vectors, weak, asked } = someCase(seed);
    const { dimensions } = asked;
    const random = seeded(seed + 5000);
    const order = [...weak.keys()]
      .map((i) => [random(), i] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, i]) => i);
    const shuffled = new Float32Array(vectors.length);
    for (const [to, from] of order.entries()) {
      shuffled.set(vectors.subarray(from * dimensions, (from + 1) * dimensions), to * dimensions);
    }
    const moved = await clustered(shuffled, {
      ...asked,
      weak: Uint8Array.from(order, (from) => weak[from]!),
    });
    const back = new Int32Array(order.length);
    for (const [to, from] of order.entries()) back[from] = moved.labels[to]!;
    const straight = await clustered(vectors, asked);
    assert.deepEqual(numbered(back).labels, straight.labels, `seed ${seed}`);
  }
});

test('a border entry between two clusters joins the nearer one, or that of the lower of two equally near cores', async () => {
  const at = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const eps = 1 - Math.cos((10.5 * Math.PI) / 180);
  const request = { dimensions: 2, eps, minSamples: 4 };
  // Cores at 0 and 20; the entry in the middle has too few neighbours to join them.
  const cores = [-3, -2, -1, 0, 20, 21, 22, 23].map(at);
  const nearer = await clustered(Float32Array.from([...cores, at(10.3)].flat()), request);
  assert.deepEqual([...nearer.labels], [0, 0, 0, 0, 1, 1, 1, 1, 1]);
  // The mirrored vector has the same cosine to the last bit.
  const [x, y] = at(10) as [number, number];
  const mirrored = [0, 1, 2, 3].map(at).flatMap(([c, s]) => [
    [c! * x - s! * y, c! * y + s! * x],
    [c! * x - s! * y, -(c! * y + s! * x)],
  ]);
  const twins = mirrored.toSorted((a, b) => a[1]! - b[1]!);
  for (const vectors of [twins, twins.toReversed()]) {
    const { labels, clusters } = await clustered(Float32Array.from([...vectors, [1, 0]].flat()), request);
    assert.equal(clusters, 2);
    assert.equal(labels[8], 0, 'the cluster of the lowest position');
  }
});

test('pairs as far apart as eps are neighbours, whatever the shape of the blocks', async () => {
  // Cosines of exactly 1/2 and their neighbours in 32 bits, in a random orthogonal basis of 128 dimensions.
  const { vectors } = crowd({ dimensions: 128, people: [300], loners: 60, same: 0.5, seed: 5 });
  const rows = Array.from({ length: 360 }, (_, i) => vectors.subarray(i * 128, (i + 1) * 128));
  const exact = (i: number, j: number) => rows[i]!.reduce((sum, value, k) => sum + value * rows[j]![k]!, 0);
  const answers = new Set<string>();
  let decided = 0;
  for (const [pair, tile] of sampled([4, 7, 64, 100, 512], 2).flatMap((tile) =>
    [11, 57, 203].map((i) => [i, tile] as const),
  )) {
    // The bar lies on a pair of the data: 32 bits cannot tell on which side it is.
    const eps = 1 - exact(pair, pair + 1) - 1e-6;
    const request = { dimensions: 128, eps, minSamples: 3, tileRows: tile };
    const found = await clustered(vectors, request);
    const half = await clustered(vectors.subarray(0, 128 * 150), request);
    const grown = await clustered(vectors, { ...request, before: half });
    assert.deepEqual(told(grown), told(found));
    decided += found.decided;
    answers.add(JSON.stringify([pair, told(found)]));
  }
  assert.equal(answers.size, 3, 'one answer for each eps');
  assert.ok(decided > 0);
});
