import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import sharp from 'sharp';
import type { FoundFaces } from '../../../actors/faces/contract.ts';
import type { Picture } from '../../../runtime/picture.ts';
import { skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { tinyEmbedder } from './embedding/graphs.ts';
import { facesModels, standInRow, writeFaceModel, yunetWeights } from './stand-in-embedder.ts';
import { clip, signers, signersFolder, startFaces, still } from './start.ts';

const skip = skipWithout(yunetWeights, signersFolder, 'media/faces/portraits', 'media/images');
const modelsDir = temporaryFolder();
before(async () => {
  if (!skip) await facesModels(modelsDir);
});

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

/** Part of the picture that a face must not differ from, in shares of the picture. */
function near(actual: readonly number[], expected: readonly number[], within: number): void {
  actual.forEach((value, at) => {
    assert(Math.abs(value - expected[at]!) <= within, `${actual.join(', ')} is not ${expected.join(', ')}`);
  });
}

test('portraits have one face each, where it is', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
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
});

test('the eyes, the nose and the mouth are where they are, as the person has them', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  const { faces } = await find(await still('images/astronaut.png'));
  const points = faces[0]!.landmarks.map((value) => value * 512);
  near(points, [203, 104, 248, 104, 224, 128, 204, 143, 243, 144], 2);
});

test('a cup, a cat and a rocket have no face', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  for (const name of ['images/coffee.png', 'images/chelsea.png', 'images/rocket.jpg']) {
    const found = await find(await still(name));
    assert.deepEqual(
      [found.faces, found.aligned, found.displays, found.vectors.length],
      [[], [], [], 0],
      name,
    );
  }
});

test('four people of eight clips are told apart by the stand-in', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
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
});

/** The pictures beside each other, each at its own size. */
function beside(pictures: readonly Picture[]): Picture {
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
}, async (t) => {
  const [first] = await clip('again');
  const large = await still('faces/portraits/biden-2013.jpg');
  const one = await startFaces(t, modelsDir);
  const alone = bytesOf(await one.find(first!));
  await one.find(large);
  assert.equal(bytesOf(await one.find(first!)), alone);
  const three = await startFaces(t, modelsDir, { threads: 3 });
  assert.equal(bytesOf(await three.find(first!)), alone);
});

test('faces come from the top left to the bottom right', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  const pictures = await Promise.all(['again', 'bird', 'eat'].map(async (name) => (await clip(name))[0]!));
  const { faces } = await find(beside(pictures));
  assert.equal(faces.length, 3);
  const tops = faces.map(({ box }) => box[1]);
  assert.deepEqual(
    tops,
    [...tops].sort((a, b) => a - b),
  );
});

test('what is loaded is told; it is loaded once, freed by unload, and loaded again', { skip }, async (t) => {
  const { faces, find, lines } = await startFaces(t, modelsDir);
  assert.deepEqual(await faces.ask('loaded', {}), { model: null });
  const model = {
    model_key: 'own-yunet+stand-in-sface',
    detector_key: 'own-yunet',
    embedder_key: 'stand-in-sface',
    dimensions: 128,
    same: 0.6,
    margin: 0.1,
    eps: 0.4,
    device: 'cpu',
    device_reason: null,
  };
  const picture = await still('images/astronaut.png');
  await assert.rejects(find(picture, model.model_key), { code: 'MODEL_NOT_LOADED' });
  const [loaded] = await Promise.all([faces.ask('load', {}), faces.ask('load', {})]);
  assert.deepEqual(loaded, model);
  assert.deepEqual(await faces.ask('loaded', {}), { model: loaded });
  assert.equal(lines.filter(({ message }) => message === 'face model in use').length, 1);
  await assert.rejects(find(picture, 'own-yunet+another'), {
    code: 'MODEL_NOT_LOADED',
    message: /"own-yunet\+another" was requested, but "own-yunet\+stand-in-sface" is loaded/,
  });
  await faces.ask('unload', {});
  assert.deepEqual(await faces.ask('loaded', {}), { model: null });
  assert.equal((await find(picture)).faces.length, 1);
});

test('a slot that is smaller than its picture is refused', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir, { bytes: 4096 });
  const picture = { data: new Uint8Array(300), width: 100, height: 100 };
  await assert.rejects(find(picture), { code: 'INVALID_MESSAGE', message: /4096 bytes.*100×100 has 30000/ });
});

test('pictures of one pixel, one line and one column have no face', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  for (const [width, height] of [
    [1, 1],
    [1920, 1],
    [1, 1920],
    [31, 33],
  ] as const) {
    const data = new Uint8Array(width * height * 3).fill(200);
    assert.deepEqual((await find({ data, width, height })).faces, []);
  }
});

test('without models the request is refused, naming the command', async (t) => {
  const { faces } = await startFaces(t, join(modelsDir, 'nowhere'));
  await assert.rejects(faces.ask('load', {}), { code: 'NO_FACE_MODEL', message: /framehound models pull/ });
  assert.deepEqual(await faces.ask('loaded', {}), { model: null });
});

