import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparation } from '../../../../actors/embedder/prepare.ts';
import { leastCosine } from '../../../../actors/models/agreement.ts';
import { multipliesBytes } from '../../../../actors/models/machine.ts';
import { forProcessor } from '../../../../actors/models/rewriting/for-processor.ts';
import { halves, inHalfPrecision } from '../../../../actors/models/rewriting/half-precision.ts';
import { readOnnx } from '../../../../actors/models/rewriting/open-graph.ts';
import { pictureBytes, takingBytes } from '../../../../actors/models/rewriting/picture-bytes.ts';
import { openSession, type TensorIn } from '../../../../actors/models/session.ts';
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { vitModel } from '../../../../bench/vit.ts';
import { createLog } from '../../../../runtime/log.ts';
import { seeded } from '../../../seeded.ts';
import { cosine, visionGraph } from '../../embedder/graphs.ts';

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

// Graphs that take bytes of pictures, against those that take floats.

const log = createLog('test', () => {});
const byteOptions = { device: 'cpu', threads: 1, log } as const;
const mean = [0.48145466, 0.4578275, 0.40821073] as const;
const std = [0.26862954, 0.26130258, 0.27577711] as const;
const pictures = { name: 'pixel_values', mean, std };

test('a vision transformer answers nearly the same for bytes as for floats', async () => {
  const side = 32;
  const onnx = onnxBytes(vitModel({ side, patch: 8, width: 64, layers: 2, heads: 4, dimensions: 48 }));
  const shape = { width: side, height: side, fit: 'stretch', resample: 'bilinear' } as const;
  const prepare = preparation({ shape, mean: [...mean], std: [...std] });
  const bytes = Uint8Array.from({ length: 3 * prepare.bytes }, (_, at) => (at * 7 + (at >> 5)) & 255);
  const floats = new Float32Array(3 * prepare.floats);
  for (let at = 0; at < 3; at++) prepare.fill(bytes.subarray(at * prepare.bytes), floats, at);
  const [usual, other] = [
    await openSession(onnx, byteOptions),
    await openSession(takingBytes(onnx, pictures), byteOptions),
  ];
  const before = await usual.run({ pixel_values: { data: floats, dims: [3, 3, side, side] } });
  const after = await other.run({ [pictureBytes]: { data: bytes, dims: [3, side, side, 3] } });
  const [a, b] = [before['image_embeds']!.data, after['image_embeds']!.data] as [Float32Array, Float32Array];
  for (let at = 0; at < 3; at++) {
    const [one, two] = [a, b].map((all) => all.subarray(at * 48, (at + 1) * 48)) as [
      Float32Array,
      Float32Array,
    ];
    const likeness = cosine(one, two) / Math.sqrt(cosine(one, one) * cosine(two, two));
    assert.ok(likeness > 0.99999, `${likeness}`);
  }
  await usual.release();
  await other.release();
});

test('a graph without such an input is refused by name', () => {
  const onnx = visionGraph({ output: 'pooler_output', input: 'images' });
  assert.throws(() => takingBytes(onnx, pictures), /pixel_values/);
  const bytes = visionGraph({ output: 'pooler_output', type: 'uint8' });
  assert.throws(() => takingBytes(bytes, pictures), /pixel_values/);
});

test('values of bytes are read from the field of their type, too', () => {
  const field = (number: number, bytes: readonly number[]) => [number * 8 + 2, bytes.length, ...bytes];
  const tensor = (name: string, type: number, packed: readonly number[]) =>
    field(5, [...field(1, [2]), 16, type, ...field(5, packed), ...field(8, [...Buffer.from(name)])]);
  const minusOne = [...new Array<number>(9).fill(255), 1];
  const graph = [...tensor('u', 2, [112, 200, 1]), ...tensor('i', 3, [...minusOne, 5])];
  const { initializers } = readOnnx(Uint8Array.from(field(7, graph)));
  assert.deepEqual(initializers.get('u')?.data, Uint8Array.of(112, 200));
  assert.deepEqual(initializers.get('i')?.data, Int8Array.of(-1, 5));
});
