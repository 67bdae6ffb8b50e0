// Functions in the thread of a conversion.
import { moved } from '../../../runtime/pool-thread.ts';
import type { Conversion } from '../model-file.ts';
import { GraphBuilder, onnxBytes } from '../starter/graph/onnx.ts';
import type { ConversionTask } from './convert.ts';
import {
  type GraphModel,
  type ModelJsonNode,
  outputOf,
  readManifest,
  readModelJson,
  shapeOf,
  valuesOf,
} from './model-json.ts';
import { type Constant, type OperatorOutput, operators, readWeights } from './operators.ts';

// The face recognition network of dlib, a ResNet with 29 convolutions, becomes the bytes of an ONNX file.
// Only its weights are published for TensorFlow.js, so its layers are written here. The same files give the
// same bytes on every machine.

/** Side of the faces it takes, px. */
const side = 150;
/** Taken off red, green and blue by the network itself. */
const mean = [122.782, 117.001, 104.298] as const;
const channels = 3;
const first = 32;

interface Down {
  readonly name: string;
  /** True if it has twice as many channels as its input. */
  readonly isWider: boolean;
  /** Blocks of the same size behind it. */
  readonly more: readonly string[];
}
const downs: readonly Down[] = [
  { name: 'conv64_down', isWider: true, more: ['conv64_1', 'conv64_2', 'conv64_3'] },
  { name: 'conv128_down', isWider: true, more: ['conv128_1', 'conv128_2'] },
  { name: 'conv256_down', isWider: true, more: ['conv256_1', 'conv256_2'] },
  { name: 'conv256_down_out', isWider: false, more: [] },
];

/** A value of the graph, and its shape. */
interface Planes {
  readonly value: string;
  readonly count: number;
  readonly side: number;
}

/**
 * `manifest`: which weights there are; `bytes`: the file that it names. The graph takes `image` f32 [n, 3,
 * 150, 150], RGB of 0 to 255, and answers `vector` f32 [n, 128]. Throws an `Error` that names the weight.
 * *New memory.*
 */
export function convertDlibResnet(manifest: Uint8Array, bytes: Uint8Array): Uint8Array {
  return new Network(readWeights(readManifest(manifest), bytes)).bytes();
}

class Network {
  readonly #weights: ReadonlyMap<string, Constant>;
  readonly #builder = new GraphBuilder('converted');

  constructor(weights: ReadonlyMap<string, Constant>) {
    this.#weights = weights;
  }

