import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { drawSet } from '../actors/models/starter/drawings/set.ts';
import { dot, openStarter, type Starter } from '../actors/models/starter/starter-model.ts';
import { sharedPath, skipWithout } from '../shared.ts';

const folder = sharedPath('media/images');
const files = { astronaut: 'astronaut.png', cat: 'chelsea.png', coffee: 'coffee.png', rocket: 'rocket.jpg' };
type Name = keyof typeof files;
const names = Object.keys(files) as Name[];
const skip = skipWithout('media/images');

const SIDE = 224;
const open = (name: Name) => sharp(join(folder, files[name])).removeAlpha().toColourspace('srgb');
const pixels = async (picture: Sharp) =>
  new Uint8Array(await picture.resize(SIDE, SIDE, { fit: 'fill' }).toColourspace('srgb').raw().toBuffer());

let starter: Starter;
let originals: Map<Name, Float32Array>;

before(async () => {
  if (skip) return;
  starter = await openStarter();
  const vectors = await starter.pictures(await Promise.all(names.map((name) => pixels(open(name)))));
  originals = new Map(names.map((name, i) => [name, vectors[i]!]));
});
after(() => starter?.close());

const orders: readonly (readonly [query: string, first: readonly Name[]])[] = [
  ['orange', ['coffee', 'astronaut']],
  ['red', ['coffee', 'astronaut']],
  ['brown', ['cat', 'coffee']],
  ['a brown wooden table', ['coffee', 'cat']],
  ['blue', ['rocket']],
  ['blue sky at night', ['rocket']],
  ['dark blue at the top', ['rocket']],
  ['dark', ['rocket']],
  ['night', ['rocket']],
  ['city lights', ['rocket']],
  ['cool', ['rocket']],
  ['warm colours', ['coffee']],
  ['fur with warm muted colours', ['cat']],
  ['white, black and orange', ['astronaut']],
  ['busy', ['astronaut']],
  ['vertical lines', ['rocket']],
  ['not blue', ['coffee', 'cat', 'astronaut']],
];

for (const [query, first] of orders) {
  test(`real pictures: "${query}" puts ${first.join(', ')} first`, { skip }, async () => {
    const asked = await starter.text(query);
    const ranked = names
      .map((name) => ({ name, score: dot(originals.get(name)!, asked) }))
      .toSorted((a, b) => b.score - a.score);
    const found = ranked.slice(0, first.length).map(({ name }) => name);
    assert.deepEqual(found.toSorted(), [...first].toSorted(), JSON.stringify(ranked));
  });
}

const changes: readonly (readonly [query: string, change: (picture: Sharp) => Sharp])[] = [
  ['black and white', (picture) => picture.grayscale()],
  [
    'sepia',
    (picture) =>
      picture.recomb([
        [0.39, 0.77, 0.19],
        [0.35, 0.69, 0.17],
        [0.27, 0.53, 0.13],
      ]),
  ],
  ['dark', (picture) => picture.linear(0.35, 0)],
  ['bright', (picture) => picture.linear(0.6, 110)],
  ['low contrast', (picture) => picture.linear(0.3, 90)],
  ['out of focus', (picture) => picture.resize(400, 400, { fit: 'fill' }).blur(7)],
  [
    'bluish',
    (picture) =>
      picture.recomb([
        [0.5, 0, 0],
        [0, 0.7, 0],
        [0.1, 0.1, 1.1],
      ]),
  ],
  [
    'warm',
    (picture) =>
      picture.recomb([
        [1.1, 0.1, 0],
        [0, 0.85, 0],
        [0, 0, 0.45],
      ]),
  ],
];

for (const [query, change] of changes) {
  test(`real pictures changed so score higher for "${query}" than before`, { skip }, async () => {
    const asked = await starter.text(query);
    const changed = await starter.pictures(
      await Promise.all(names.map(async (name) => pixels(sharp(await change(open(name)).png().toBuffer())))),
    );
    names.forEach((name, i) => {
      const [was, is] = [dot(originals.get(name)!, asked), dot(changed[i]!, asked)];
      assert.ok(is > was, `${name}: ${was.toFixed(3)}, then ${is.toFixed(3)}`);
    });
  });
}

test('real pictures: recompressed, brightened and cropped copies find their original among drawings', {
  skip,
}, async () => {
  const others = await starter.pictures(drawSet(1, 30_000).map((drawn) => drawn.pixels));
  for (const name of names) {
    const { width, height } = await open(name).metadata();
    const [w, h] = [Math.round(width * 0.9), Math.round(height * 0.9)];
    const copies = [
      sharp(await open(name).jpeg({ quality: 25 }).toBuffer()),
      open(name).linear(1.25, 0),
      open(name).extract({ left: width - w, top: 0, width: w, height: h }),
    ];
    for (const vector of await starter.pictures(await Promise.all(copies.map(pixels)))) {
      const own = dot(vector, originals.get(name)!);
      const rivals = [
        ...others,
        ...names.filter((other) => other !== name).map((other) => originals.get(other)!),
      ];
      assert.ok(own > 0.6, `${name} ${own.toFixed(3)}`);
      for (const rival of rivals) assert.ok(dot(vector, rival) < own, `${name} ${own.toFixed(3)}`);
    }
  }
});
