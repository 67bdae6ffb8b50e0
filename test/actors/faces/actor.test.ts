import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { FoundFaces } from '../../../actors/faces/contract.ts';
import type { Picture } from '../../../actors/faces/picture.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { facesModels, yunetWeights } from './stand-in-embedder.ts';
import { clip, signers, signersFolder, startFaces, still } from './start.ts';

const skip = skipWithout(yunetWeights, signersFolder, 'media/faces/portraits', 'media/images');
let modelsDir = '';
before(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'faces-'));
  if (!skip) await facesModels(modelsDir);
});
after(() => rm(modelsDir, { recursive: true, force: true }));

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

/** Part of the picture that a face must not differ from, in shares of the picture. */
function near(actual: readonly number[], expected: readonly number[], within: number): void {
  actual.forEach((value, at) => {
    assert(Math.abs(value - expected[at]!) <= within, `${actual.join(', ')} is not ${expected.join(', ')}`);
  });
}

test('portraits have one face each, where it is', { skip }, async () => {
  const { find, stop } = await startFaces(modelsDir);
  const golden: [string, number[], number][] = [
    ['faces/portraits/obama-2012.jpg', [377 / 910, 73 / 1137, 227 / 910, 357 / 1137], 0.96],
    ['faces/portraits/biden-2013.jpg', [438 / 1200, 155 / 1200, 430 / 1200, 625 / 1200], 0.95],
    ['images/astronaut.png', [178 / 512, 65 / 512, 91 / 512, 111 / 512], 0.936],
  ];
  for (const [name, box, score] of golden) {
    const { faces, vectors, aligned, displays } = await find(await still(name));
    assert.equal(faces.length, 1, name);
    near(faces[0]!.box, box, 0.02);
    near([faces[0]!.score], [score], 0.01);
    assert.equal(faces[0]!.weak, false, name);
    assert(Math.abs(faces[0]!.yaw) < 30 && Math.abs(faces[0]!.roll) < 20, JSON.stringify(faces[0]));
    assert.equal(vectors.length, 128);
    assert(Math.abs(Math.hypot(...vectors) - 1) < 1e-5);
    for (const [jpeg, side] of [
      [aligned[0], 112],
      [displays[0], 160],
    ] as const) {
      const { format, width, height } = await sharp(jpeg).metadata();
      assert.deepEqual([format, width, height], ['jpeg', side, side]);
    }
  }
  await stop();
});

test('the eyes, the nose and the mouth are where they are, as the person has them', { skip }, async () => {
  const { find, stop } = await startFaces(modelsDir);
  const { faces } = await find(await still('images/astronaut.png'));
  const points = faces[0]!.landmarks.map((value) => value * 512);
  near(points, [203, 112, 243, 109, 227, 133, 208, 150, 246, 147], 8);
  await stop();
});

test('a cup, a cat and a rocket have no face', { skip }, async () => {
  const { find, stop } = await startFaces(modelsDir);
  for (const name of ['images/coffee.png', 'images/chelsea.png', 'images/rocket.jpg']) {
    const found = await find(await still(name));
    assert.deepEqual(
      [found.faces, found.aligned, found.displays, found.vectors.length],
      [[], [], [], 0],
      name,
    );
  }
  await stop();
});

test('four people of eight clips are told apart by the stand-in', { skip }, async () => {
  const { find, stop } = await startFaces(modelsDir);
  const found: { who: string; vector: Float32Array }[] = [];
  for (const [name, who] of Object.entries(signers)) {
    for (const picture of await clip(name)) {
      const { faces, vectors } = await find(picture);
      assert.equal(faces.length, 1, name);
      assert.equal(faces[0]!.weak, false, name);
      found.push({ who, vector: vectors });
    }
  }
  assert.equal(found.length, 23);
  for (const one of found)
    for (const other of found) {
      const alike = cosine(one.vector, other.vector);
      assert(one.who === other.who ? alike > 0.9 : alike < 0.2, `${one.who} and ${other.who}: ${alike}`);
    }
  await stop();
});

/** The pictures beside each other, each at its own size. */
function row(pictures: readonly Picture[]): Picture {
  const width = pictures.reduce((sum, one) => sum + one.width, 0);
  const height = Math.max(...pictures.map((one) => one.height));
  const data = new Uint8Array(width * height * 3);
  let left = 0;
  for (const one of pictures) {
    for (let y = 0; y < one.height; y++) {
      const from = y * one.width * 3;
      data.set(one.data.subarray(from, from + one.width * 3), (y * width + left) * 3);
    }
    left += one.width;
  }
  return { data, width, height };
}

