// Graphs in the form that other frameworks write them, before and after: the same answers from fewer nodes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forProcessor } from '../../../../actors/models/rewriting/for-processor.ts';
import { readOnnx } from '../../../../actors/models/rewriting/open-graph.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { createLog } from '../../../../runtime/log.ts';
import { seeded } from '../../../seeded.ts';

const size: readonly number[] = [1, 8, 10, 12];
const random = seeded(7);
const some = (count: number) => Float32Array.from({ length: count }, () => random() * 2 - 1);
const picture = some(size.reduce((all, side) => all * side, 1));
const log = createLog('test', () => {});

type Build = (graph: GraphBuilder, image: string) => string;

function graphOf(build: Build, opset = 17): Uint8Array {
  const graph = new GraphBuilder('before');
  graph.output(build(graph, graph.input('image', 'float', size)), 'map', 'float', ['n', 'c', 'h', 'w']);
  return onnxBytes(graph.model({ opset }));
}

async function answer(onnx: Uint8Array, convolutional: boolean): Promise<ArrayLike<number>> {
  const session = await openSession(onnx, { device: 'cpu', threads: 1, log, convolutional });
  const { map } = await session.run({ image: { data: picture, dims: size } });
  await session.release();
  return map!.data as Float32Array;
}

/** The operators of the graph that is run in its place, in alphabetical order. */
async function answersSame(onnx: Uint8Array): Promise<string[]> {
  const [before, after] = [await answer(onnx, false), await answer(onnx, true)];
  assert.equal(after.length, before.length);
  const most = Math.max(...Array.from(before, Math.abs));
  for (let i = 0; i < before.length; i++)
    assert.ok(Math.abs(after[i]! - before[i]!) <= 1e-5 * most, `${i}: ${after[i]} instead of ${before[i]}`);
  const { nodes } = readOnnx(forProcessor(onnx));
  return nodes.map(({ op }) => op).toSorted();
}

/** A convolution of `inputs` channels; one by one where there is a group for each. */
function conv(
  graph: GraphBuilder,
  value: string,
  [outputs, inputs, side]: readonly [number, number, number],
  { bias = true, ...more }: { bias?: boolean; strides?: number[]; group?: number } = {},
): string {
  const weights = graph.floats([outputs, inputs, side, side], some(outputs * inputs * side * side));
  const pads = Array.from({ length: 4 }, () => (side === 3 ? 1 : 0));
  const summands = bias ? [graph.floats([outputs], some(outputs))] : [];
  return graph.op('Conv', [value, weights, ...summands], { pads, ...more });
}

const hardSwish = (graph: GraphBuilder, value: string, isOld: boolean) => {
  const sum = graph.op('Add', [value, graph.scalar(3)]);
  const share = isOld
    ? graph.op('Clip', [sum], { min: { float: 0 }, max: { float: 6 } })
    : graph.op('Clip', [sum, graph.scalar(0), graph.scalar(6)]);
  return graph.op('Div', [graph.op('Mul', [value, share]), graph.scalar(6)]);
};

test('padding and biases around transpositions become part of convolutions', async () => {
  const onnx = graphOf((graph, image) => {
    const lying = graph.op('Transpose', [image], { perm: [0, 2, 3, 1] });
    const upright = graph.op('Transpose', [lying], { perm: [0, 3, 1, 2] });
    const padded = graph.op('Pad', [upright, graph.ints([0, 0, 1, 0, 0, 0, 2, 1])]);
    const weights = graph.floats([4, 8, 3, 3], some(288));
    const made = graph.op('Conv', [padded, weights], { auto_pad: 'VALID', strides: [2, 2] });
    const turned = graph.op('Transpose', [made], { perm: [0, 2, 3, 1] });
    const sum = graph.op('Add', [turned, graph.floats([4], some(4))]);
    return graph.op('LeakyRelu', [graph.op('Transpose', [sum], { perm: [0, 3, 1, 2] })]);
  });
  assert.deepEqual(await answersSame(onnx), ['Conv', 'Identity', 'LeakyRelu']);
});

test('padding with other values than zero stays', async () => {
  const onnx = graphOf((graph, image) => {
    const padded = graph.op('Pad', [image, graph.ints([0, 0, 1, 1, 0, 0, 1, 1]), graph.scalar(0.5)]);
    return conv(graph, padded, [4, 8, 1]);
  });
  assert.deepEqual(await answersSame(onnx), ['Conv', 'Identity', 'Pad']);
});

for (const opset of [10, 17]) {
  test(`factors, summands and hard swishes become convolutions in operator set ${opset}`, async () => {
    const onnx = graphOf((graph, image) => {
      const first = conv(graph, image, [8, 8, 3]);
      const means = [some(8), some(8), some(8), some(8).map(Math.abs)].map((one) => graph.floats([8], one));
      const plain = graph.op('BatchNormalization', [first, ...means]);
      const before = graph.op('Add', [
        graph.op('Mul', [graph.floats([1], [-1.7]), plain]),
        graph.scalar(0.6),
      ]);
      const swish = hardSwish(graph, before, opset === 10);
      const after = graph.op('Add', [graph.op('Mul', [swish, graph.scalar(-0.4)]), graph.scalar(0.9)]);
      // One that sees the summand up to its edge and one that sees zeros around it.
      return graph.op('Add', [conv(graph, after, [8, 8, 1]), conv(graph, after, [8, 1, 3], { group: 8 })]);
    }, opset);
    const left = await answersSame(onnx);
    assert.deepEqual(left, ['Add', 'Clip', ...Array.from({ length: 5 }, () => 'Conv'), 'Identity', 'Mul']);
  });
}

test('a value that somebody else takes too is kept as it is', async () => {
  const onnx = graphOf((graph, image) => {
    const made = conv(graph, image, [8, 8, 1]);
    return graph.op('Add', [made, graph.op('Mul', [made, graph.scalar(3)])]);
  });
  assert.deepEqual(await answersSame(onnx), ['Add', 'Conv', 'Identity', 'Mul']);
});

test('a graph is read as it was written', () => {
  const graph = new GraphBuilder('all');
  const image = graph.input('image', 'float', ['n', 3]);
  const attributes = { one: -2, word: 'ä', list: [1, -3], part: { float: 0.5 }, parts: { floats: [1, 2] } };
  const tensor = { type: 'int8', dims: [2], data: Int8Array.of(-1, 5) } as const;
  graph.output(
    graph.op('Odd', [image, graph.ints([4, -5])], { ...attributes, tensor: { tensor } }),
    'out',
    'int64',
    [],
  );
  const model = graph.model({ opset: 13, domains: { 'com.microsoft': 1 } });
  const read = readOnnx(onnxBytes(model));
  assert.deepEqual(onnxBytes(read), onnxBytes(model));
  assert.deepEqual(read.nodes[0]!.attributes, { ...attributes, tensor: { tensor } });
});

test('a graph that is not understood is run as it is, and the log says why', async () => {
  const onnx = graphOf((graph, image) => {
    const two = graph.op('Constant', [], { value_float: { float: 2 } });
    return graph.op('Mul', [image, two]);
  });
  const lines: string[] = [];
  const own = createLog('test', (line) => void lines.push(JSON.stringify(line)));
  const session = await openSession(onnx, { device: 'cpu', threads: 1, log: own, convolutional: true });
  const { map } = await session.run({ image: { data: picture, dims: size } });
  await session.release();
  assert.equal(map!.data[5], picture[5]! * 2);
  assert.match(lines.join(), /run as it is.*is no tensor/);
  assert.throws(() => readOnnx(onnx.subarray(0, onnx.length - 20)), /cut short/);
});
