// The operators of TensorFlow graphs that are known, each as ONNX operators. Values keep the layout of their
// graph, which is NHWC; what ONNX has in NCHW only is put between two transpositions, which onnxruntime takes
// away where two meet.
import type { GraphBuilder } from '../starter/graph/onnx.ts';
import {
  flagOf,
  floatOf,
  integersOf,
  type ModelJsonNode,
  textOf,
  textsOf,
  valuesOf,
  type Weight,
} from './model-json.ts';

// The weights of a TensorFlow.js model, as 32 bits: the form in which a model is stored may have fewer.

export interface Constant {
  readonly dims: readonly number[];
  readonly data: Float32Array | Int32Array;
}

/**
 * Weights by name. `bytes`: the files of the manifest one after another. Throws an `Error` that names the
 * weight.
 */
export function readWeights(weights: readonly Weight[], bytes: Uint8Array): Map<string, Constant> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const constants = new Map<string, Constant>();
  let at = 0;
  for (const weight of weights) {
    const count = weight.shape.reduce((product, dim) => product * dim, 1);
    const { size, read } = formOf(weight);
    const end = at + count * size;
    if (end > bytes.length) throw new Error(`${weight.name}: the weights end after ${bytes.length} bytes`);
    const data = weight.dtype === 'int32' ? new Int32Array(count) : new Float32Array(count);
    for (let i = 0; i < count; i++) data[i] = read(view, at + i * size);
    constants.set(weight.name, { dims: weight.shape, data });
    at = end;
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes of weights belong to nothing`);
  return constants;
}

interface Form {
  /** Bytes of a value. */
  readonly size: number;
  readonly read: (view: DataView, at: number) => number;
}

function formOf({ name, dtype, quantization }: Weight): Form {
  const stored = quantization?.dtype ?? dtype;
  if (dtype === 'int32' && !quantization) return { size: 4, read: (view, at) => view.getInt32(at, true) };
  if (dtype === 'float32') {
    if (stored === 'float32') return { size: 4, read: (view, at) => view.getFloat32(at, true) };
    if (stored === 'float16') return { size: 2, read: (view, at) => halves()[view.getUint16(at, true)]! };
    const { scale, min } = quantization!;
    if (stored === 'uint8' && scale !== undefined && min !== undefined)
      return { size: 1, read: (view, at) => view.getUint8(at) * scale + min };
  }
  throw new Error(`${name}: weights of type ${dtype}, stored as ${stored}, are not known`);
}

/** The value of every half-precision number, by its bits. */
function halves(): Float32Array {
  table ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => half(bits));
  return table;
}
let table: Float32Array | undefined;

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Context of a node's conversion. */
export interface NodeConversion {
  readonly builder: GraphBuilder;
  readonly node: ModelJsonNode;
  /** The name of an input in the new graph. */
  value(index: number): string;
  /** Null where the input is computed. */
  constant(index: number): Constant | null;
}

/** Names of the outputs, or a constant. */
export type OperatorOutput = readonly string[] | Constant;
type Operator = (scope: NodeConversion) => OperatorOutput;

const toPlanes = [0, 3, 1, 2];
const fromPlanes = [0, 2, 3, 1];

export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['Identity', ({ value }) => [value(0)]],
  ['Sigmoid', ({ builder, value }) => [builder.op('Sigmoid', [value(0)])]],
  ['Relu', ({ builder, value }) => [builder.op('Relu', [value(0)])]],
  ['LeakyRelu', leakyRelu],
  ['Prelu', prelu],
  ['Add', add],
  ['AddV2', add],
  ['Conv2D', convolution],
  ['DepthwiseConv2dNative', convolution],
  ['_FusedConv2D', convolution],
  ['MaxPool', maxPool],
  ['Pad', pad],
  ['PadV2', pad],
  ['Transpose', transpose],
  ['Reshape', reshape],
  ['ConcatV2', concatenation],
  ['SplitV', split],
  ['ResizeBilinear', resize],
  ['SparseToDense', dense],
]);

/** Elements of an input that has to be a constant. */
function numbers({ node, constant }: NodeConversion, index: number): number[] {
  const input = constant(index);
  if (input) return Array.from(input.data);
  throw new Error(`${node.name}: input ${index} of ${node.op} has to be a constant`);
}

function refuse({ name, op }: ModelJsonNode, what: string): never {
  throw new Error(`${name}: ${op} with ${what} is not known`);
}

function leakyRelu({ builder, node, value }: NodeConversion): OperatorOutput {
  return [builder.op('LeakyRelu', [value(0)], { alpha: { float: floatOf(node, 'alpha', 0.2) } })];
}

/** Adds constants at once, since shapes are computed by it. */
function add({ builder, node, value, constant }: NodeConversion): OperatorOutput {
  const [a, b] = [constant(0), constant(1)];
  if (!(a?.data instanceof Int32Array && b?.data instanceof Int32Array))
    return [builder.op('Add', [value(0), value(1)])];
  const [longer, shorter] = a.data.length >= b.data.length ? [a, b] : [b, a];
  const { length } = shorter.data;
  if (length !== 1 && length !== longer.data.length) refuse(node, 'integers of two lengths');
  const data = Int32Array.from(longer.data, (integer, i) => integer + shorter.data[length === 1 ? 0 : i]!);
  return { dims: longer.dims, data };
}

/** Multiplies values below zero by a constant of their channel. */
function prelu(scope: NodeConversion): OperatorOutput {
  return [scope.builder.op('PRelu', [scope.value(0), slopes(scope, 1, [])])];
}

/** `planes`: what comes behind the channels in the layout of the value. */
function slopes(scope: NodeConversion, index: number, planes: readonly number[]): string {
  const values = numbers(scope, index);
  return scope.builder.floats([values.length, ...planes], values);
}

/** Also one that works on each channel by itself, and one with what follows it: a bias and an activation. */
function convolution(scope: NodeConversion): OperatorOutput {
  const { builder, node, value, constant } = scope;
  const filter = constant(1);
  if (filter?.dims.length !== 4) return refuse(node, 'a filter that is computed');
  const [height, width, channels, each] = filter.dims as [number, number, number, number];
  const isDepthwise = node.op === 'DepthwiseConv2dNative';
  const [inputs, outputs] = isDepthwise ? [1, channels * each] : [channels, each];
  const window = { kernel_shape: [height, width], ...windowOf(node) };
  const turned = outputsFirst({ dims: [height, width, inputs, outputs], data: filter.data });
  const weights = builder.tensor('float', [outputs, inputs, height, width], turned);
  const dilations = integersOf(node, 'dilations').slice(1, 3);
  const planes = builder.op('Transpose', [value(0)], { perm: toPlanes });
  const [bias, activation, ...more] = textsOf(node, 'fused_ops');
  if ((bias ?? 'BiasAdd') !== 'BiasAdd' || more.length > 0)
    refuse(node, `the operators ${textsOf(node, 'fused_ops')}`);
  const output = builder.op('Conv', [planes, weights, ...(bias ? [value(2)] : [])], {
    ...window,
    ...(dilations.length > 0 && { dilations }),
    ...(isDepthwise && { group: channels }),
  });
  return [builder.op('Transpose', [activated(scope, output, activation)], { perm: fromPlanes })];
}

/** `planes`: what a fused convolution has made, in planes. */
function activated(scope: NodeConversion, planes: string, activation: string | undefined): string {
  if (activation === undefined) return planes;
  if (activation === 'Relu') return scope.builder.op('Relu', [planes]);
  if (activation === 'Prelu') return scope.builder.op('PRelu', [planes, slopes(scope, 3, [1, 1])]);
  return refuse(scope.node, `the activation ${activation}`);
}

/** From height, width, inputs, outputs to outputs, inputs, height, width. */
function outputsFirst({ dims, data }: Constant): Float32Array {
  const [height, width, inputs, outputs] = dims as [number, number, number, number];
  const turned = new Float32Array(data.length);
  const cells = height * width;
  for (let cell = 0, from = 0; cell < cells; cell++)
    for (let i = 0; i < inputs; i++)
      for (let o = 0; o < outputs; o++, from++) turned[(o * inputs + i) * cells + cell] = data[from]!;
  return turned;
}

function maxPool({ builder, node, value }: NodeConversion): OperatorOutput {
  const kernel_shape = integersOf(node, 'ksize').slice(1, 3);
  const planes = builder.op('Transpose', [value(0)], { perm: toPlanes });
  const maxima = builder.op('MaxPool', [planes], { kernel_shape, ...windowOf(node) });
  return [builder.op('Transpose', [maxima], { perm: fromPlanes })];
}

/** How a window moves, and what it does at the edges. */
function windowOf(node: ModelJsonNode) {
  const layout = textOf(node, 'data_format') ?? 'NHWC';
  if (layout !== 'NHWC') refuse(node, `layout ${layout}`);
  const padding = textOf(node, 'padding') ?? '';
  if (padding !== 'VALID' && padding !== 'SAME') refuse(node, `padding ${padding}`);
  const auto_pad = padding === 'SAME' ? 'SAME_UPPER' : 'VALID';
  return { auto_pad, strides: integersOf(node, 'strides').slice(1, 3) };
}

/** Paddings are pairs of before and after; ONNX wants all that come before first. */
function pad(scope: NodeConversion): OperatorOutput {
  const { builder, node, value } = scope;
  const pairs = numbers(scope, 1);
  const before = pairs.filter((_, i) => i % 2 === 0);
  const after = pairs.filter((_, i) => i % 2 === 1);
  const fill = valuesOf(node).length > 2 ? [value(2)] : [];
  return [builder.op('Pad', [value(0), builder.ints([...before, ...after]), ...fill])];
}

function transpose(scope: NodeConversion): OperatorOutput {
  return [scope.builder.op('Transpose', [scope.value(0)], { perm: numbers(scope, 1) })];
}

function reshape(scope: NodeConversion): OperatorOutput {
  return [scope.builder.op('Reshape', [scope.value(0), scope.builder.ints(numbers(scope, 1))])];
}

function concatenation(scope: NodeConversion): OperatorOutput {
  const { builder, node, value } = scope;
  const last = valuesOf(node).length - 1;
  const parts = Array.from({ length: last }, (_, i) => value(i));
  return [builder.op('Concat', parts, { axis: numbers(scope, last)[0]! })];
}

function split(scope: NodeConversion): OperatorOutput {
  const { builder, value } = scope;
  const sizes = numbers(scope, 1);
  return builder.ops('Split', [value(0), builder.ints(sizes)], sizes.length, { axis: numbers(scope, 2)[0]! });
}

function resize(scope: NodeConversion): OperatorOutput {
  const { builder, node, value } = scope;
  const corners = flagOf(node, 'align_corners');
  const centres = flagOf(node, 'half_pixel_centers');
  const mode = corners ? 'align_corners' : centres ? 'half_pixel' : 'asymmetric';
  const planes = builder.op('Transpose', [value(0)], { perm: toPlanes });
  const outer = builder.op('Shape', [planes], { start: 0, end: 2 });
  const sizes = builder.op('Concat', [outer, builder.ints(numbers(scope, 1))], { axis: 0 });
  const options = { mode: 'linear', coordinate_transformation_mode: mode };
  const output = builder.op('Resize', [planes, '', '', sizes], options);
  return [builder.op('Transpose', [output], { perm: fromPlanes })];
}

/** Sets values in a constant: indices, the shape, a value for each index, and one for all others. */
function dense(scope: NodeConversion): OperatorOutput {
  const [places, dims, values, [defaultValue = 0]] = [0, 1, 2, 3].map((i) => numbers(scope, i)) as [
    number[],
    number[],
    number[],
    number[],
  ];
  const data = new Int32Array(dims.reduce((product, dim) => product * dim, 1)).fill(defaultValue);
  const count = places.length / dims.length;
  for (let i = 0; i < count; i++) {
    const place = places.slice(i * dims.length, (i + 1) * dims.length);
    const at = place.reduce((sum, position, axis) => sum * dims[axis]! + position, 0);
    data[at] = values[values.length === 1 ? 0 : i]!;
  }
  return { dims, data };
}
