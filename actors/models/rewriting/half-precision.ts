// A graph that computes in half precision, as graphics cards do at twice the speed or more: weights and the
// values between nodes are of 16 bits, what goes in and comes out stays as it is.
import { type Attribute, type GraphNode, onnxBytes, type Tensor } from '../starter/graph/onnx.ts';
import { readOnnx } from './open-graph.ts';

/** Operators whose numbers may all have 16 bits. Others have inputs that must be floats, or are not known. */
const halfOperators = new Set(
  [
    'Add Cast Clip Concat Constant ConstantOfShape Conv Div Equal Erf Exp Expand Flatten Gather Gelu Gemm',
    'GlobalAveragePool Identity LayerNormalization MatMul Max Min Mul Neg Pow ReduceL2 ReduceMean ReduceSum',
    'Relu Reshape Shape Sigmoid Slice Softmax Split Sqrt Squeeze Sub Tanh Transpose Unsqueeze Where',
  ].flatMap((line) => line.split(' ')),
);
const [float, half] = [1, 10];
/** 65,504 and what is no number, by their bits. */
const [largest, nan] = [0x7bff, 0x7e00];

/** Throws an `Error` that says what of the graph is not understood. *New memory.* */
export function inHalfPrecision(onnx: Uint8Array): Uint8Array {
  const model = readOnnx(onnx);
  const unknown = model.nodes.find(
    ({ op, domain }) => !halfOperators.has(op) || (domain ?? 'ai.onnx') !== 'ai.onnx',
  );
  if (unknown) throw new Error(`${unknown.op} is not known to compute in half precision`);
  const names = new Map<string, string>();
  const cast = (from: string, to: string, type: number): GraphNode => {
    return { op: 'Cast', inputs: [from], outputs: [to], attributes: { to: type } };
  };
  const floats = ({ type }: { readonly type: string }) => type === 'float';
  const before = model.inputs.filter(floats).map(({ name }) => {
    names.set(name, `half_${name}`);
    return cast(name, `half_${name}`, half);
  });
  const after = model.outputs.filter(floats).map(({ name }) => {
    names.set(name, `half_${name}`);
    return cast(`half_${name}`, name, float);
  });
  const named = (values: readonly string[]) => values.map((value) => names.get(value) ?? value);
  const nodes = model.nodes.map((node) => ({
    ...node,
    inputs: named(node.inputs),
    outputs: named(node.outputs),
    ...(node.attributes && { attributes: halved(node) }),
  }));
  const initializers = new Map(
    Array.from(model.initializers, ([name, tensor]) => [names.get(name) ?? name, inHalf(tensor)] as const),
  );
  return onnxBytes({ ...model, nodes: [...before, ...nodes, ...after], initializers });
}

function halved({ op, attributes = {} }: GraphNode): Record<string, Attribute> {
  const convert = ([name, value]: [string, Attribute]): [string, Attribute] => {
    if (op === 'Cast' && name === 'to' && value === float) return [name, half];
    if (typeof value === 'object' && 'tensor' in value) return [name, { tensor: inHalf(value.tensor) }];
    if (op === 'Constant' && typeof value === 'object' && ('float' in value || 'floats' in value))
      throw new Error('a constant is no tensor');
    return [name, value];
  };
  return Object.fromEntries(Object.entries(attributes).map(convert));
}

function inHalf(tensor: Tensor): Tensor {
  if (tensor.type !== 'float') return tensor;
  return { ...tensor, type: 'float16', data: halves(tensor.data as Float32Array) };
}

/**
 * The nearest numbers of half precision, by their bits; a tie goes to the even one. What is larger than all
 * is the largest. By integers alone: a model has a hundred million of them.
 */
export function halves(values: Float32Array): Uint16Array<ArrayBuffer> {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const result = new Uint16Array(values.length);
  for (let at = 0; at < result.length; at++) {
    const bit = bits[at]!;
    const sign = (bit >>> 16) & 0x8000;
    const exponent = ((bit >>> 23) & 255) - 112;
    if (exponent > 0) {
      const isNumber = exponent < 143 || (bit & 0x7fffff) === 0;
      const size = rounded((exponent << 23) | (bit & 0x7fffff), 13);
      result[at] = sign | (isNumber ? Math.min(size, largest) : nan);
    } else if (exponent > -11) {
      // Below the least normal number all are multiples of 2⁻²⁴.
      result[at] = sign | rounded((bit & 0x7fffff) | 0x800000, 14 - exponent);
    } else result[at] = sign;
  }
  return result;
}

/** `bits` without the last ones, to the nearest, a tie to the even one. */
function rounded(bits: number, without: number): number {
  const cut = bits >>> without;
  const remainder = bits & ((1 << without) - 1);
  const tie = 1 << (without - 1);
  return remainder > tie || (remainder === tie && cut & 1) ? cut + 1 : cut;
}
