import assert from 'node:assert/strict';
import test from 'node:test';
import { embedderFamilyOf, FaceEmbedder } from '../../../../actors/faces/embedding/embedder.ts';
import type { FaceEmbedderSide } from '../../../../actors/models/face-sides.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { createLog } from '../../../../runtime/log.ts';
import { weights } from '../../embedder/graphs.ts';
import { arcfaceStandIn, sfaceStandIn, standInRow } from '../stand-in-embedder.ts';
import { type TinyEmbedder, tinyEmbedder } from './graphs.ts';

const log = createLog('test', () => {});

async function open(graph: Uint8Array, family: string, changes: Partial<FaceEmbedderSide> = {}) {
  const row = { ...standInRow, family, embedder: { ...standInRow.embedder, ...changes } };
  const session = await openSession(graph, { device: 'cpu', threads: 1, log });
  return new FaceEmbedder(row, session, embedderFamilyOf(row).open(row, session, 'graph.onnx'));
}
const tiny = (options: TinyEmbedder, changes: Partial<FaceEmbedderSide> = {}) =>
  open(tinyEmbedder(options), 'arcface', changes);

/** A face of one colour. */
const plain = (...colour: [number, number, number]) =>
  Uint8Array.from({ length: 112 * 112 * 3 }, (_, at) => colour[at % 3]!);

