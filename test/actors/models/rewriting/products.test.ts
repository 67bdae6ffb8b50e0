import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOnnx } from '../../../../actors/models/rewriting/open-graph.ts';
import { productsInBytes } from '../../../../actors/models/rewriting/products.ts';
import { openSession } from '../../../../actors/models/session.ts';
import {
  GraphBuilder,
  type GraphNode,
  onnxBytes,
  type Tensor,
} from '../../../../actors/models/starter/graph/onnx.ts';
import { createLog } from '../../../../runtime/log.ts';

const options = { device: 'cpu', threads: 1, log: createLog('test', () => {}) } as const;
const [width, words] = [64, 300];
const wave = (length: number, step: number) => Float32Array.from({ length }, (_, at) => Math.sin(at * step));

/**
 * y: what is chosen of a product with weights that are held in bytes, as rows of an embedding, and one with
 * floats. Both branches take the weights of the graph around them, as merged decoders do.
 */
function branching(): Uint8Array {
  const stored = Uint8Array.from({ length: words * width }, (_, at) => (at * 31) % 256);
  const dims = ['n', words];
  const output = { name: 'y', type: 'float', dims } as const;
  const turned: GraphNode[] = [
    { op: 'Transpose', inputs: ['stored'], outputs: ['turned'], attributes: { perm: [1, 0] } },
    { op: 'DequantizeLinear', inputs: ['turned', 'scale', 'zero'], outputs: ['weights'] },
    { op: 'MatMul', inputs: ['x', 'weights'], outputs: ['y'] },
  ];
  // The runtime itself does not find these around a branch.
  const form = new Map<string, Tensor>([
    ['scale', { type: 'float', dims: [], data: Float32Array.of(0.01) }],
    ['zero', { type: 'uint8', dims: [], data: Uint8Array.of(112) }],
  ]);
  const body = { name: 'branch', inputs: [], outputs: [output], initializers: new Map() };
  return onnxBytes({
    name: 'branching',
    inputs: [
      { name: 'x', type: 'float', dims: ['n', width] },
      { name: 'held', type: 'bool', dims: [] },
    ],
    outputs: [output],
    initializers: new Map([
      ['stored', { type: 'uint8', dims: [words, width], data: stored }],
      ['floats', { type: 'float', dims: [width, words], data: wave(width * words, 0.37) }],
    ]),
    nodes: [
      { op: 'MatMul', inputs: ['x', 'floats'], outputs: ['product'] },
      {
        op: 'If',
        inputs: ['held'],
        outputs: ['y'],
        attributes: {
          then_branch: { graph: { ...body, nodes: turned, initializers: form } },
          else_branch: {
            graph: { ...body, nodes: [{ op: 'Identity', inputs: ['product'], outputs: ['y'] }] },
          },
        },
      },
    ],
  });
}

async function answered(graph: Uint8Array, held: boolean): Promise<Float32Array> {
  const session = await openSession(graph, options);
  const x = { data: wave(2 * width, 0.11), dims: [2, width] };
  const { y } = await session.run({ x, held: { data: Uint8Array.of(Number(held)), dims: [], type: 'bool' } });
  await session.release();
  return y!.data as Float32Array;
}

const operators = (graph: Uint8Array) => {
  const { nodes } = readOnnx(graph);
  const branch = nodes.at(-1)!.attributes!['then_branch'] as { graph: { nodes: readonly GraphNode[] } };
  return [nodes, branch.graph.nodes].map((list) => list.map(({ op }) => op).join(' '));
};

test('a product with weights in bytes is computed in bytes, in a branch too, and answers nearly the same', async () => {
  const plain = branching();
  const graph = productsInBytes(plain);
  assert.deepEqual(operators(graph), [
    'MatMul If',
    'Transpose DynamicQuantizeLinear MatMulInteger Cast Mul Mul',
  ]);
  const [expected, found] = [await answered(plain, true), await answered(graph, true)];
  const most = expected.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const furthest = found.reduce((far, value, at) => Math.max(far, Math.abs(value - expected[at]!)), 0);
  assert(furthest > 0 && furthest < 0.02 * most, `${furthest} of ${most}`);
  assert.deepEqual(await answered(graph, false), await answered(plain, false), 'products of floats stay');
});

test('weights are still converted where something else takes them', async () => {
  const graph = new GraphBuilder('shared');
  const x = graph.input('x', 'float', ['n', width]);
  const stored = graph.tensor(
    'uint8',
    [width, words],
    Uint8Array.from(wave(width * words, 0.2), (one) => 128 + 100 * one),
  );
  const weights = graph.op('DequantizeLinear', [
    stored,
    graph.scalar(0.01),
    graph.tensor('uint8', [], Uint8Array.of(128)),
  ]);
  const row = graph.op('Gather', [weights, graph.ints([3])]);
  graph.output(graph.op('Add', [graph.op('MatMul', [x, weights]), row]), 'y', 'float', ['n', words]);
  const plain = onnxBytes(graph.model());
  const [expected, found] = [await answered(plain, true), await answered(productsInBytes(plain), true)];
  assert(found.every((value, at) => Math.abs(value - expected[at]!) < 0.1));
});