const bytesOf = ({ faces, vectors, aligned, displays }: FoundFaces) =>
  JSON.stringify([faces, [...vectors], aligned.map((a) => [...a]), displays.map((d) => [...d])]);

test('a picture gives the same bytes whatever came before it, and with any number of threads', {
  skip,
}, async () => {
  const [first] = await clip('again');
  const large = await still('faces/portraits/biden-2013.jpg');
  const one = await startFaces(modelsDir);
  const alone = bytesOf(await one.find(first!));
  await one.find(large);
  assert.equal(bytesOf(await one.find(first!)), alone);
  await one.stop();
  const three = await startFaces(modelsDir, { threads: 3 });
  assert.equal(bytesOf(await three.find(first!)), alone);
  await three.stop();
});

test('faces come from the top left to the bottom right', { skip }, async () => {
  const { find, stop } = await startFaces(modelsDir);
  const pictures = await Promise.all(['again', 'bird', 'eat'].map(async (name) => (await clip(name))[0]!));
  const { faces } = await find(row(pictures));
  assert.equal(faces.length, 3);
  const tops = faces.map(({ box }) => box[1]);
  assert.deepEqual(
    tops,
    [...tops].sort((a, b) => a - b),
  );
  await stop();
});

test('what is loaded is told; it is loaded once, freed by unload, and loaded again', { skip }, async () => {
  const { faces, find, lines, stop } = await startFaces(modelsDir);
  assert.deepEqual(await faces.ask('loaded', {}), { model: null });
  const model = await faces.ask('choose', {});
  assert.deepEqual(model, {
    model_key: 'own-yunet+stand-in-sface',
    detector_key: 'own-yunet',
    embedder_key: 'stand-in-sface',
    dimensions: 128,
    same: 0.6,
    margin: 0.1,
    eps: 0.4,
    device: null,
  });
  const picture = await still('images/astronaut.png');
  await assert.rejects(find(picture, model.model_key), { code: 'MODEL_NOT_LOADED' });
  const [loaded] = await Promise.all([faces.ask('load', {}), faces.ask('load', {})]);
  assert.deepEqual(loaded, { ...model, device: 'cpu' });
  assert.deepEqual(await faces.ask('loaded', {}), { model: loaded });
  assert.deepEqual(await faces.ask('choose', {}), loaded);
  assert.equal(lines.filter(({ message }) => message === 'face model in use').length, 1);
  await assert.rejects(find(picture, 'own-yunet+another'), {
    code: 'MODEL_NOT_LOADED',
    message: /"own-yunet\+another" was asked for, "own-yunet\+stand-in-sface" is loaded/,
  });
  await faces.ask('unload', {});
  assert.deepEqual(await faces.ask('loaded', {}), { model: null });
  assert.equal((await find(picture)).faces.length, 1);
  await stop();
});

test('a slot that is smaller than its picture is refused', { skip }, async () => {
  const { find, stop } = await startFaces(modelsDir, { bytes: 4096 });
  const picture = { data: new Uint8Array(300), width: 100, height: 100 };
  await assert.rejects(find(picture), { code: 'INVALID_MESSAGE', message: /4096 bytes.*100×100 has 30000/ });
  await stop();
});

test('pictures of one pixel, one line and one column have no face', { skip }, async () => {
  const { find, stop } = await startFaces(modelsDir);
  for (const [width, height] of [
    [1, 1],
    [1920, 1],
    [1, 1920],
    [31, 33],
  ] as const) {
    const data = new Uint8Array(width * height * 3).fill(200);
    assert.deepEqual((await find({ data, width, height })).faces, []);
  }
  await stop();
});

test('without models the request is refused, naming the command', async () => {
  const { faces, stop } = await startFaces(join(modelsDir, 'nowhere'));
  for (const message of ['choose', 'load'] as const) {
    await assert.rejects(faces.ask(message, {}), {
      code: 'NO_FACE_MODEL',
      message: /framehound models pull/,
    });
  }
  assert.deepEqual(await faces.ask('loaded', {}), { model: null });
  await stop();
});

test('the weights that the tests use are there', { skip }, () => assert(sharedPath(yunetWeights)));
