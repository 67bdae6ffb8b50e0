import assert from 'node:assert/strict';
import { test } from 'node:test';
import { starterFamily } from '../../../actors/embedder/actor.ts';
import { modelErrors } from '../../../actors/models/contract.ts';
import { dot, open, row } from '../models/starter/starter-model.ts';

const flat = (red: number, green: number, blue: number) =>
  Uint8Array.from({ length: 224 * 224 * 3 }, (_, i) => [red, green, blue][i % 3]!);

test('pictures and texts share one space, and unknown words are named once', async () => {
  const family = await starterFamily.open(row, () => assert.fail('it has no files'), open);
  const { dimensions } = family;
  const pictures = await family.pictures([flat(210, 20, 20), flat(20, 60, 220)]);
  const texts = await family.texts(['a red car', 'blue', 'car and zebra']);
  const at = (vectors: Float32Array, i: number) => vectors.subarray(i * dimensions, (i + 1) * dimensions);
  assert.equal(pictures.length, 2 * dimensions);
  assert.equal(texts.vectors.length, 3 * dimensions);
  const [red, blue] = [at(pictures, 0), at(pictures, 1)];
  assert.ok(dot(red, at(texts.vectors, 0)) > dot(blue, at(texts.vectors, 0)) + 0.05);
  assert.ok(dot(blue, at(texts.vectors, 1)) > dot(red, at(texts.vectors, 1)) + 0.05);
  assert.equal(dot(red, at(texts.vectors, 2)), 0);
  assert.deepEqual(texts.unknownWords, [['car'], [], ['car', 'zebra']]);
  assert.equal(family.runsOn.device, 'cpu');
  await family.close();
});

test('the vector of a mirrored picture is the same values in another order', async () => {
  const family = await starterFamily.open(row, () => '', open);
  const side = 224;
  // Bright and red on the left, with slanted edges.
  const pixel = (x: number, y: number) => [255 - x, (x + 2 * y) % 60 < 30 ? 200 : 20, y];
  const drawn = (at: (x: number) => number) =>
    Uint8Array.from(
      Array.from({ length: side * side }, (_, i) => pixel(at(i % side), Math.floor(i / side))).flat(),
    );
  const vectors = await family.pictures([drawn((x) => x), drawn((x) => side - 1 - x)]);
  const { dimensions, mirror } = family;
  const [plain, mirrored] = [vectors.subarray(0, dimensions), vectors.subarray(dimensions)];
  assert.deepEqual(
    [...mirror!].sort((a, b) => a - b),
    [...mirror!.keys()],
  );
  const ordered = plain.map((_, i) => plain[mirror![i]!]!);
  assert.ok(dot(ordered, mirrored) > 0.998, `${dot(ordered, mirrored)}`);
  assert.ok(dot(plain, mirrored) < 0.9, `${dot(plain, mirrored)}`);
  await family.close();
});

test('a vector stays what it was when the next batch runs', async () => {
  const family = await starterFamily.open(row, () => '', open);
  const first = await family.pictures([flat(10, 200, 10)]);
  const copy = first.slice();
  await family.pictures([flat(200, 10, 200)]);
  assert.deepEqual(first, copy);
  await family.close();
});

test('a picture of another size is refused', async () => {
  const family = await starterFamily.open(row, () => '', open);
  await assert.rejects(family.pictures([new Uint8Array(12)]), modelErrors.MODEL_RUN_FAILED.is);
  await family.close();
});

test('a row that asks for another size than the graph has is refused by its key', async () => {
  const other = { ...row, key: 'other', visual: { ...row.visual, dimensions: 256 } };
  await assert.rejects(
    starterFamily.open(other, () => '', open),
    /other: the starter graph/,
  );
});
