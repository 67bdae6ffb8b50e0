// A graph that is taken apart and put together otherwise: nodes are found by what they make and who takes it,
// replaced, and written again in an order in which every input is made before it.
import type {
  Attribute,
  ConstantData,
  ElementType,
  GraphBody,
  GraphNode,
  OnnxModel,
  OnnxPort,
  Tensor,
} from '../starter/graph/onnx.ts';

/** A node that may be changed; what it makes keeps its name. */
export interface OpenNode {
  op: string;
  inputs: readonly string[];
  readonly outputs: readonly string[];
  attributes: Readonly<Record<string, Attribute>>;
}

export class OpenGraph {
  readonly #source: OnnxModel;
  readonly #nodes: OpenNode[];
  readonly #constants: Map<string, Tensor>;
  #count = 0;

  constructor(source: OnnxModel) {
    this.#source = source;
    const isNode = ({ op }: GraphNode) => op !== 'Constant';
    this.#nodes = source.nodes.filter(isNode).map((node) => ({ ...node, attributes: node.attributes ?? {} }));
    this.#constants = new Map(source.initializers);
    for (const { op, outputs, attributes } of source.nodes) {
      const value = attributes?.['value'];
      if (op === 'Constant' && isTensor(value)) this.#constants.set(outputs[0]!, value.tensor);
      else if (op === 'Constant') throw new Error(`the constant ${outputs[0]} is no tensor`);
    }
  }

  /** Present nodes, except those removed before their turn. */
  *nodes(...ops: readonly string[]): Generator<OpenNode> {
    const now = this.#nodes.filter(({ op }) => ops.includes(op));
    for (const node of now) if (this.#nodes.includes(node)) yield node;
  }

  /** The node that makes a value; undefined for inputs of the graph and constants. */
  maker(value: string | undefined): OpenNode | undefined {
    return this.#nodes.find(({ outputs }) => outputs.includes(value!));
  }

  takers(value: string): OpenNode[] {
    return this.#nodes.filter(({ inputs }) => inputs.includes(value));
  }

  /** True if exactly one node takes the value, and the caller of the graph does not. */
  isTakenOnce(value: string): boolean {
    return this.takers(value).length === 1 && !this.#isOutput(value);
  }

  constant(value: string | undefined): Tensor | undefined {
    return this.#constants.get(value!);
  }

  /** The only element of a constant. */
  scalar(value: string | undefined): number | undefined {
    const tensor = this.constant(value);
    return tensor?.type === 'float' && tensor.data.length === 1 ? Number(tensor.data[0]) : undefined;
  }

  /** `data` is *borrowed until the graph is written*, where it is floats already. */
  floats(dims: readonly number[], data: ArrayLike<number>): string {
    return this.tensor({
      type: 'float',
      dims,
      data: data instanceof Float32Array ? data : Float32Array.from(data),
    });
  }

  tensor(tensor: Tensor): string {
    const name = this.#fresh();
    this.#constants.set(name, tensor);
    return name;
  }

  /** A new node; answers what it makes. */
  op(op: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>> = {}): string {
    const output = this.#fresh();
    this.#nodes.push({ op, inputs, outputs: [output], attributes });
    return output;
  }

  /** Other inputs for a node. What nobody needs any more is gone. */
  feed(node: OpenNode, inputs: readonly string[]): void {
    const before = node.inputs;
    node.inputs = inputs;
    this.#dropUnneeded(before);
  }

  /** Replaces a value by another one for all takers, and removes nodes that are no longer needed. */
  replace(value: string, by: string): void {
    const maker = this.maker(value)!;
    for (const node of this.takers(value)) {
      node.inputs = node.inputs.map((input) => (input === value ? by : input));
    }
    if (this.#isOutput(value))
      this.#nodes.push({ op: 'Identity', inputs: [by], outputs: [value], attributes: {} });
    this.#drop(maker);
  }

  #drop(node: OpenNode): void {
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    this.#dropUnneeded(node.inputs);
  }

  #dropUnneeded(values: readonly string[]): void {
    for (const value of new Set(values)) {
      const maker = this.maker(value);
      const isNeeded = maker?.outputs.some(
        (output) => this.#isOutput(output) || this.takers(output).length > 0,
      );
      if (maker && !isNeeded) this.#drop(maker);
    }
  }

