// RF-DETR on a small graph with the names, shapes and types of the published one: what is red is a dog.
import assert from 'node:assert/strict';
import test from 'node:test';
import { openSession } from '../../../actors/models/session.ts';
import { classNames, mostSide } from '../../../actors/things/contract.ts';
import { openDetector } from '../../../actors/things/detector.ts';
import { rfDetr } from '../../../actors/things/rf-detr.ts';
import { createLog } from '../../../runtime/log.ts';
import { cell, ids, type Names, side, smallGraph } from './small-graph.ts';

const row = { key: 'mine', family: 'rf-detr', frame_resolution: side };

const log = createLog('test', () => {});
const opened = (graph: Uint8Array, more = {}) =>
  openDetector({ ...row, ...more }, (options) =>
    openSession(graph, { device: 'cpu', threads: 1, log, ...options }),
  );

/** Black, but for cells of pure colours. */
function pictureOf(cells: readonly (readonly [column: number, row: number, colour: readonly number[]])[]) {
  const data = new Uint8Array(side * side * 3);
  for (const [column, row, colour] of cells) {
    for (let y = row * cell; y < (row + 1) * cell; y++)
      for (let x = column * cell; x < (column + 1) * cell; x++) data.set(colour, 3 * (y * side + x));
  }
  return { data, width: side, height: side };
}

test('queries become things of the classes of COCO, with their boxes and colours', async (t) => {
  const names: readonly Names[] = [{}, { boxes: 'dets', logits: 'labels', sides: [side, side] }];
  for (const some of names) {
    const { detector, eightBits } = await opened(smallGraph(some));
    t.after(() => detector.close());
    assert.equal(eightBits, 'not tried');
    const things = await detector.look(
      pictureOf([
        [3, 5, [255, 0, 0]],
        [9, 2, [0, 255, 0]],
        [11, 11, [0, 0, 255]],
      ]),
    );
    assert.deepEqual(
      things.map(({ class: name, box, colours }) => [
        name,
        box.map((share) => Math.round(12 * share * 1e5) / 1e5),
        colours.map(({ colour }) => colour),
      ]),
      [
        ['toothbrush', [9, 2, 1, 1], ['green']],
        ['dog', [3, 5, 1, 1], ['red']],
      ],
    );
    // Red of ImageNet: (1 - .485) / .229, with green and blue of black.
    const logit = (1 - 0.485) / 0.229 + 0.456 / 0.224 + 0.406 / 0.225 - 5;
    assert.ok(Math.abs(things[1]!.score - 1 / (1 + Math.exp(-logit))) < 1e-5, `${things[1]!.score}`);
  }
});

/** Outputs of two queries, the second of which sees nothing. */
function outputsOf(id: number, logit: number, box = [0.5, 0.5, 0.2, 0.2]) {
  const logits = new Float32Array(2 * ids).fill(-9);
  logits[id] = logit;
  const boxes = Float32Array.of(...box, 0.1, 0.1, 0.1, 0.1);
  return { pred_boxes: { data: boxes }, logits: { data: logits } };
}
const picture = { width: side, height: side };

test('the 80 classes are those of the ids of COCO that have one, in their order', () => {
  const { detectionsOf } = rfDetr(side, 'mine');
  const nameOf = (id: number) => {
    const [found] = detectionsOf(outputsOf(id, 2), picture);
    return found && classNames[found.label];
  };
  const names = Array.from({ length: ids }, (_, id) => nameOf(id));
  assert.deepEqual(
    names.filter((name) => name !== undefined),
    classNames,
  );
  const some = [1, 3, 13, 18, 44, 64, 70, 72, 90].map((id) => names[id]);
  assert.deepEqual(some, [
    ...['person', 'car', 'stop sign', 'dog', 'bottle', 'potted plant', 'toilet', 'tv', 'toothbrush'],
  ]);
});

test('what is unsure, no number or outside the picture is nothing, and boxes end with the picture', () => {
  const { detectionsOf } = rfDetr(side, 'mine');
  const found = (...of: Parameters<typeof outputsOf>) => detectionsOf(outputsOf(...of), picture);
  assert.equal(found(1, Math.log(0.41 / 0.59)).length, 1);
  assert.deepEqual(found(1, Math.log(0.39 / 0.61)), []);
  assert.deepEqual(found(1, Number.NaN), []);
  assert.deepEqual(found(1, 2, [1.2, 0.5, 0.2, 0.2]), []);
  assert.deepEqual(found(1, 2, [Number.NaN, 0.5, 0.2, 0.2]), []);
  const [{ box } = { box: [] }] = found(1, 2, [0, 0.5, 0.5, 2]);
  assert.deepEqual(box, [0, 0, 0.25, 1]);
});

test('a graph of another family, size or set of classes is an error that says so', async () => {
  await assert.rejects(opened(smallGraph(), { family: 'nanodet' }), {
    code: 'MODEL_LOAD_FAILED',
    message: /has no output Identity, Identity_3/,
  });
  await assert.rejects(opened(smallGraph({ boxes: 'boxes' })), { message: /has no output pred_boxes$/ });
  await assert.rejects(opened(smallGraph({ sides: [512, 512] })), {
    message: /takes pictures of 512×512 px, not of 384×384$/,
  });
  await assert.rejects(opened(smallGraph(), { frame_resolution: mostSide + 1 }), {
    code: 'MODEL_INVALID',
    message: /"mine" takes pictures of 513 px \(frame_resolution\)/,
  });
  const answer = { ...outputsOf(1, 2), logits: { data: new Float32Array(2 * 80) } };
  assert.throws(() => rfDetr(side, 'mine').detectionsOf(answer, picture), {
    code: 'MODEL_RUN_FAILED',
    message: /"mine" answers 160 logits for 2 boxes, not 91 for each/,
  });
});
