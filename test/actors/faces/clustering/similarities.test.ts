import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Entries } from '../../../../actors/faces/clustering/entries.ts';
import { similarities } from '../../../../actors/faces/clustering/handlers.ts';
import { Product } from '../../../../actors/faces/clustering/product.ts';
import { createLog } from '../../../../runtime/log.ts';
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
