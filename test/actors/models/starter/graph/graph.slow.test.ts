import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { evidenceCount } from '../../../../../actors/models/starter/evidence.ts';
import { buildStarterVisual } from '../../../../../actors/models/starter/graph/graph.ts';
import {
  GraphBuilder,
  type OnnxModel,
  onnxBytes,
  onnxChunks,
} from '../../../../../actors/models/starter/graph/onnx.ts';
import { DIMENSIONS } from '../../../../../actors/models/starter/layout.ts';
import { drawSet } from '../drawings/set.ts';
import { dot, open, openStarter } from '../starter-model.ts';

test('the graph has the same bytes every time, on every machine, and is small', () => {
  const bytes = buildStarterVisual();
  assert.deepEqual(bytes, buildStarterVisual());
  assert.ok(bytes.length < 5_000_000);
  assert.equal(
    createHash('sha256').update(bytes).digest('hex'),
    '46eb2e3c3d08c125cd58e7e4ad4f164a638ef41ad24832c8b12ba22556fb6718',
    'the vectors of this graph differ from the ones stored before: a changed model needs this hash changed too',
  );
});

test('the graph declares bytes in and a vector out, for any batch', async () => {
  const session = await open(buildStarterVisual());
  assert.deepEqual(session.inputs, [{ name: 'pixels', type: 'uint8', shape: ['batch', 224, 224, 3] }]);
  assert.deepEqual(session.outputs, [
    { name: 'vector', type: 'float32', shape: ['batch', DIMENSIONS] },
    { name: 'evidence', type: 'float32', shape: ['batch', evidenceCount] },
  ]);
  await session.release();
});

test('a picture has the same vector alone and among others', async () => {
  const starter = await openStarter();
  const pictures = drawSet(8, 5, ['street']).map(({ pixels }) => pixels);
  const [together, alone] = [await starter.pictures(pictures), await starter.pictures(pictures.slice(3, 4))];
  assert.ok(dot(together[3]!, alone[0]!) > 1 - 1e-6);
  await starter.close();
});

test('frames of one colour, black and white among them, have finite vectors of length 1', async () => {
  const starter = await openStarter();
  const flat = [0, 1, 127, 255].map((level) => new Uint8Array(224 * 224 * 3).fill(level));
  for (const vector of await starter.pictures(flat)) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-4);
  await starter.close();
});

test('a written graph runs: attributes of every kind, initializers of every type, symbolic dimensions', async () => {
  const b = new GraphBuilder('every-kind');
  const x = b.input('x', 'uint8', ['batch', 2, 2, 1]);
  const planes = b.op('Transpose', [b.op('Cast', [x], { to: 1 })], { perm: [0, 3, 1, 2] });
  const sum = b.op('Conv', [planes, b.floats([1, 1, 2, 2], [1, 1, 1, 1])], { kernel_shape: [2, 2] });
  const row = b.op('Reshape', [sum, b.ints([0, -1])]);
  const clipped = b.op('Elu', [b.op('Sub', [row, b.scalar(20)])], { alpha: { float: 2 } });
  const shift = b.op('Constant', [], {
    value: { tensor: { type: 'float', dims: [1], data: Float32Array.of(0.5) } },
  });
  const pair = b.op('Constant', [], { value_floats: { floats: [1, -1] } });
  const small = [
    b.tensor('int8', [1], Int8Array.of(-3)),
    b.tensor('int32', [1], Int32Array.of(-70_000)),
    b.tensor('bool', [1], Uint8Array.of(1)),
    b.tensor('float16', [1], Uint16Array.of(0x3c00)),
  ].map((name) => b.op('Cast', [name], { to: 1 }));
  const extra = b.op('Sum', small);
  const all = b.op('Add', [b.op('Add', [b.op('Mul', [clipped, pair]), shift]), extra]);
  b.output(all, 'y', 'float', ['batch', 2]);
  const session = await open(onnxBytes(b.model({ metadata: { made_by: 'test' } })));
  assert.deepEqual(session.inputs, [{ name: 'x', type: 'uint8', shape: ['batch', 2, 2, 1] }]);
  const input = { data: Uint8Array.of(1, 2, 3, 4, 10, 10, 10, 10), dims: [2, 2, 2, 1] };
  const { y } = await session.run({ x: input });
  const low = 2 * (Math.exp(-10) - 1);
  const offset = 0.5 - 3 - 70_000 + 1 + 1;
  assert.deepEqual(y?.dims, [2, 2]);
  const expected = [low + offset, -low + offset, 20 + offset, -20 + offset];
  for (const [i, value] of expected.entries()) assert.ok(Math.abs((y.data[i] as number) - value) < 0.01);
});

test('the same graph gives the same bytes, and the pieces are the bytes', () => {
  const make = () => {
    const b = new GraphBuilder('twice');
    b.output(b.op('Add', [b.input('x', 'float', [1]), b.floats([1], [2])]), 'y', 'float', [1]);
    return b.model();
  };
  assert.deepEqual(onnxBytes(make()), onnxBytes(make()));
  assert.deepEqual(Buffer.concat([...onnxChunks(make())]), Buffer.from(onnxBytes(make())));
});

test('pieces of a large initializer are the memory of the graph, not a copy of it', () => {
  const weights = new Float32Array(4_000_000);
  const b = new GraphBuilder('large');
  const w = b.tensor('float', [2000, 2000], weights);
  b.output(b.op('MatMul', [b.input('x', 'float', ['batch', 2000]), w]), 'y', 'float', ['batch', 2000]);
  const pieces = [...onnxChunks(b.model())];
  assert.equal(pieces.filter((piece) => piece.buffer === weights.buffer).length, 1);
  assert.ok(pieces.length < 20);
});

test('a tensor whose data do not fill its dimensions or are of another width is refused by name', () => {
  const model = (data: Float32Array | Uint8Array): OnnxModel => ({
    name: 'bad',
    inputs: [],
    outputs: [],
    nodes: [],
    initializers: new Map([['w', { type: 'float', dims: [2, 2], data }]]),
  });
  assert.throws(() => onnxBytes(model(new Float32Array(3))), /tensor w: 3 elements/);
  assert.throws(() => onnxBytes(model(new Uint8Array(4))), /tensor w: 4 elements of 1 bytes/);
});

test('a graph that onnxruntime cannot check is refused when it is opened', async () => {
  const b = new GraphBuilder('broken');
  b.output(b.op('NoSuchOp', [b.input('x', 'float', [1])]), 'y', 'float', [1]);
  await assert.rejects(open(onnxBytes(b.model())), /NoSuchOp/);
});