/** `columns`×`rows` copies of a picture, each `side` px wide. */
async function mosaic({ data, width, height }: Picture, side: number, columns: number, rows: number) {
  const raw = { width, height, channels: 3 } as const;
  const square = { left: 178, top: 16, width: 260, height: 260 };
  const tile = await sharp(data, { raw }).extract(square).resize(side, side).raw().toBuffer();
  const result = new Uint8Array(side * columns * side * rows * 3);
  for (let y = 0; y < side * rows; y++) {
    const line = tile.subarray((y % side) * side * 3, ((y % side) + 1) * side * 3);
    for (let x = 0; x < columns; x++) result.set(line, (y * columns + x) * side * 3);
  }
  return { data: result, width: side * columns, height: side * rows };
}

test('a crowd of 300 is found whole, small faces marked as weak', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  const [first] = await clip('eat');
  const { faces, vectors, aligned, displays } = await find(await mosaic(first!, 92, 20, 15));
  assert.equal(faces.length, 300);
  assert.deepEqual([vectors.length, aligned.length, displays.length], [300 * 128, 300, 300]);
  assert(faces.every(({ size_px, weak }) => size_px >= 20 && size_px < 28 && weak));
});

test('a face that the edge cuts is kept, marked as unreliable, with pictures of what is there', {
  skip,
}, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  const { data, width, height } = await still('images/astronaut.png');
  const raw = { width, height, channels: 3 } as const;
  const from = { left: 222, top: 0, width: width - 222, height };
  const cut = new Uint8Array(await sharp(data, { raw }).extract(from).raw().toBuffer());
  const { faces, displays } = await find({ data: cut, width: from.width, height });
  assert.equal(faces.length, 1);
  near([faces[0]!.box[0]], [0], 0.01);
  assert.equal(faces[0]!.unreliable, true);
  assert.equal((await sharp(displays[0]).metadata()).width, 160);
});

test('the same face is found at every size, also where it fills the picture', { skip }, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  const { data, width, height } = await still('faces/portraits/biden-2013.jpg');
  const raw = { width, height, channels: 3 } as const;
  for (const side of [60, 120, 300, 900, 1900]) {
    const bytes = await sharp(data, { raw }).extract({ left: 350, top: 100, width: 620, height: 620 });
    const tile = new Uint8Array(await bytes.resize(side, side).raw().toBuffer());
    const { faces } = await find({ data: tile, width: side, height: side });
    assert.equal(faces.length, 1, `${side} px`);
  }
});

test('a tilted face rolls the way it is tilted', {
  skip,
}, async (t) => {
  const { find } = await startFaces(t, modelsDir);
  const { data, width, height } = await still('images/astronaut.png');
  const raw = { width, height, channels: 3 } as const;
  for (const angle of [-25, 25]) {
    const turned = sharp(data, { raw }).rotate(angle, { background: '#808080' }).raw();
    const { data: bytes, info } = await turned.toBuffer({ resolveWithObject: true });
    const { faces } = await find({ data: new Uint8Array(bytes), width: info.width, height: info.height });
    assert.equal(faces.length, 1);
    // The detector sees faces less tilted than they are.
    assert(faces[0]!.roll * Math.sign(angle) > 10, `${faces[0]!.roll} at ${angle}`);
  }
});

test('a face whose vector has no direction is left out with a line in the log, the others stay', {
  skip,
}, async (t) => {
  const own = temporaryFolder(t);
  await facesModels(own);
  const embedder = { ...standInRow.embedder, batch: 4 };
  const row = { ...standInRow, family: 'arcface', embedder };
  await writeFaceModel(own, row, tinyEmbedder({ of: 'no numbers', dark: 90, mixed: true }));
  const { find, lines } = await startFaces(t, own);
  const [first] = await clip('again');
  const dim = { ...first!, data: first!.data.map((value) => value * 0.4) };
  const { faces, vectors } = await find(beside([first!, dim, first!]));
  assert.deepEqual(faces.map(({ box }) => Math.floor(box[0] * 3)).sort(), [0, 2]);
  assert(vectors.length === 256 && vectors.every(Number.isFinite));
  const warned = lines.filter(({ message }) => message === 'face left out');
  assert.equal(warned.length, 1);
  assert.match(JSON.stringify(warned[0]), /The face at 0\.\d+, .* has no vector/);
});

test('a damaged graph is refused by name, and nothing is loaded', { skip }, async (t) => {
  const own = temporaryFolder(t);
  await facesModels(own);
  await writeFaceModel(own, standInRow, new Uint8Array([1, 2, 3]));
  const { faces } = await startFaces(t, own);
  await assert.rejects(faces.ask('load', {}), { code: 'MODEL_LOAD_FAILED', message: /stand-in-sface/ });
  assert.deepEqual(await faces.ask('loaded', {}), { model: null });
});
