import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Cores } from '../../../../actors/faces/clustering/cores.ts';
import { Nearest } from '../../../../actors/faces/clustering/dbscan.ts';
import { Entries } from '../../../../actors/faces/clustering/entries.ts';
import { similarities } from '../../../../actors/faces/clustering/handlers.ts';
import { kernelOver, Product } from '../../../../actors/faces/clustering/product.ts';
import { createLog } from '../../../../runtime/log.ts';
import { seeded } from '../../../seeded.ts';
import { crowd, unit } from './people.ts';

let product: Product;
before(async () => {
  product = await Product.open({ threads: 1, log: createLog('test', () => {}) });
});
after(() => product.close());

test('a reference is as similar to a group as to the three entries most like it, on average', async () => {
  const { vectors, who } = crowd({ dimensions: 16, people: [40, 9, 2, 1], loners: 20, same: 0.7, seed: 2 });
  const references = crowd({ dimensions: 16, people: [300], same: 0.1, seed: 3 }).vectors;
  const entries = new Entries(16, 20);
  entries.add(
    vectors,
    Uint8Array.from(who, (_, i) => (i % 3 === 0 ? 1 : 0)),
  );
  const groups = Int32Array.from(who, (person) => (person < 4 ? person : -1));
  const found = await similarities(entries, product, groups, references);
  assert.equal(found.groups, 4);
  assert.equal(found.similarities.length, 300 * 4);
  for (let i = 0; i < 300; i++) {
    const reference = references.subarray(i * 16, (i + 1) * 16);
    for (let group = 0; group < 4; group++) {
      const cosines = who
        .flatMap((_, j) => (groups[j] === group ? [j] : []))
        .map((j) => reference.reduce((sum, value, k) => sum + value * vectors[j * 16 + k]!, 0))
        .sort((a, b) => b - a)
        .slice(0, 3);
      const expected = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
      assert.ok(
        Math.abs(found.similarities[i * 4 + group]! - expected) < 1e-5,
        `reference ${i}, group ${group}`,
      );
    }
  }
});

test('a group without entries is like nothing, and without groups or references there is nothing to tell', async () => {
  const entries = new Entries(2);
  entries.add(Float32Array.of(1, 0, 0, 1), Uint8Array.of(0, 0));
  const told = await similarities(entries, product, Int32Array.of(2, -1), unit(Float32Array.of(1, 0)));
  assert.deepEqual(told, { groups: 3, similarities: Float32Array.of(-1, -1, 1) });
  const none = { groups: 0, similarities: new Float32Array(0) };
  assert.deepEqual(await similarities(entries, product, Int32Array.of(-1, -1), Float32Array.of(1, 0)), none);
  const nobody = await similarities(entries, product, Int32Array.of(0, 0), new Float32Array(0));
  assert.deepEqual(nobody, { groups: 1, similarities: new Float32Array(0) });
});

test('references and groups that do not fit are refused by name', async () => {
  const entries = new Entries(2);
  entries.add(Float32Array.of(1, 0, 0, 1), Uint8Array.of(0, 1));
  const refused = (groups: number[], references: number[], message: RegExp) =>
    assert.rejects(similarities(entries, product, Int32Array.from(groups), Float32Array.from(references)), {
      code: 'INVALID_MESSAGE',
      message,
    });
  await refused([0], [1, 0], /groups: 1 are not one for each of 2 entries/);
  await refused([0, 0], [1, 0, 1], /references: 3 numbers are no vectors of 2/);
  await refused([0, 0], [1, 0, Number.NaN, 1], /references: vector 1 is not a number/);
});

test('whatever the order of the pairs, all cores that are neighbours are joined', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = seeded(seed);
    const count = 30;
    const pairs: [number, number][] = [];
    for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) if (random() < 0.08) pairs.push([i, j]);
    const order = pairs.map((pair) => [random(), pair] as const).sort((a, b) => a[0] - b[0]);
    const cores = new Cores(new Int32Array(count).fill(1), 4);
    for (const [, [i, j]] of order) cores.meet(i, j);
    const degrees = new Int32Array(count).fill(1);
    for (const pair of pairs) for (const i of pair) degrees[i]! += 1;
    assert.deepEqual(cores.counts, degrees);
    assert.deepEqual(
      [...cores.isCore],
      [...degrees].map((degree) => (degree >= 4 ? 1 : 0)),
    );
    for (const [i, j] of pairs) {
      if (cores.isCore[i] && cores.isCore[j]) assert.equal(cores.groups.find(i), cores.groups.find(j));
    }
    for (const i of degrees.keys()) {
      const known = pairs.flatMap(([a, b]) => (a === i ? [b] : b === i ? [a] : []));
      const kept = cores.pending.of(i).sort((a, b) => a - b);
      assert.deepEqual(kept, cores.isCore[i] ? [] : known.sort((a, b) => a - b));
    }
  }
});

test('a million pairs of the same face are kept in memory for a few neighbours of each', () => {
  const count = 1500;
  const cores = new Cores(new Int32Array(count).fill(1), 5);
  for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) cores.meet(i, j);
  assert.ok(cores.counts.every((neighbours) => neighbours === count));
  assert.ok(cores.pending.size <= count * 4, `${cores.pending.size} places`);
});

test('the nearest core is that of the exact cosines, in whatever order cores are offered and however they were rounded', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = seeded(seed);
    const error = 0.01;
    // Many equal ones, and many within the error of each other.
    const cosines = Array.from(
      { length: 20 },
      () => Math.round(random() * 40) / 40 + (random() < 0.5 ? 0.004 : 0),
    );
    const nearest = new Nearest(1, error, (_, core) => cosines[core]!);
    const order = [...cosines.keys()].sort(() => random() - 0.5);
    for (const core of order) nearest.offer(0, core, cosines[core]! + (random() * 2 - 1) * error);
    assert.equal(nearest.core[0], cosines.indexOf(Math.max(...cosines)), `seed ${seed}`);
  }
});

test('every value that reaches the bar is found, in order, for any number of values and at any place', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const kernel = kernelOver(memory);
  const values = new Float32Array(memory.buffer, 0, 300);
  const found = new Int32Array(memory.buffer, 4096, 300);
  const random = seeded(3);
  for (const share of [0, 0.02, 0.5, 1]) {
    for (let count = 0; count <= 200; count += 7) {
      const first = Math.floor(random() * 40);
      values.forEach((_, i) => {
        values[i] = random() < share ? 0.5 + random() / 2 : random() * 0.49;
      });
      values[first] = 0.5;
      const expected = [...values.subarray(first, first + count).keys()].filter(
        (i) => values[first + i]! >= 0.5,
      );
      const number = kernel.reaching(first * 4, count, 0.5, found.byteOffset);
      assert.deepEqual([...found.subarray(0, number)], expected, `${count} values from ${first}`);
    }
  }
});
