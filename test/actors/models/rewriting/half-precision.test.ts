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

test('every number of half precision keeps its bits; between two, the nearer one is taken, or the even one', () => {
  for (let bits = 0; bits < 0x7bff; bits++) {
    const [value, next] = [numberOf(bits), numberOf(bits + 1)];
    const step = next - value;
    const asked = [value, -value, value + step / 2, value + 0.49 * step, value + 0.51 * step];
    const tie = bits + (bits & 1);
    const expected = [bits, bits | 0x8000, tie, bits, bits + 1];
    assert.deepEqual([...halves(Float32Array.from(asked))], expected, `${value}`);
  }
});

test('what is larger than all numbers of half precision becomes the largest, and no number stays none', () => {
  const asked = [65_504, 65_519, 70_000, 3e38, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  assert.deepEqual([...halves(Float32Array.from(asked))], [...Array(5).fill(0x7bff), 0xfbff]);
  assert.deepEqual([...halves(Float32Array.of(Number.NaN, 2 ** -26))], [0x7e00, 0]);
});

/** Of positive ones. */
function numberOf(bits: number): number {
  const [exponent, fraction] = [bits >> 10, bits & 1023];
  return exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
}
