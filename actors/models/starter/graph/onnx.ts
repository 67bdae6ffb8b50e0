// Writes ONNX models: a graph as plain values in, the bytes of an .onnx file out. It covers what our own
// graphs and the graphs of tests need: nodes with attributes, initializers as raw data, inputs and outputs
// with fixed or named dimensions. Field numbers follow onnx.proto3 of the ONNX project. Raw data is
// little-endian, as on every machine that Node runs on.

const elementTypes = {
  float: { code: 1, bytes: 4 },
  uint8: { code: 2, bytes: 1 },
  int8: { code: 3, bytes: 1 },
  int32: { code: 6, bytes: 4 },
  int64: { code: 7, bytes: 8 },
  bool: { code: 9, bytes: 1 },
  float16: { code: 10, bytes: 2 },
} as const;
export type ElementType = keyof typeof elementTypes;

export type ConstantData = Float32Array | Uint8Array | Int8Array | Int32Array | BigInt64Array | Uint16Array;

export interface Tensor {
  readonly type: ElementType;
  /** An empty list is a scalar. */
  readonly dims: readonly number[];
  /**
   * Elements in row-major order (float16 as the bits in a Uint16Array). *Borrowed until the model is
   * written.*
   */
  readonly data: ConstantData;
}

/**
 * Typed input or output of a graph. A dimension given as a word is symbolic: any size, the same one
 * everywhere.
 */
export interface OnnxPort {
  readonly name: string;
  readonly type: ElementType;
  readonly dims: readonly (number | string)[];
}

/** A plain number is an ONNX int, a plain list of numbers is ints; floats are said to be floats. */
export type Attribute =
  | number
  | string
  | readonly number[]
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly tensor: Tensor }
  /** A branch, which also takes values of the graph around it. */
  | { readonly graph: GraphBody };

export interface GraphNode {
  readonly op: string;
  /** Names of values; an empty name leaves an optional input out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly name?: string;
  /** Operator set the op belongs to; left out, the standard one. */
  readonly domain?: string;
}

export interface GraphBody {
  readonly name: string;
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
  /** In an order in which every input of a node was made before it. */
  readonly nodes: readonly GraphNode[];
  readonly initializers: ReadonlyMap<string, Tensor>;
}

export interface OnnxModel extends GraphBody {
  /** Version of the standard operator set; 17 when left out. */
  readonly opset?: number;
  /** Further operator sets, e.g. `com.microsoft`: 1. */
  readonly domains?: Readonly<Record<string, number>>;
  readonly metadata?: Readonly<Record<string, string>>;
}

const IR_VERSION = 8;
const DEFAULT_OPSET = 17;
/** Protobuf readers refuse a message of 2 GiB. */
const LARGEST_MODEL = 2 ** 31 - 1;

/**
 * The model in pieces, in order, for writing a large one without holding a second copy.
 * Pieces of initializers are *borrowed* from the arrays of the model.
 */
export function onnxChunks(model: OnnxModel): Generator<Uint8Array> {
  return modelMessage(model).chunks();
}