  /** Leaves out unused parts. */
  model(): OnnxModel {
    const nodes: GraphNode[] = [];
    const initializers = new Map<string, Tensor>();
    const done = new Set(this.#source.inputs.map(({ name }) => name).concat(''));
    const makers = new Map(this.#nodes.flatMap((node) => node.outputs.map((output) => [output, node])));
    const need = (value: string): void => {
      if (done.has(value)) return;
      done.add(value);
      const constant = this.#constants.get(value);
      if (constant) {
        initializers.set(value, constant);
        return;
      }
      const maker = makers.get(value);
      if (!maker) throw new Error(`nothing makes ${value}`);
      for (const input of maker.inputs) need(input);
      for (const output of maker.outputs) done.add(output);
      nodes.push(maker);
    };
    for (const { name } of this.#source.outputs) need(name);
    return { ...this.#source, nodes, initializers };
  }

  #isOutput(value: string): boolean {
    return this.#source.outputs.some(({ name }) => name === value);
  }

  #fresh(): string {
    this.#count += 1;
    return `rewritten_${this.#count}`;
  }
}

function isTensor(value: Attribute | undefined): value is { readonly tensor: Tensor } {
  return typeof value === 'object' && 'tensor' in value;
}

// Reads ONNX models into the plain values that starter/graph/onnx.ts writes: nodes, attributes, initializers,
// inputs and outputs. External data and sparse tensors are refused.

/** Fields of a message by their number: integers of varints, bytes of everything else. */
type Fields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

/** Throws an `Error` that says what is not understood. Tensors are *new memory*. */
export function readOnnx(bytes: Uint8Array): OnnxModel {
  const model = fieldsOf(bytes);
  const sets = messages(model, 8).map((set) => ({ domain: textAt(set, 1), version: intAt(set, 2) }));
  const opset = sets.find(({ domain }) => domain === '' || domain === 'ai.onnx')?.version;
  const others = sets.filter(({ domain }) => domain !== '' && domain !== 'ai.onnx');
  return {
    ...bodyOf(fieldsOf(bytesAt(model, 7))),
    ...(opset !== undefined && { opset }),
    domains: Object.fromEntries(others.map(({ domain, version }) => [domain, version])),
  };
}

function bodyOf(graph: Fields): GraphBody {
  const initializers = new Map(messages(graph, 5).map((tensor) => [textAt(tensor, 8), tensorOf(tensor)]));
  return {
    name: textAt(graph, 2),
    inputs: messages(graph, 11)
      .map(portOf)
      .filter(({ name }) => !initializers.has(name)),
    outputs: messages(graph, 12).map(portOf),
    nodes: messages(graph, 1).map(nodeOf),
    initializers,
  };
}

function nodeOf(node: Fields): GraphNode {
  const [name, domain] = [textAt(node, 3), textAt(node, 7)];
  return {
    op: textAt(node, 4),
    inputs: texts(node, 1),
    outputs: texts(node, 2),
    attributes: Object.fromEntries(
      messages(node, 5).map((attribute) => [textAt(attribute, 1), attributeOf(attribute)]),
    ),
    ...(name !== '' && { name }),
    ...(domain !== '' && { domain }),
  };
}

function attributeOf(attribute: Fields): Attribute {
  switch (intAt(attribute, 20)) {
    case 1:
      return { float: floatsOf(attribute, 2)[0] ?? 0 };
    case 2:
      return intAt(attribute, 3);
    case 3:
      return textAt(attribute, 4);
    case 4:
      return { tensor: tensorOf(fieldsOf(bytesAt(attribute, 5))) };
    case 5:
      return { graph: bodyOf(fieldsOf(bytesAt(attribute, 6))) };
    case 6:
      return { floats: floatsOf(attribute, 7) };
    case 7:
      return integers(attribute, 8);
    default:
      throw new Error(`attribute ${textAt(attribute, 1)} is of type ${intAt(attribute, 20)}`);
  }
}

const forms: Readonly<
  Record<number, { readonly type: ElementType; readonly array: new (bytes: ArrayBuffer) => ConstantData }>
> = {
  1: { type: 'float', array: Float32Array },
  2: { type: 'uint8', array: Uint8Array },
  3: { type: 'int8', array: Int8Array },
  6: { type: 'int32', array: Int32Array },
  7: { type: 'int64', array: BigInt64Array },
  9: { type: 'bool', array: Uint8Array },
  10: { type: 'float16', array: Uint16Array },
};

function tensorOf(tensor: Fields): Tensor {
  const [name, dims, code] = [textAt(tensor, 8), integers(tensor, 1), intAt(tensor, 2)];
  const form = forms[code];
  if (form === undefined || tensor.has(13))
    throw new Error(`tensor ${name} of type ${code} is not understood`);
  const { type, array } = form;
  // Values are given as raw bytes, or in the field of their type.
  if (tensor.has(9)) return { type, dims, data: new array(copied(bytesAt(tensor, 9))) };
  if (type === 'float') return { type, dims, data: Float32Array.from(floatsOf(tensor, 4)) };
  if (type === 'int64') return { type, dims, data: BigInt64Array.from(integers(tensor, 7), BigInt) };
  return { type, dims, data: arrays[type].from(integers(tensor, 5)) };
}

/** Array types of tensors that share a field. */
const arrays = {
  int32: Int32Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
  float16: Uint16Array,
} as const;

function portOf(port: Fields): OnnxPort {
  const tensor = fieldsOf(bytesAt(fieldsOf(bytesAt(port, 2)), 1));
  if (!tensor.has(2)) throw new Error(`the shape of ${textAt(port, 1)} is not given`);
  const code = intAt(tensor, 1);
  const type = forms[code]?.type;
  if (type === undefined) throw new Error(`${textAt(port, 1)} is of type ${code}`);
  const dims = messages(fieldsOf(bytesAt(tensor, 2)), 1).map((dim, at) =>
    dim.has(1) ? intAt(dim, 1) : textAt(dim, 2) || `dim_${textAt(port, 1)}_${at}`,
  );
  return { name: textAt(port, 1), type, dims };
}

function fieldsOf(bytes: Uint8Array): Fields {
  const fields = new Map<number, (number | Uint8Array)[]>();
  for (let at = 0; at < bytes.length; ) {
    const tag = varint(bytes, at);
    at = tag.end;
    const [field, wire] = [Math.floor(tag.value / 8), tag.value % 8];
    let value: number | Uint8Array;
    if (wire === 0) ({ value, end: at } = varint(bytes, at));
    else {
      const length = wire === 2 ? varint(bytes, at) : { value: wire === 5 ? 4 : 8, end: at };
      if (wire !== 1 && wire !== 2 && wire !== 5) throw new Error(`wire type ${wire} is not understood`);
      at = length.end + length.value;
      if (at > bytes.length) throw new Error('the file is cut short');
      value = bytes.subarray(length.end, at);
    }
    const values = fields.get(field);
    if (values) values.push(value);
    else fields.set(field, [value]);
  }
  return fields;
}

/** Reads a signed number; all integers of ONNX are signed. */
function varint(bytes: Uint8Array, from: number): { value: number; end: number } {
  let [bits, at] = [0n, from];
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++];
    if (byte === undefined || shift > 63n) throw new Error('a number is cut short');
    bits |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value: Number(BigInt.asIntN(64, bits)), end: at };
  }
}

