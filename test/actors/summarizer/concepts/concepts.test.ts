import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  backgroundSteps,
  conceptVectors,
  groups,
  leastPictures,
  lexicon,
  standingOut,
  type VectorRows,
} from '../../../../actors/summarizer/concepts/concepts.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';
import { seeded } from '../../../seeded.ts';
import { blend, direction } from '../outline/composed.ts';

const backgroundOf = (...request: Parameters<typeof backgroundSteps>) => atOnce(backgroundSteps(...request));

const dimensions = 128;
const random = seeded(21);
const common = direction(dimensions, random);
const texts = Array.from({ length: 400 }, () => direction(dimensions, random));

function rows(all: readonly Float64Array[]): VectorRows {
  const vectors = new Float32Array(all.length * dimensions);
  for (const [i, vector] of all.entries()) vectors.set(vector, i * dimensions);
  return { vectors, dimensions };
}
/** A picture: what all share, what it shows, and chance. */
const picture = (shows: Float64Array | null, share = 0.25) =>
  blend([
    [common, 0.3],
    [shows ?? common, shows ? share : 0],
    [direction(dimensions, random), 0.7 - (shows ? share : 0)],
  ]);
const concepts = rows(texts);
const library = rows(Array.from({ length: 1500 }, (_, i) => picture(i % 3 === 0 ? texts[i % 400]! : null)));
const background = backgroundOf(concepts, library);
const free = texts.map(() => null);
const range = (shows: Float64Array | null, share?: number) =>
  rows(Array.from({ length: 12 }, () => picture(shows, share)));

test('what a range shows stands out, with the frame that shows it', () => {
  for (const concept of [0, 17, 399]) {
    const [first, ...others] = standingOut(concepts, range(texts[concept]!), background, free);
    assert.equal(first!.concept, concept);
    assert.ok(first!.frame >= 0 && first!.frame < 12 && first!.strength > 3.4);
    assert.ok(others.length <= 1, `${others.length} others`);
  }
});

test('of ranges that show nothing, nothing is said', () => {
  let said = 0;
  for (let i = 0; i < 40; i++) said += standingOut(concepts, range(null), background, free).length;
  assert.equal(said, 0);
});

test('a text that is near to every picture does not stand out', () => {
  const near = rows([common, ...texts.slice(1)]);
  const found = standingOut(near, range(texts[9]!), backgroundOf(near, library), free);
  assert.deepEqual(
    found.map(({ concept }) => concept),
    [9],
  );
});

test('of concepts that exclude each other the better is named, and none where both are as good', () => {
  const both = rows(Array.from({ length: 12 }, (_, i) => picture(texts[i % 2]!, 0.45)));
  const named = (groups: (string | null)[], frames: VectorRows) =>
    standingOut(concepts, frames, background, groups).map(({ concept }) => concept);
  assert.deepEqual(named(free, both).sort(), [0, 1]);
  const group = texts.map((_, i) => (i < 2 ? 'size' : null));
  const apart = named(group, both);
  assert.ok(apart.length <= 1, `${apart}`);
  assert.deepEqual(named(group, range(texts[1]!)), [1]);
});

test('a small library, equal pictures and no frames give no ground to say anything', () => {
  const few = rows(Array.from({ length: leastPictures - 1 }, () => picture(null)));
  assert.deepEqual(standingOut(concepts, range(texts[3]!), backgroundOf(concepts, few), free), []);
  const one = picture(null);
  const equal = rows(Array.from({ length: 200 }, () => one));
  assert.deepEqual(standingOut(concepts, range(texts[3]!), backgroundOf(concepts, equal), free), []);
  assert.deepEqual(standingOut(concepts, rows([]), background, free), []);
});

test('a concept is the mean of its phrases; one that a model does not understand is near to nothing', () => {
  const nothing = new Float64Array(dimensions);
  const made = conceptVectors(rows([texts[0]!, texts[1]!, nothing, texts[2]!]), [2, 1, 1]);
  const part = (i: number) => made.vectors.subarray(i * dimensions, (i + 1) * dimensions);
  assert.ok(Math.abs(Math.hypot(...part(0)) - 1) < 1e-6 && Math.hypot(...part(1)) === 0);
  assert.deepEqual(part(2), Float32Array.from(texts[2]!));
  const found = standingOut(made, range(texts[2]!), backgroundOf(made, library), [null, null, null]);
  assert.ok(found.every(({ concept }) => concept !== 1));
});

test('a trace of what most pictures have nothing of does not stand out, all of it does', () => {
  const [shown, other] = [Float64Array.of(1, 0), Float64Array.of(0, 1)];
  const mix = (share: number) => Float32Array.of(share, Math.sqrt(1 - share * share));
  const flat = (all: readonly (Float32Array | Float64Array)[]) =>
    Float32Array.from(all.flatMap((own) => [...own]));
  const pictures = flat(Array.from({ length: 300 }, (_, i) => (i % 10 === 0 ? shown : other)));
  const one = { vectors: Float32Array.from(shown), dimensions: 2 };
  const usual = backgroundOf(one, { vectors: pictures, dimensions: 2 });
  const named = (share: number) =>
    standingOut(one, { vectors: mix(share), dimensions: 2 }, usual, [null]).length;
  assert.deepEqual([named(0.05), named(1)], [0, 1]);
});

test('of concepts that are one to the model only one is named', () => {
  const twice = rows([...texts, texts[5]!]);
  const found = standingOut(twice, range(texts[5]!), backgroundOf(twice, library), [...free, null]);
  assert.deepEqual(
    found.map(({ concept }) => concept),
    [5],
  );
});

test('there are some 400 concepts, each once, with phrases that name it', () => {
  assert.ok(lexicon.length >= 380 && lexicon.length <= 480, `${lexicon.length}`);
  assert.equal(new Set(lexicon.map(({ name }) => name)).size, lexicon.length);
  for (const { name, phrases } of lexicon) {
    assert.match(name, /^[a-zé -]+$/);
    assert.ok(
      phrases.length >= 2 && phrases.every((phrase) => phrase.includes(name) && !phrase.includes('*')),
    );
    assert.equal(new Set(phrases).size, phrases.length);
  }
});

test('only sizes of shots and times of day exclude each other', () => {
  const excluding = Object.entries(groups).flatMap(([name, { excludes }]) => (excludes ? [name] : []));
  assert.deepEqual(excluding, ['shot_size', 'time_of_day']);
});
