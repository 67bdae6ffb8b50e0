// Matrix products with weights that a graph holds in bytes and makes floats of in every run: they are
// computed in bytes, and what is multiplied is rounded by the range that it has in this run.
import { type GraphBody, type GraphNode, onnxBytes, type Tensor } from '../starter/graph/onnx.ts';
import { readOnnx } from './open-graph.ts';

/** Throws an `Error` that says what of the graph is not understood. *New memory.* */
export function productsInBytes(onnx: Uint8Array): Uint8Array {
  const model = readOnnx(onnx);
  return onnxBytes({ ...model, nodes: inBytes(model, new Map()) });
}

/** `around`: the constants of the graphs in which this one is a branch. */
function inBytes(body: GraphBody, around: ReadonlyMap<string, Tensor>): GraphNode[] {
  const constants = new Map([...around, ...body.initializers]);
  const makers = new Map(body.nodes.flatMap((node) => node.outputs.map((output) => [output, node])));
  /** Node that converts a matrix of bytes with one scale into floats, if there is one. */
  const conversionOf = (value: string): GraphNode | null => {
    const maker = makers.get(value);
    if (maker?.op !== 'DequantizeLinear') return null;
    const [bytes = '', scale = ''] = maker.inputs;
    const transposition = makers.get(bytes);
    const source = transposition?.op === 'Transpose' ? (transposition.inputs[0] ?? '') : bytes;
    const isOne = constants.get(scale)?.data.length === 1;
    return isOne && constants.get(source)?.dims.length === 2 ? maker : null;
  };
  const nodes = body.nodes.flatMap((node): GraphNode[] => {
    const conversion = node.op === 'MatMul' ? conversionOf(node.inputs[1] ?? '') : null;
    return conversion
      ? productInBytes(node, conversion)
      : [withBranches(node, (branch) => ({ ...branch, nodes: inBytes(branch, constants) }))];
  });
  const inputNames = new Set([
    ...body.outputs.map(({ name }) => name),
    ...nodes.flatMap(({ inputs }) => inputs),
  ]);
  return nodes.filter(({ op, outputs }) => op !== 'DequantizeLinear' || inputNames.has(outputs[0]!));
}

function productInBytes({ inputs, outputs }: GraphNode, { inputs: weights }: GraphNode): GraphNode[] {
  const [output = ''] = outputs;
  const partName = (what: string) => `${output}/${what}`;
  const [bytes = '', scale = '', ...zero] = weights;
  const byteNames = ['bytes', 'scale', 'zero'].map(partName) as [string, string, string];
  return [
    { op: 'DynamicQuantizeLinear', inputs: [inputs[0]!], outputs: byteNames },
    {
      op: 'MatMulInteger',
      inputs: [byteNames[0], bytes, byteNames[2], ...zero],
      outputs: [partName('sums')],
    },
    { op: 'Cast', inputs: [partName('sums')], outputs: [partName('floats')], attributes: { to: 1 } },
    { op: 'Mul', inputs: [byteNames[1], scale], outputs: [partName('step')] },
    { op: 'Mul', inputs: [partName('floats'), partName('step')], outputs },
  ];
}

function withBranches(node: GraphNode, change: (branch: GraphBody) => GraphBody): GraphNode {
  if (!node.attributes) return node;
  const attributes = Object.entries(node.attributes).map(([name, value]) => {
    const isBranch = typeof value === 'object' && 'graph' in value;
    return [name, isBranch ? { graph: change(value.graph) } : value] as const;
  });
  return { ...node, attributes: Object.fromEntries(attributes) };
}
