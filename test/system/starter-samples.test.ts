import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { Canvas } from '../../bench/samples/drawings/canvas.ts';
import type { Scene } from '../../bench/samples/drawings/scene.ts';
import { sampleShots } from '../../bench/samples/list.ts';
import { dot, openStarter, type Starter } from '../actors/models/starter/starter-model.ts';

interface Seen {
  /** File and number of the shot. */
  readonly name: string;
  readonly vector: Float32Array;
}

/** Samples are drawn small: what is asked about survives it. */
const WIDTH = 320;
const HEIGHT = 200;

let starter: Starter;
let seen: Seen[];

before(async () => {
  starter = await openStarter();
  const pictures = await Promise.all(sampleShots.map(({ scene, moment }) => draw(scene, moment)));
  const vectors = await starter.pictures(pictures);
  seen = sampleShots.map(({ name }, i) => ({ name, vector: vectors[i]! }));
});
after(() => starter.close());

async function draw(scene: Scene, moment: number): Promise<Uint8Array> {
  const canvas = new Canvas(WIDTH, HEIGHT);
  scene(WIDTH, HEIGHT)(canvas, moment);
  const { buffer, byteOffset, length } = canvas.rgb;
  const raw = { width: WIDTH, height: HEIGHT, channels: 3 as const };
  return new Uint8Array(
    await sharp(new Uint8Array(buffer, byteOffset, length), { raw })
      .resize(224, 224, { fit: 'fill' })
      .raw()
      .toBuffer(),
  );
}

const first: readonly (readonly [query: string, ...names: string[]])[] = [
  ['sunset over the sea', 'sunset-over-the-sea.mp4 0', 'sunset.jpg'],
  ['red car at night', 'the-red-car.mp4 0'],
  ['green forest', 'a-day-outdoors.mp4 1', 'forest.jpg'],
  ['trees', 'a-day-outdoors.mp4 1', 'forest.jpg'],
  ['snow', 'a-day-outdoors.mp4 2', 'snowy-mountain.jpg'],
  ['beach', 'beach.mp4 0', 'beach.webp'],
  ['sand', 'beach.mp4 0', 'beach.webp'],
  ['fire', 'camp-fire.mkv 0', 'fire.webp'],
  ['night sky with stars', 'moon-over-the-sea.jpg'],
  ['city lights', 'street-at-night.jpg', 'the-red-car.mp4 0'],
  [
    'blue sky',
    'a-day-outdoors.mp4 0',
    'beach.mp4 0',
    'beach.webp',
    'hills.jpg',
    'the-red-car.mp4 1',
    'stop-sign.jpg',
    'snowy-mountain.jpg',
    'a-day-outdoors.mp4 2',
    'blue-gradient.png',
  ],
  ['page of text', 'page-of-text.png'],
  ['checkerboard', 'shapes.webm 5'],
  ['vertical stripes', 'stripes.png'],
  ['red and white stripes', 'stripes.png'],
  ['purple background', 'shapes.webm 3'],
  ['yellow background with blue', 'shapes.webm 1'],
  ['red on white', 'shapes.webm 0', 'stripes.png'],
  ['black and white', 'page-of-text.png', 'shapes.webm 5'],
];

for (const [query, ...names] of first) {
  test(`among the samples "${query}" finds ${names.join(', ')} first`, async () => {
    const asked = await starter.text(query);
    const ranked = seen
      .map(({ name, vector }) => ({ name, score: dot(vector, asked) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, names.length);
    assert.deepEqual(ranked.map(({ name }) => name).toSorted(), names.toSorted(), JSON.stringify(ranked));
  });
}
