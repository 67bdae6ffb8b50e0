import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputFiller } from '../../../../actors/faces/detection/detector.ts';
import { detectorFamilyOf } from '../../../../actors/faces/detection/families.ts';
import {
  type Candidate,
  isUsable,
  overlap,
  scaled,
  suppressed,
} from '../../../../actors/faces/detection/family.ts';
import { Pyramid } from '../../../../actors/faces/picture.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { createLog } from '../../../../runtime/log.ts';
import { yunetRow } from '../stand-in-embedder.ts';
import { scrfdGraph, yunetGraph } from './graphs.ts';

const log = createLog('test', () => {});

async function open(graph: Uint8Array, family: string, side: number, score = 0.5) {
  const row = { ...yunetRow, family, detector: { ...yunetRow.detector, fixed_side: side, score } };
  const session = await openSession(graph, { device: 'cpu', threads: 1, log });
  return detectorFamilyOf(row).open(row, async () => ({ session, file: 'graph.onnx' }));
}

const grey = (width: number, height: number) =>
  new Pyramid({ data: new Uint8Array(width * height * 3).fill(99), width, height });
const go = async () => {};

test('YuNet: cell, stride, score, box and points are read as its makers do', async () => {
  // Cell 3, 2 of stride 16: a box of e·16 by e²·16 around (3.5, 2.25)·16.
  const puts = [
    { name: 'cls_16', row: 2 * 8 + 3, values: [0.81] },
    { name: 'obj_16', row: 2 * 8 + 3, values: [1.5] },
    { name: 'bbox_16', row: 2 * 8 + 3, values: [0.5, 0.25, 1, 2] },
    { name: 'kps_16', row: 2 * 8 + 3, values: [0, 0, 1, 0, 0.5, 0.5, 0, 1, 1, 1] },
  ];
  const detector = await open(yunetGraph(128, puts), 'yunet', 128);
  const [face, ...others] = await detector.detect(grey(128, 128), go);
  assert.equal(others.length, 0);
  assert(Math.abs(face!.score - 0.9) < 1e-6);
  const [width, height] = [Math.E * 16, Math.E ** 2 * 16];
  const box = [face!.left, face!.top, face!.width, face!.height];
  [56 - width / 2, 36 - height / 2, width, height].forEach((value, at) => {
    assert(Math.abs(value - box[at]!) < 1e-4, `${box}`);
  });
  assert.deepEqual([...face!.landmarks], [48, 32, 64, 32, 56, 40, 48, 48, 64, 48]);
});

test('SCRFD: anchors, distances to the sides and points are read by the order of its outputs', async () => {
  // The second anchor of cell 5, 4 of stride 8, on a picture that is shrunk to a half.
  const row = (4 * 16 + 5) * 2 + 1;
  const puts = [
    { name: '0', row, values: [0.75] },
    { name: '3', row, values: [1, 2, 3, 4] },
    { name: '6', row, values: [0, 0, 2, 0, 1, 1, 0, 2, 2, 2] },
  ];
  const detector = await open(scrfdGraph(128, puts), 'scrfd', 128);
  const [face, ...others] = await detector.detect(grey(256, 200), go);
  assert.equal(others.length, 0);
  assert.equal(face!.score, 0.75);
  assert.deepEqual([face!.left, face!.top, face!.width, face!.height], [64, 32, 64, 96]);
  assert.deepEqual([...face!.landmarks], [80, 64, 112, 64, 96, 80, 80, 96, 112, 96]);
});

test('scores that are no numbers, and boxes without end, are no faces', async () => {
  const puts = [
    { name: 'cls_32', row: 0, values: [Number.NaN] },
    { name: 'obj_32', row: 0, values: [1] },
    { name: 'cls_32', row: 5, values: [1] },
    { name: 'obj_32', row: 5, values: [1] },
    { name: 'bbox_32', row: 5, values: [0, 0, 1e9, 1] },
  ];
  const detector = await open(yunetGraph(128, puts), 'yunet', 128);
  assert.deepEqual(await detector.detect(grey(128, 128), go), []);
});

test('a graph with other outputs is refused, naming what was expected and found', async () => {
  await assert.rejects(open(yunetGraph(128, [], 'kps_16'), 'yunet', 128), {
    code: 'MODEL_LOAD_FAILED',
    message: /graph\.onnx: expected the outputs cls_8, .*kps_16.*, found cls_8 float32 \[1, 256, 1\]/,
  });
  await assert.rejects(open(scrfdGraph(128, [], 6), 'scrfd', 128), {
    code: 'MODEL_LOAD_FAILED',
    message: /expected nine outputs, three each of width 1, 4 and 10, found 0 float32 \[512, 1\]/,
  });
  await assert.rejects(open(yunetGraph(128, []), 'yunet', 640), {
    code: 'MODEL_LOAD_FAILED',
    message: /expected one input float32 \[n, 3, 640, 640\], found input float32 \[1, 3, 128, 128\]/,
  });
  await assert.rejects(open(yunetGraph(128, []), 'retina', 128), {
    code: 'MODEL_INVALID',
    message: /"own-yunet" is of family "retina"; there is yunet, scrfd/,
  });
});

