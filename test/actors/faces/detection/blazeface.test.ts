import assert from 'node:assert/strict';
import test from 'node:test';
import { detectorFamilyOf } from '../../../../actors/faces/detection/families.ts';
import { Pyramid } from '../../../../actors/faces/picture.ts';
import type { FaceDetectorRow } from '../../../../actors/models/contract.ts';
import { faceRows } from '../../../../actors/models/rows/faces.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { createLog } from '../../../../runtime/log.ts';

const log = createLog('test', () => {});
const row = faceRows.find(({ key }) => key === 'blazeface-256') as FaceDetectorRow;
const go = async () => {};

interface Output {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** A graph that takes a picture and answers what it is told. */
function graphOf(side: number, outputs: readonly Output[]): Uint8Array {
  const graph = new GraphBuilder('fixed');
  const picture = graph.input('input', 'float', [1, side, side, 3]);
  const mean = graph.op('ReduceMean', [picture], { keepdims: 0 });
  const nothing = graph.op('Mul', [mean, graph.scalar(0)]);
  for (const { name, dims, data } of outputs) {
    const value = graph.op('Add', [graph.tensor('float', dims, data), nothing]);
    graph.output(value, name, 'float', dims);
  }
  return onnxBytes(graph.model());
}

/** A face in the middle of place `i` of the finer grid: its box and its eyes, px of 256. */
interface Put {
  readonly place: number;
  readonly likely: number;
  readonly box: readonly [x: number, y: number, width: number, height: number];
  readonly eyes: readonly [x: number, y: number, x: number, y: number];
}

function lookGraph(puts: readonly Put[]): Uint8Array {
  const scores = new Float32Array(512).fill(-20);
  const boxes = new Float32Array(512 * 16);
  for (const { place, likely, box, eyes } of puts) {
    scores[place] = likely;
    boxes.set([...box, ...eyes], place * 16);
  }
  return graphOf(256, [
    { name: 'Identity', dims: [1, 512, 1], data: scores },
    { name: 'Identity_1', dims: [1, 384, 1], data: new Float32Array(384).fill(-20) },
    { name: 'Identity_2', dims: [1, 512, 16], data: boxes },
    { name: 'Identity_3', dims: [1, 384, 16], data: new Float32Array(384 * 16) },
  ]);
}

/** All points of it lie at (96, 96), but for the corners of the mouth. */
function meshGraph(likely: number): Uint8Array {
  const points = new Float32Array(1404).fill(96);
  points.set([60, 140, 0], 61 * 3);
  points.set([132, 140, 0], 291 * 3);
  return graphOf(192, [
    { name: 'Identity_2', dims: [1, 1404], data: points },
    { name: 'Identity_1', dims: [1, 1], data: Float32Array.of(likely) },
    { name: 'Identity', dims: [1, 266], data: new Float32Array(266) },
  ]);
}

async function opened(look: Uint8Array, mesh: Uint8Array) {
  const graphs: Record<string, Uint8Array> = { graph: look, mesh };
  return detectorFamilyOf(row).open(row, async (role) => ({
    session: await openSession(graphs[role]!, { device: 'cpu', threads: 1, log }),
    file: `${role}.onnx`,
  }));
}

const grey = (width: number, height: number, value = 99) =>
  new Pyramid({ data: new Uint8Array(width * height * 3).fill(value), width, height });

/** Row 4, column 6 of the grid, the second place: its middle is (104, 72). */
const middle: Put = {
  place: (4 * 16 + 6) * 2 + 1,
  likely: 2,
  box: [8, 4, 60, 80],
  eyes: [-7, -12, 23, -12],
};

test('a place of the grid, its box and the points of the mesh are read as they lie in the picture', async () => {
  const detector = await opened(lookGraph([middle]), meshGraph(0.9));
  const [face, ...others] = await detector.detect(grey(512, 384), go);
  assert.equal(others.length, 0);
  const near = (found: number, expected: number, what: string) =>
    assert.ok(Math.abs(found - expected) < 1e-3, `${what}: ${found} instead of ${expected}`);
  near(face!.score, 1 / (1 + Math.exp(-2)), 'score');
  // A picture of 512 px is looked at once, at half its size.
  near(face!.left, 2 * (104 + 8 - 30), 'left');
  near(face!.top, 2 * (72 + 4 - 40), 'top');
  near(face!.width, 120, 'width');
  near(face!.height, 160, 'height');
  // The mesh is given the box 1.5 times as large: 240 px as 192, its middle at (224, 152).
  const [x, y] = [face!.left + 60, face!.top + 80];
  for (const [at, value] of [x, y, x, y, x, y, x - 45, y + 55, x + 45, y + 55].entries())
    near(face!.landmarks[at]!, value - 0.5, `landmark ${at}`);
});

test('a face that lies on its side is given to the mesh upright', async () => {
  const turned: Put = { ...middle, eyes: [0, -15, 0, 15] };
  const detector = await opened(lookGraph([turned]), meshGraph(0.9));
  const [face] = await detector.detect(grey(512, 512), go);
  const [right, left] = [face!.landmarks.slice(6, 8), face!.landmarks.slice(8, 10)];
  assert.ok(Math.abs(right[0]! - left[0]!) < 1e-3, 'the corners of the mouth are one above the other');
  assert.ok(Math.abs(left[1]! - right[1]! - 90) < 1e-3);
});

test('what the mesh calls no face is none, and neither is what says no number', async () => {
  const faces = async (likely: number) =>
    (await (await opened(lookGraph([middle]), meshGraph(likely))).detect(grey(512, 512), go)).length;
  assert.deepEqual([await faces(0.51), await faces(0.49), await faces(Number.NaN)], [1, 0, 0]);
});

test('each face is told once, and one below the score of the row not at all', async () => {
  const again: Put = { ...middle, place: middle.place + 1, likely: 1, box: [-6, 4, 60, 80] };
  const unlike: Put = { ...middle, place: 3, likely: -0.1 };
  const detector = await opened(lookGraph([again, middle, unlike]), meshGraph(0.9));
  assert.deepEqual(
    (await detector.detect(grey(512, 512), go)).map(({ score }) => score.toFixed(3)),
    ['0.881'],
  );
});

test('a larger picture is looked at as a whole and in tiles, where faces are small', async () => {
  // Far enough down and to the left that the one in the whole shares little with those in the tiles.
  const low: Put = { ...middle, box: [-64, 53, 60, 80] };
  const detector = await opened(lookGraph([low]), meshGraph(0.9));
  let looks = 0;
  const faces = await detector.detect(grey(1280, 720), async () => void looks++);
  // One in the whole, and one in each of 3×2 tiles of 640 px; the mesh looks at each that is not one seen
  // before.
  assert.ok(faces.length > 1 && looks >= 7 + faces.length, `${faces.length} faces, ${looks} looks`);
  const widths = new Set(faces.map(({ width }) => Math.round(width)));
  assert.deepEqual(widths, new Set([300, 150]));
  const all: Put = { ...middle, box: [8, 4, 200, 200] };
  const large = await (await opened(lookGraph([all]), meshGraph(0.9))).detect(grey(1280, 720), go);
  assert.deepEqual(
    large.map(({ width }) => Math.round(width)),
    [1000],
    'what fills a tile is seen in the whole',
  );
});

test('graphs of another kind are refused when they are opened', async () => {
  const failed = (message: RegExp) => ({ code: 'MODEL_LOAD_FAILED', message });
  await assert.rejects(
    opened(meshGraph(1), meshGraph(1)),
    failed(
      /graph\.onnx: expected one input float32 \[1, 256, 256, 3\], found input float32 \[1, 192, 192, 3\]/,
    ),
  );
  await assert.rejects(opened(lookGraph([]), lookGraph([])), failed(/mesh\.onnx: expected one input/));
  const bare = graphOf(256, [{ name: 'Identity', dims: [1, 1], data: new Float32Array(1) }]);
  await assert.rejects(
    opened(bare, meshGraph(1)),
    failed(/graph\.onnx: expected the outputs Identity, Identity_2/),
  );
  const short = graphOf(192, [
    { name: 'Identity_1', dims: [1, 1], data: Float32Array.of(1) },
    { name: 'Identity_2', dims: [1, 3], data: new Float32Array(3) },
  ]);
  await assert.rejects((await opened(lookGraph([middle]), short)).detect(grey(512, 512), go), {
    code: 'MODEL_RUN_FAILED',
    message: /mesh\.onnx: expected 1404 floats/,
  });
});