/** The whole .onnx file. *New memory.* */
export function onnxBytes(model: OnnxModel): Uint8Array {
  const message = modelMessage(model);
  const bytes = new Uint8Array(message.length);
  let at = 0;
  for (const chunk of message.chunks()) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function modelMessage(model: OnnxModel): Message {
  const message = new Message()
    .int(1, IR_VERSION)
    .text(2, 'framehound')
    .message(7, graphMessage(model))
    .message(8, operatorSet('', model.opset ?? DEFAULT_OPSET));
  for (const [domain, version] of Object.entries(model.domains ?? {})) {
    message.message(8, operatorSet(domain, version));
  }
  for (const [key, value] of Object.entries(model.metadata ?? {})) {
    message.message(14, new Message().text(1, key).text(2, value));
  }
  if (message.length > LARGEST_MODEL) {
    throw new RangeError(`model ${model.name}: ${message.length} bytes do not fit into one file of 2 GiB`);
  }
  return message;
}

function operatorSet(domain: string, version: number): Message {
  return new Message().text(1, domain).int(2, version);
}

function graphMessage(model: GraphBody): Message {
  const message = new Message();
  for (const node of model.nodes) message.message(1, nodeMessage(node));
  message.text(2, model.name);
  for (const [name, tensor] of model.initializers) message.message(5, tensorMessage(tensor, name));
  for (const port of model.inputs) message.message(11, portMessage(port));
  for (const port of model.outputs) message.message(12, portMessage(port));
  return message;
}

function nodeMessage(node: GraphNode): Message {
  const message = new Message();
  for (const name of node.inputs) message.text(1, name);
  for (const name of node.outputs) message.text(2, name);
  if (node.name !== undefined) message.text(3, node.name);
  message.text(4, node.op);
  for (const [name, value] of Object.entries(node.attributes ?? {})) {
    message.message(5, attributeMessage(name, value));
  }
  if (node.domain !== undefined) message.text(7, node.domain);
  return message;
}

const attributeTypes = { float: 1, int: 2, string: 3, tensor: 4, graph: 5, floats: 6, ints: 7 } as const;

function attributeMessage(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'number') return message.int(3, value).int(20, attributeTypes.int);
  if (typeof value === 'string') return message.text(4, value).int(20, attributeTypes.string);
  if (isList(value)) return message.ints(8, value).int(20, attributeTypes.ints);
  if ('float' in value) return message.float(2, value.float).int(20, attributeTypes.float);
  if ('floats' in value) return message.floats(7, value.floats).int(20, attributeTypes.floats);
  if ('graph' in value) return message.message(6, graphMessage(value.graph)).int(20, attributeTypes.graph);
  return message.message(5, tensorMessage(value.tensor)).int(20, attributeTypes.tensor);
}

function isList(value: Attribute): value is readonly number[] {
  return Array.isArray(value);
}

function tensorMessage(tensor: Tensor, name?: string): Message {
  const { code, bytes } = elementTypes[tensor.type];
  const { data } = tensor;
  const count = tensor.dims.reduce((product, dim) => product * dim, 1);
  if (data.length !== count || data.BYTES_PER_ELEMENT !== bytes) {
    throw new RangeError(
      `tensor ${name ?? ''}: ${data.length} elements of ${data.BYTES_PER_ELEMENT} bytes for ${tensor.type} [${tensor.dims}]`,
    );
  }
  const message = new Message().ints(1, tensor.dims).int(2, code);
  if (name !== undefined) message.text(8, name);
  return message.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

function portMessage(port: OnnxPort): Message {
  const shape = new Message();
  for (const dim of port.dims) {
    shape.message(1, typeof dim === 'number' ? new Message().int(1, dim) : new Message().text(2, dim));
  }
  const tensorType = new Message().int(1, elementTypes[port.type].code).message(2, shape);
  return new Message().text(1, port.name).message(2, new Message().message(1, tensorType));
}

// The part of the protobuf wire format that writing needs: varints, 32-bit floats, strings, bytes and
// messages inside messages. A message is a list of pieces whose total length is known, so large payloads are
// never copied to be nested.

const VARINT = 0;
const DELIMITED = 2;
const FIXED32 = 5;

const encoder = new TextEncoder();

class Message {
  length = 0;
  readonly #pieces: (Uint8Array | Message)[] = [];
  /** Bytes of small fields, collected until a payload or a message follows. */
  #tail: number[] = [];

  /** A whole number in the int64 range that a double holds exactly. */
  int(field: number, value: number | bigint): this {
    return this.#tag(field, VARINT).#varint(value);
  }

  float(field: number, value: number): this {
    return this.#tag(field, FIXED32).#little(value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  /** `value` is *borrowed until the model is written*, not copied. */
  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, DELIMITED).#varint(value.length);
    return this.#piece(value);
  }

  /** `value` must be complete: fields added to it later are lost. */
  message(field: number, value: Message): this {
    this.#tag(field, DELIMITED).#varint(value.length);
    return this.#piece(value);
  }

  /** Repeated whole numbers, packed. */
  ints(field: number, values: readonly (number | bigint)[]): this {
    const packed = new Message();
    for (const value of values) packed.#varint(value);
    return this.message(field, packed);
  }

  /** Repeated floats, packed. */
  floats(field: number, values: readonly number[]): this {
    const packed = new Message();
    for (const value of values) packed.#little(value);
    return this.message(field, packed);
  }

  /**
   * The bytes in order. Payload pieces are *borrowed*: write them before the arrays they came from change.
   */
  *chunks(): Generator<Uint8Array> {
    for (const piece of this.#pieces) {
      if (piece instanceof Message) yield* piece.chunks();
      else yield piece;
    }
    if (this.#tail.length > 0) yield Uint8Array.from(this.#tail);
  }

  #piece(value: Uint8Array | Message): this {
    this.length += value.length;
    const small = smallBytes(value);
    if (small !== undefined) {
      for (const byte of small) this.#tail.push(byte);
      return this;
    }
    if (this.#tail.length > 0) this.#pieces.push(Uint8Array.from(this.#tail));
    this.#tail = [];
    this.#pieces.push(value);
    return this;
  }

  /** The bytes of a message that is one run of small fields. */
  static small(message: Message): readonly number[] | undefined {
    return message.#pieces.length === 0 ? message.#tail : undefined;
  }

  #tag(field: number, wire: number): this {
    return this.#varint(field * 8 + wire);
  }

  #varint(value: number | bigint): this {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new RangeError(`${value} is not a whole number`);
    }
    let remainder = BigInt.asUintN(64, BigInt(value));
    while (remainder > 127n) {
      this.#byte(Number(remainder & 127n) | 128);
      remainder >>= 7n;
    }
    return this.#byte(Number(remainder));
  }

  #little(value: number): this {
    for (const byte of new Uint8Array(Float32Array.of(value).buffer)) this.#byte(byte);
    return this;
  }

  #byte(value: number): this {
    this.#tail.push(value);
    this.length += 1;
    return this;
  }
}