  bytes(): Uint8Array {
    const builder = this.#builder;
    const image = builder.input('image', 'float', ['n', channels, side, side]);
    const centred = builder.op('Sub', [image, builder.floats([1, channels, 1, 1], mean)]);
    const scaled = builder.op('Mul', [centred, builder.scalar(1 / 255)]);
    const begun = this.#convolved(
      { value: scaled, count: channels, side },
      'conv32_down',
      { step: 2, edge: 0 },
      first,
    );
    const pooling = { kernel_shape: [3, 3], strides: [2, 2] };
    const pooled = builder.op('MaxPool', [builder.op('Relu', [begun.value])], pooling);
    let planes: Planes = { value: pooled, count: first, side: halved(begun.side, 3) };
    for (const name of ['conv32_1', 'conv32_2', 'conv32_3']) planes = this.#block(planes, name);
    for (const { name, isWider, more } of downs) {
      planes = this.#down(planes, name, isWider);
      for (const block of more) planes = this.#block(planes, block);
    }
    const means = builder.op('Flatten', [builder.op('GlobalAveragePool', [planes.value])]);
    const { dims, data } = this.#weight('fc', [planes.count, null]);
    const vector = builder.op('MatMul', [means, builder.tensor('float', dims, data)]);
    builder.output(vector, 'vector', 'float', ['n', dims[1]!]);
    return onnxBytes(builder.model());
  }

  #block(planes: Planes, name: string): Planes {
    const pair = this.#pair(planes, name, { step: 1, edge: 1 }, planes.count);
    const sum = this.#builder.op('Add', [pair.value, planes.value]);
    return { ...planes, value: this.#builder.op('Relu', [sum]) };
  }

  /** Half the size. What passes by is averaged, and the smaller of both is filled with zeros. */
  #down(planes: Planes, name: string, isWider: boolean): Planes {
    const count = planes.count * (isWider ? 2 : 1);
    const pair = this.#pair(planes, name, { step: 2, edge: 0 }, count);
    const pooling = { kernel_shape: [2, 2], strides: [2, 2] };
    const passed = this.#builder.op('AveragePool', [planes.value], pooling);
    const size = halved(planes.side, 2);
    const sum = this.#builder.op('Add', [
      this.#filled(pair.value, 0, size - pair.side),
      this.#filled(passed, count - planes.count, 0),
    ]);
    return { value: this.#builder.op('Relu', [sum]), count, side: size };
  }

  /** Zeros behind the channels, at the right and below. */
  #filled(value: string, more: number, edge: number): string {
    if (more === 0 && edge === 0) return value;
    return this.#builder.op('Pad', [value, this.#builder.ints([0, 0, 0, 0, 0, more, edge, edge])]);
  }

  #pair(planes: Planes, name: string, window: Window, count: number): Planes {
    const first = this.#convolved(planes, `${name}/conv1`, window, count);
    const active = { ...first, value: this.#builder.op('Relu', [first.value]) };
    return this.#convolved(active, `${name}/conv2`, { step: 1, edge: 1 }, count);
  }

  /** With the scale that follows it: scale · (convolution + bias) + shift. */
  #convolved(planes: Planes, name: string, { step, edge }: Window, count: number): Planes {
    const filter = this.#weight(`${name}/conv/filters`, [null, null, planes.count, count]);
    const [bias, scale, shift] = ['conv/bias', 'scale/weights', 'scale/biases'].map(
      (part) => this.#weight(`${name}/${part}`, [count]).data,
    ) as [Constant['data'], Constant['data'], Constant['data']];
    const [height, width] = filter.dims as [number, number];
    const cells = height * width;
    const weights = new Float32Array(filter.data.length);
    for (let cell = 0, from = 0; cell < cells; cell++)
      for (let i = 0; i < planes.count; i++)
        for (let o = 0; o < count; o++, from++)
          weights[(o * planes.count + i) * cells + cell] = filter.data[from]! * scale[o]!;
    const biases = Float32Array.from(bias, (value, o) => scale[o]! * value + shift[o]!);
    const tensors = [
      this.#builder.tensor('float', [count, planes.count, height, width], weights),
      this.#builder.tensor('float', [count], biases),
    ];
    const value = this.#builder.op('Conv', [planes.value, ...tensors], {
      kernel_shape: [height, width],
      strides: [step, step],
      pads: [edge, edge, edge, edge],
    });
    return { value, count, side: step === 1 ? planes.side : halved(planes.side, height) };
  }

  /** `dims`: null for a side of any length. */
  #weight(name: string, dims: readonly (number | null)[]): Constant {
    const constant = this.#weights.get(name);
    if (!constant) throw new Error(`there are no weights ${name}`);
    const fits =
      constant.dims.length === dims.length &&
      dims.every((length, i) => length === null || length === constant.dims[i]);
    if (fits) return constant;
    throw new Error(
      `${name}: expected ${dims.map((length) => length ?? '?').join('×')} weights, found ${constant.dims.join('×')}`,
    );
  }
}

interface Window {
  readonly step: number;
  /** Zeros around the planes. */
  readonly edge: number;
}

/** The side behind a window that moves by two and never leaves the planes. */
function halved(length: number, window: number): number {
  return Math.floor((length - window) / 2) + 1;
}

// A TensorFlow.js graph model becomes the bytes of an ONNX file. The same files give the same bytes on every
// machine.

/**
 * `json`: of the model.json; `weights`: the files that it names, one after another. Inputs and outputs keep
 * their names. Throws an `Error` that names the node, also one of an operator that is not known. *New
 * memory.*
 */