function messages(fields: Fields, field: number): Fields[] {
  return (fields.get(field) ?? []).map((value) => fieldsOf(value as Uint8Array));
}

function texts(fields: Fields, field: number): string[] {
  return (fields.get(field) ?? []).map((value) => new TextDecoder().decode(value as Uint8Array));
}

function textAt(fields: Fields, field: number): string {
  return texts(fields, field)[0] ?? '';
}

function bytesAt(fields: Fields, field: number): Uint8Array {
  const value = fields.get(field)?.[0];
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function intAt(fields: Fields, field: number): number {
  const value = fields.get(field)?.[0];
  return typeof value === 'number' ? value : 0;
}

/** Packed or one by one. */
function integers(fields: Fields, field: number): number[] {
  return (fields.get(field) ?? []).flatMap((value) => {
    if (typeof value === 'number') return [value];
    const numbers: number[] = [];
    for (let at = 0; at < value.length; ) {
      const next = varint(value, at);
      numbers.push(next.value);
      at = next.end;
    }
    return numbers;
  });
}

function floatsOf(fields: Fields, field: number): number[] {
  return (fields.get(field) ?? []).flatMap((value) => [...new Float32Array(copied(value as Uint8Array))]);
}

/** At the beginning of a buffer of its own, as typed arrays need it. */
function copied(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
