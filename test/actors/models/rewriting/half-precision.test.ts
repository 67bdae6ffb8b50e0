import assert from 'node:assert/strict';
import test from 'node:test';
import { leastCosine } from '../../../../actors/models/agreement.ts';
import { halves, inHalfPrecision } from '../../../../actors/models/rewriting/half-precision.ts';
import { openSession, type TensorIn } from '../../../../actors/models/session.ts';
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { vitModel } from '../../../../bench/vit.ts';
import { createLog } from '../../../../runtime/log.ts';

const options = { device: 'cpu', threads: 1, log: createLog('test', () => {}) } as const;

test('a transformer in half precision has the ports of its file and answers nearly the same', async () => {
  const size = { side: 32, patch: 8, width: 64, layers: 2, heads: 2, dimensions: 16 };
  const onnx = onnxBytes(vitModel(size));
  const halved = inHalfPrecision(onnx);
  assert.ok(halved.length < 0.6 * onnx.length, `${halved.length} bytes of ${onnx.length}`);
  const data = Float32Array.from({ length: 2 * 3 * 32 * 32 }, (_, at) => Math.sin(at * at) * 2);
  const feeds: Record<string, TensorIn> = { pixel_values: { data, dims: [2, 3, 32, 32] } };
  const sessions = [await openSession(onnx, options), await openSession(halved, options)];
  assert.deepEqual(sessions[1]!.inputs, sessions[0]!.inputs);
  assert.deepEqual(sessions[1]!.outputs, sessions[0]!.outputs);
  const [exact, half] = await Promise.all(sessions.map((session) => session.run(feeds)));
  const cosine = leastCosine(half!, exact!);
  assert.ok(cosine > 0.9999 && cosine < 1, `${cosine}`);
  for (const session of sessions) await session.release();
});

test('a graph with an operator that is not known is refused by its name', () => {
  const graph = new GraphBuilder('one');
  const x = graph.input('x', 'float', ['n', 2]);
  graph.output(graph.op('LSTM', [x]), 'y', 'float', ['n', 2]);
  assert.throws(() => inHalfPrecision(onnxBytes(graph.model())), /LSTM is not known/);
});

test('numbers are rounded to the nearest of half precision, ties to the even one', () => {
  const cases: [number, number][] = [
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [1 + 2 ** -11 + 2 ** -20, 0x3c01],
    [2 - 2 ** -12, 0x4000],
    [65_504, 0x7bff],
    [70_000, 0x7bff],
    [-Number.POSITIVE_INFINITY, 0xfbff],
    [2 ** -14, 0x0400],
    [2 ** -14 - 2 ** -26, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [3 * 2 ** -25, 0x0002],
  ];
  assert.deepEqual(
    [...halves(Float32Array.from(cases, ([value]) => value))],
    cases.map(([, bits]) => bits),
  );
  assert.equal(halves(Float32Array.of(Number.NaN))[0]! & 0x7e00, 0x7e00);
});