export function convertGraphModel(json: Uint8Array, weights: Uint8Array): Uint8Array {
  const model = readModelJson(json);
  return new Converter(model, readWeights(model.weights, weights)).bytes();
}

class Converter {
  readonly #model: GraphModel;
  readonly #constants: ReadonlyMap<string, Constant>;
  readonly #builder = new GraphBuilder('converted');
  /** Result of each node; null while its inputs are made. */
  readonly #made = new Map<string, OperatorOutput | null>();
  readonly #initializers = new Map<Constant, string>();

  constructor(model: GraphModel, constants: ReadonlyMap<string, Constant>) {
    this.#model = model;
    this.#constants = constants;
  }

  bytes(): Uint8Array {
    for (const { name, dims } of this.#model.outputs) {
      this.#builder.output(this.#value(name), name, 'float', fixed(name, dims));
    }
    return onnxBytes(this.#builder.model());
  }

  #value(input: string): string {
    const { node, index } = outputOf(input);
    const output = this.#makeOf(node);
    if (isConstant(output)) return this.#initializer(output);
    const name = output[index];
    if (name === undefined) throw new Error(`${node} has no output ${index}`);
    return name;
  }

  #makeOf(name: string): OperatorOutput {
    const earlierOutput = this.#made.get(name);
    if (earlierOutput) return earlierOutput;
    if (earlierOutput === null) throw new Error(`${name} is an input of itself`);
    const node = this.#model.nodes.get(name);
    if (!node) throw new Error(`there is no node ${name}`);
    this.#made.set(name, null);
    const output = this.#make(node);
    this.#made.set(name, output);
    return output;
  }

  #make(node: ModelJsonNode): OperatorOutput {
    const { name, op } = node;
    if (op === 'Placeholder')
      return [this.#builder.input(name, 'float', fixed(name, shapeOf(node, 'shape')))];
    if (op === 'Const') {
      const constant = this.#constants.get(name);
      if (constant) return constant;
      throw new Error(`${name}: the constant is not among the weights`);
    }
    const operator = operators.get(op);
    if (!operator) throw new Error(`${name}: the operator ${op} is not known`);
    const inputs = valuesOf(node);
    const inputAt = (index: number) => {
      const input = inputs[index];
      if (input === undefined) throw new Error(`${name}: ${op} has no input ${index}`);
      return input;
    };
    return operator({
      builder: this.#builder,
      node,
      value: (index) => this.#value(inputAt(index)),
      constant: (index) => {
        const output = this.#makeOf(outputOf(inputAt(index)).node);
        return isConstant(output) ? output : null;
      },
    });
  }

  #initializer(constant: Constant): string {
    const knownName = this.#initializers.get(constant);
    if (knownName !== undefined) return knownName;
    const { dims, data } = constant;
    const name = this.#builder.tensor(data instanceof Int32Array ? 'int32' : 'float', dims, data);
    this.#initializers.set(constant, name);
    return name;
  }
}

/**
 * The graphs that are known are each of one size, and their operators are made for it; of any number of
 * pictures they get one.
 */
function fixed(name: string, dims: readonly number[]): readonly number[] {
  const [count, ...otherDims] = dims;
  const sizes = count === -1 && otherDims.length > 0 ? [1, ...otherDims] : dims;
  if (sizes.every((dim) => dim > 0)) return sizes;
  throw new Error(`${name}: the shape ${dims} is not fixed`);
}

function isConstant(output: OperatorOutput): output is Constant {
  return 'data' in output;
}

/** The first file says what the others hold. */
const conversions = {
  'tfjs-graph': convertGraphModel,
  'dlib-resnet': convertDlibResnet,
} as const satisfies Record<Conversion, (described: Uint8Array, weights: Uint8Array) => Uint8Array>;

export function convert({ conversion, files: [described, ...weights] }: ConversionTask): Uint8Array {
  const bytes = conversions[conversion](described!, Buffer.concat(weights));
  return moved(bytes, [bytes.buffer as ArrayBuffer]);
}
