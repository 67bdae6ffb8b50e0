import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { Canvas, Dice } from '../actors/models/starter/drawings/canvas.ts';
import { type Drawn, drawSet } from '../actors/models/starter/drawings/set.ts';
import { anyShape, colour } from '../actors/models/starter/drawings/things.ts';
import { area, dot, openStarter, type Starter } from '../actors/models/starter/starter-model.ts';

const SIDE = 224;
/** Every which picture of the set is changed. */
const STEP = 3;
const raw = { width: SIDE, height: SIDE, channels: 3 as const };
const scenes = [
  'sky over land',
  'overcast',
  'sea',
  'forest',
  'grass',
  'snow',
  'beach',
  'desert',
  'night',
  'sunset',
  'fire',
  'face',
  'document',
  'fog',
  'street',
];

let starter: Starter;
let set: Drawn[];
let vectors: Float32Array[];

before(async () => {
  starter = await openStarter();
  set = [...drawSet(1, 70_000), ...drawSet(1, 70_500, scenes)];
  vectors = await starter.pictures(set.map(({ pixels }) => pixels));
});
after(() => starter.close());

type Change = (pixels: Uint8Array) => Promise<Uint8Array>;
const back = async (picture: Sharp) =>
  new Uint8Array(await picture.resize(SIDE, SIDE, { fit: 'fill' }).removeAlpha().raw().toBuffer());
const through =
  (encode: (picture: Sharp) => Sharp): Change =>
  async (pixels) =>
    back(sharp(await encode(sharp(pixels, { raw })).toBuffer()));
const crop =
  (left: number, top: number, side: number): Change =>
  (pixels) =>
    back(sharp(pixels, { raw }).extract({ left, top, width: side, height: side }));
const levels =
  (factor: number, offset: number): Change =>
  async (pixels) =>
    pixels.map((value) => Math.min(255, Math.max(0, value * factor + offset)));

const changes: Readonly<Record<string, { readonly change: Change; readonly bar: number }>> = {
  'saved as JPEG of quality 30': { change: through((picture) => picture.jpeg({ quality: 30 })), bar: 0.97 },
  'saved as WebP of quality 40': { change: through((picture) => picture.webp({ quality: 40 })), bar: 0.97 },
  'at half the size': { change: through((picture) => picture.resize(112).jpeg({ quality: 95 })), bar: 0.97 },
  'a fifth brighter': { change: levels(1.2, 0), bar: 0.95 },
  'a quarter darker': { change: levels(0.75, 0), bar: 0.95 },
  'with less contrast': { change: levels(0.8, 25), bar: 0.95 },
  'cropped by 7 % off the middle': { change: crop(4, 10, 208), bar: 0.95 },
};

for (const [name, { change, bar }] of Object.entries(changes)) {
  test(`a picture ${name} finds its original first in a mixed set`, async () => {
    const every = set.filter((_, i) => i % STEP === 0);
    const changed = await starter.pictures(await Promise.all(every.map(({ pixels }) => change(pixels))));
    const found = changed.filter((vector, i) => {
      const scores = vectors.map((other) => dot(vector, other));
      return scores.indexOf(Math.max(...scores)) === i * STEP;
    });
    const recall = found.length / changed.length;
    assert.ok(recall >= bar, `recall ${recall.toFixed(3)}, bar ${bar}`);
  });
}

test('the mirror picture is among the first three', async () => {
  const every = set.filter((_, i) => i % STEP === 0);
  const mirrored = await starter.pictures(
    await Promise.all(every.map(({ pixels }) => back(sharp(pixels, { raw }).flop()))),
  );
  const found = mirrored.filter((vector, i) => {
    const own = dot(vector, vectors[i * STEP]!);
    return vectors.filter((other) => dot(vector, other) > own).length < 3;
  });
  assert.ok(found.length / mirrored.length >= 0.7, `${found.length} of ${mirrored.length}`);
});

test('two pictures of one kind of scene are more alike than pictures of two kinds', () => {
  const seen = set
    .map(({ kind }, i) => ({ kind, vector: vectors[i]! }))
    .filter(({ kind }) => scenes.includes(kind));
  const pairs = seen.flatMap((a, i) =>
    seen.slice(i + 1).map((b) => ({ same: a.kind === b.kind, score: dot(a.vector, b.vector) })),
  );
  const scores = (same: boolean) => pairs.filter((pair) => pair.same === same).map(({ score }) => score);
  const reached = area(scores(true), scores(false));
  assert.ok(reached >= 0.95, reached.toFixed(3));
});

const palettes = [
  ['red', 'white', 'black'],
  ['orange', 'brown', 'beige'],
  ['blue', 'white', 'grey'],
  ['green', 'brown', 'light green'],
  ['purple', 'pink', 'black'],
  ['yellow', 'blue', 'light blue'],
  ['dark red', 'beige', 'black'],
];

test('pictures of one palette are more alike than pictures of two, however the colours lie', async () => {
  const drawn = palettes.flatMap((names, palette) =>
    [1, 2, 3].map((seed) => {
      const canvas = new Canvas(new Dice(seed * 100 + palette));
      canvas.paint(colour(canvas, names[seed % 3]!));
      for (let i = 0; i < 12; i++) canvas.paint(colour(canvas, names[i % 3]!), anyShape(canvas, 0.08, 0.25));
      return { palette, pixels: canvas.sensor(0.01).bytes() };
    }),
  );
  const seen = await starter.pictures(drawn.map(({ pixels }) => pixels));
  const pairs = drawn.flatMap(({ palette }, i) =>
    drawn
      .slice(i + 1)
      .map((other, j) => ({ same: palette === other.palette, score: dot(seen[i]!, seen[i + 1 + j]!) })),
  );
  const scores = (same: boolean) => pairs.filter((pair) => pair.same === same).map(({ score }) => score);
  const reached = area(scores(true), scores(false));
  assert.ok(reached >= 0.9, reached.toFixed(3));
});