/** Bytes that are cheaper to copy than to keep as a piece of their own. */
const SMALL_BYTES = 256;

function smallBytes(value: Uint8Array | Message): Iterable<number> | undefined {
  if (value.length > SMALL_BYTES) return undefined;
  return value instanceof Message ? Message.small(value) : value;
}

// Puts a graph together one operator at a time. Every operator returns the name of its value, so that a graph
// reads like the arithmetic it stands for.

type Attributes = Readonly<Record<string, Attribute>>;

export class GraphBuilder {
  readonly #name: string;
  readonly #nodes: GraphNode[] = [];
  readonly #inputs: OnnxPort[] = [];
  readonly #outputs: OnnxPort[] = [];
  readonly #initializers = new Map<string, Tensor>();
  #count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  input(name: string, type: ElementType, dims: readonly (number | string)[]): string {
    this.#inputs.push({ name, type, dims });
    return name;
  }

  /** Gives a value the name under which the graph returns it. */
  output(value: string, name: string, type: ElementType, dims: readonly (number | string)[]): void {
    this.#nodes.push({ op: 'Identity', inputs: [value], outputs: [name] });
    this.#outputs.push({ name, type, dims });
  }

  /** `data` is *borrowed until the model is written*. */
  tensor(type: ElementType, dims: readonly number[], data: ConstantData): string {
    const name = this.#fresh('w');
    this.#initializers.set(name, { type, dims, data });
    return name;
  }

  floats(dims: readonly number[], values: ArrayLike<number>): string {
    return this.tensor('float', dims, Float32Array.from(values));
  }

  scalar(value: number): string {
    return this.floats([], [value]);
  }

  /** A one-dimensional int64 tensor: the form in which operators take shapes, axes and positions. */
  ints(values: readonly number[]): string {
    return this.tensor(
      'int64',
      [values.length],
      BigInt64Array.from(values, (value) => BigInt(value)),
    );
  }

  /** One operator with one result; an empty input name leaves an optional input out. */
  op(op: string, inputs: readonly string[], attributes: Attributes = {}): string {
    return this.ops(op, inputs, 1, attributes)[0]!;
  }

  /** One operator with `count` results. */
  ops(op: string, inputs: readonly string[], count: number, attributes: Attributes = {}): string[] {
    const outputs = Array.from({ length: count }, () => this.#fresh(op.toLowerCase()));
    this.#nodes.push({ op, inputs, outputs, attributes });
    return outputs;
  }

  model(options: Pick<OnnxModel, 'opset' | 'domains' | 'metadata'> = {}): OnnxModel {
    return {
      ...options,
      name: this.#name,
      inputs: this.#inputs,
      outputs: this.#outputs,
      nodes: this.#nodes,
      initializers: this.#initializers,
    };
  }

  #fresh(stem: string): string {
    this.#count += 1;
    return `${stem}_${this.#count}`;
  }
}
