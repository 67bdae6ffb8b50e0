import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multipliesBytes } from '../../../../actors/models/machine.ts';
import { forProcessor } from '../../../../actors/models/rewriting/for-processor.ts';
import { readOnnx } from '../../../../actors/models/rewriting/open-graph.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { createLog } from '../../../../runtime/log.ts';
import { seeded } from '../../../seeded.ts';

const size = [1, 3, 16, 16];
const random = seeded(11);
const some = (count: number) => Float32Array.from({ length: count }, () => random() * 2 - 1);
const picture = some(3 * 256);

/**
 * Convolutions with activations, a pool, maps side by side and a sum, as NanoDet has them; its values, and
 * the graph.
 */
function network(): { onnx: Uint8Array; made: string[] } {
  const graph = new GraphBuilder('network');
  const made: string[] = [];
  const conv = (value: string, [outputs, inputs]: readonly [number, number], side = 3) => {
    const weights = graph.floats([outputs, inputs, side, side], some(outputs * inputs * side * side));
    const pads = Array.from({ length: 4 }, () => (side - 1) / 2);
    made.push(graph.op('Conv', [value, weights, graph.floats([outputs], some(outputs))], { pads }));
    return graph.op('LeakyRelu', [made.at(-1)!], { alpha: { float: 0.1 } });
  };
  const first = conv(graph.input('image', 'float', size), [8, 3]);
  const pooled = graph.op('MaxPool', [first], { kernel_shape: [2, 2], strides: [2, 2] });
  const second = conv(pooled, [16, 8]);
  const both = graph.op('Concat', [second, conv(second, [16, 16])], { axis: 1 });
  const last = graph.op('Add', [conv(both, [16, 32], 1), conv(both, [16, 32])]);
  graph.output(last, 'map', 'float', [1, 16, 8, 8]);
  made.push(last);
  return { onnx: onnxBytes(graph.model()), made };
}

async function run(onnx: Uint8Array): Promise<Record<string, Float32Array>> {
  const session = await openSession(onnx, { device: 'cpu', threads: 1, log: createLog('test', () => {}) });
  const answers = await session.run({ image: { data: picture, dims: size } });
  await session.release();
  return Object.fromEntries(Object.entries(answers).map(([name, { data }]) => [name, data as Float32Array]));
}

const skip = !multipliesBytes() && 'the processor does not multiply bytes fast';

test('a graph in eight bits answers nearly the same within its ranges', { skip }, async () => {
  const { onnx, made } = network();
  const ports = made.map((name) => {
    return { name, type: 'float', dims: ['n', 'c', 'h', 'w'].map((axis) => name + axis) } as const;
  });
  const model = readOnnx(onnx);
  const values = await run(onnxBytes({ ...model, outputs: [...model.outputs, ...ports] }));
  const ranges = new Map(
    made.map((name) => [name, [Math.min(...values[name]!), Math.max(...values[name]!)] as const]),
  );
  const bytes = forProcessor(onnx, ranges);
  const { nodes } = readOnnx(bytes);
  const before = nodes.findIndex(({ op }) => op === 'QuantizeLinear');
  const ops = nodes.slice(0, before).map(({ op }) => op);
  assert.deepEqual(ops, ['Conv', 'MaxPool', 'LeakyRelu'], 'the picture is not rounded');
  const { map } = await run(bytes);
  const [least, most] = ranges.get(made.at(-1)!)!;
  const off = map!.reduce((sum, value, i) => sum + Math.abs(value - values['map']![i]!), 0) / map!.length;
  assert.ok(off > 0 && off < 0.01 * (most - least), `${off} of ${most - least}`);
});

test('what has no range, on its way in or out, is not rounded', () => {
  const { onnx, made } = network();
  const ranges = new Map(made.slice(0, 2).map((name) => [name, [-4, 4] as const]));
  const rounded = (graph: Uint8Array) =>
    readOnnx(graph).nodes.filter(({ op }) => op === 'QuantizeLinear').length;
  assert.equal(rounded(forProcessor(onnx, ranges)), 2);
  assert.equal(rounded(forProcessor(onnx, new Map([[made[2]!, [-4, 4] as const]]))), 0);
  assert.equal(rounded(forProcessor(onnx)), 0);
});