test('colours come in the order of the row, less the mean, over the scale, and vectors have the length 1', async () => {
  const matrix = weights(3 * 128, 5);
  const expected = (values: readonly number[]) => {
    const vector = Array.from({ length: 128 }, (_, d) =>
      values.reduce((sum, value, channel) => sum + value * matrix[channel * 128 + d]!, 0),
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  for (const color of ['rgb', 'bgr'] as const) {
    const embedder = await tiny({}, { color, mean: 127.5, scale: 127.5 });
    const { vectors, bad } = await embedder.embed([plain(255, 100, 0)]);
    assert.deepEqual(bad, []);
    const values = [255, 100, 0].map((value) => (value - 127.5) / 127.5);
    expected(color === 'rgb' ? values : values.reverse()).forEach((value, at) => {
      assert(Math.abs(value - vectors[at]!) < 1e-4, `${color} ${at}`);
    });
  }
});

test('what all faces have in common is taken off, and what is left has the length 1', async () => {
  const plainly = await tiny({});
  const face = plain(200, 90, 30);
  const vector = (await plainly.embed([face])).vectors.slice();
  const centre = weights(128, 11).map((value) => value / 20);
  const centred = await tiny({}, { centre: [...centre] });
  const { vectors, bad } = await centred.embed([face]);
  assert.deepEqual(bad, []);
  const rest = vector.map((value, at) => value - centre[at]!);
  const length = Math.hypot(...rest);
  for (const [at, value] of rest.entries())
    assert.ok(Math.abs(vectors[at]! - value / length) < 1e-6, `${at}`);
  const nothing = await tiny({}, { centre: [...vector] });
  assert.deepEqual((await nothing.embed([face])).bad, [0], 'the centre itself has no direction');
});

test('a face that is looked at in a mirror too has the mean of both directions', async () => {
  const half = (left: readonly number[], right: readonly number[]) =>
    Uint8Array.from({ length: 112 * 112 * 3 }, (_, at) => {
      const x = Math.floor(at / 3) % 112;
      return (x < 56 ? left : right)[at % 3]!;
    });
  const [dark, light] = [
    [10, 60, 200],
    [240, 90, 5],
  ];
  const face = half(dark!, light!);
  const ofLeft = { left: true };
  const plain = await tiny(ofLeft);
  const [one, other] = [
    (await plain.embed([face])).vectors.slice(),
    (await plain.embed([half(light!, dark!)])).vectors.slice(),
  ];
  assert.ok(
    one.some((value, at) => Math.abs(value - other[at]!) > 0.01),
    'the graph tells them apart',
  );
  const sum = one.map((value, at) => value + other[at]!);
  const both = await tiny(ofLeft, { mirrored: true });
  const { vectors, bad } = await both.embed([face]);
  assert.deepEqual(bad, []);
  const length = Math.hypot(...sum);
  for (const [at, value] of sum.entries()) assert.ok(Math.abs(vectors[at]! - value / length) < 1e-6, `${at}`);
});

test('dlib takes faces of its own size', async () => {
  await assert.rejects(open(tinyEmbedder({}), 'dlib'), {
    code: 'MODEL_LOAD_FAILED',
    message: /expected one input float32 \[n, 3, 150, 150\]/,
  });
});

test('a vector does not depend on the faces beside it', async () => {
  const embedder = await tiny({}, { batch: 3 });
  const faces = [plain(10, 20, 200), plain(200, 90, 30), plain(1, 2, 3)];
  const { vectors } = await embedder.embed(faces);
  for (const [at, face] of faces.entries()) {
    const alone = await embedder.embed([face]);
    assert.deepEqual(alone.vectors.slice(), vectors.slice(at * 128, (at + 1) * 128));
  }
});

test('a vector of zeros or without numbers is told, the others stay', async () => {
  for (const answer of ['zeros', 'no numbers'] as const) {
    const embedder = await tiny({ of: answer, dark: 50 }, { batch: 4 });
    const { bad, vectors } = await embedder.embed([plain(90, 80, 70), plain(9, 8, 7), plain(200, 1, 99)]);
    assert.deepEqual(bad, [1], answer);
    for (const at of [0, 2]) {
      assert(Math.abs(Math.hypot(...vectors.subarray(at * 128, (at + 1) * 128)) - 1) < 1e-5);
    }
  }
});

test('a model that answers no direction for noise is refused when it is warmed up', async () => {
  const embedder = await tiny({ dark: 1000 });
  await assert.rejects(embedder.warmUp(), { code: 'BAD_FACE_VECTOR', message: /"stand-in-sface"/ });
});

test('graphs with other shapes are refused, naming what was expected and found', async () => {
  const refused = (message: RegExp, code = 'MODEL_LOAD_FAILED') => ({ code, message });
  await assert.rejects(
    open(sfaceStandIn(), 'arcface', { dimensions: 512 }),
    refused(/expected one output float32 \[n, 512\], found fc1 float32 \[1, 128\]/),
  );
  await assert.rejects(
    open(sfaceStandIn(), 'arcface', { batch: 8 }),
    refused(/takes 1 faces in one run.* says 8/),
  );
  await assert.rejects(
    open(tinyEmbedder(), 'sface', { batch: 8 }),
    refused(/SFace takes one face in a run, not 8/, 'MODEL_INVALID'),
  );
  await assert.rejects(open(tinyEmbedder(), 'facenet'), refused(/there is sface, arcface/, 'MODEL_INVALID'));
});

test('a graph with a fixed number of faces is given that number', async () => {
  const embedder = await tiny({ batch: 4 }, { batch: 4 });
  const { vectors, bad } = await embedder.embed([plain(90, 80, 70)]);
  assert.deepEqual([vectors.length, bad], [128, []]);
});

test('both stand-ins tell the same of a face', async () => {
  const noise = Uint8Array.from({ length: 112 * 112 * 3 }, (_, at) => (at * 7919) & 255);
  const sface = await open(sfaceStandIn(), 'sface');
  const side = { dimensions: 512, mean: 127.5, scale: 127.5, batch: 8 };
  const arcface = await open(arcfaceStandIn(), 'arcface', side);
  const angle = async (embedder: FaceEmbedder) => {
    const [a, b] = [plain(90, 40, 20), noise];
    const [one, other] = [(await embedder.embed([a])).vectors.slice(), (await embedder.embed([b])).vectors];
    return one.reduce((sum, value, at) => sum + value * other[at]!, 0);
  };
  assert(Math.abs((await angle(sface)) - (await angle(arcface))) < 1e-3);
});