function box(left: number, top: number, side: number, score = 0.9): Candidate {
  return { score, left, top, width: side, height: side, landmarks: new Float64Array(10) };
}

test('overlap is what two boxes share of all that they cover', () => {
  assert.equal(overlap(box(0, 0, 10), box(0, 0, 10)), 1);
  // 50 of 150 px.
  assert.equal(overlap(box(0, 0, 10), box(5, 0, 10)), 1 / 3);
  assert.equal(overlap(box(0, 0, 10), box(0, 0, 5)), 1 / 4);
  assert.equal(overlap(box(0, 0, 10), box(10, 0, 10)), 0);
  assert.equal(overlap(box(0, 0, 0), box(0, 0, 0)), 0);
});

test('of boxes of one face the best stays; neighbours that overlap a little are two faces', () => {
  const [best, same, neighbour] = [box(0, 0, 100, 0.9), box(5, 5, 100, 0.8), box(60, 0, 100, 0.7)];
  assert.deepEqual(suppressed([neighbour, same, best], 0.3, 10), [best, neighbour]);
  assert.deepEqual(suppressed([neighbour, same, best], 0.3, 1), [best]);
});

test('what lies in a better box is a part of that face, however small their overlap is', () => {
  const [face, eye] = [box(0, 0, 100), box(10, 10, 20, 0.8)];
  assert.ok(overlap(face, eye) < 0.3);
  assert.deepEqual(suppressed([eye, face], 0.3, 10), [face]);
});

/** A face in the middle of a box, with its landmarks where they are in a portrait. */
function portrait(left: number, top: number, side: number, score = 0.9): Candidate {
  const places = [0.3, 0.35, 0.7, 0.35, 0.5, 0.6, 0.35, 0.8, 0.65, 0.8];
  const landmarks = Float64Array.from(places, (place, at) => place * side + (at % 2 === 0 ? left : top));
  return { ...box(left, top, side, score), landmarks };
}

test('a smaller face in the middle of a face, and half of it beside it, are that face', () => {
  const face = portrait(0, 0, 124, 0.91);
  // As BlazeFace finds them in portraits of 150 px: they share .29 of both boxes, .7 of the smaller one.
  const inner = portrait(45, 60, 85, 0.59);
  assert.ok(overlap(face, inner) <= 0.3);
  assert.deepEqual(suppressed([inner, face], 0.3, 10), [face]);
  const beside = portrait(70, 0, 124, 0.6);
  assert.ok(overlap(face, beside) <= 0.3);
  assert.deepEqual(suppressed([beside, face], 0.3, 10), [face]);
});

test('landmarks at the same place are one face, whatever the boxes are', () => {
  const face = portrait(0, 0, 100);
  const shifted = { ...portrait(5, 5, 100, 0.6), left: 60, top: 45 };
  assert.ok(overlap(face, shifted) < 0.2);
  assert.deepEqual(suppressed([shifted, face], 0.3, 10), [face]);
});

test('people cheek to cheek, and one before another, are two', () => {
  const [one, other, behind] = [portrait(0, 0, 100), portrait(78, 20, 90, 0.8), portrait(40, -75, 80, 0.7)];
  assert.deepEqual(suppressed([behind, other, one], 0.3, 10), [one, other, behind]);
});

test('a box counts when its numbers are finite and a part of it lies in the picture', () => {
  const picture = { width: 50, height: 50 };
  assert.ok(isUsable(box(-5, -5, 10), picture));
  for (const one of [box(-10, 0, 10), box(50, 0, 10), box(0, Number.NaN, 10), box(0, 0, Infinity)])
    assert.equal(isUsable(one, picture), false);
  assert.deepEqual(scaled(box(1, 2, 3), 4), box(4, 8, 12));
});

test('colours become planes in the order of the row, black to the right and below, at any size', () => {
  const filler = {
    bgr: new InputFiller(yunetRow.detector),
    rgb: new InputFiller({ ...yunetRow.detector, color: 'rgb', mean: 127.5, scale: 128 }),
  };
  for (const [width, height] of [
    [1, 1],
    [3, 2],
    [7, 5],
    [33, 31],
    [64, 32],
  ] as const) {
    const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 37 + (at >> 4)) & 255);
    for (const color of ['bgr', 'rgb'] as const) {
      const input = filler[color].fill({ data, width, height });
      assert.deepEqual(
        [input.width % 32, input.height % 32, input.data.length],
        [0, 0, 3 * input.width * input.height],
      );
      for (let channel = 0; channel < 3; channel++) {
        const plane = color === 'rgb' ? channel : 2 - channel;
        for (let y = 0; y < input.height; y++) {
          for (let x = 0; x < input.width; x++) {
            const byte = x < width && y < height ? data[(y * width + x) * 3 + channel]! : 0;
            const value = color === 'rgb' ? Math.fround((byte - 127.5) / 128) : byte;
            assert.equal(input.data[(plane * input.height + y) * input.width + x], value);
          }
        }
      }
    }
  }
});
