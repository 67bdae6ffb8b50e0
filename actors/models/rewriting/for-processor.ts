// Rewrites a graph before it runs on a processor.
import { onnxBytes } from '../starter/graph/onnx.ts';
import {
  biasInConvolutions,
  hardSwishes,
  normalisationsBefore,
  padInWindows,
  scalarsBefore,
  withoutTurns,
} from './convolutions.ts';
import { OpenGraph, type OpenNode, readOnnx } from './open-graph.ts';

// A graph of convolutions in eight bits: values as bytes within ranges that were measured, weights as signed
// bytes with a scale for each channel. Nodes stay; what they take is rounded before them, which onnxruntime
// makes into operators on bytes.

/** Least and most of each value that convolutions, sums and resizings make, by its name. */
export type Ranges = ReadonlyMap<string, ValueRange>;
export type ValueRange = readonly [least: number, most: number];

/** Operators whose answers `Ranges` has; those of others follow. */
export const measuredOps = ['Conv', 'Add', 'Resize'] as const;

/**
 * Nodes with a value without a range stay unchanged, such as the first convolution, whose input is the
 * picture.
 */
function inEightBits(graph: OpenGraph, ranges: Ranges): void {
  activationsBehindPools(graph);
  const bytes = new Bytes(graph, ranges);
  const done = new Set<string>();
  for (const node of graph.nodes(...measuredOps, 'LeakyRelu', 'Concat')) {
    const [output] = node.outputs;
    const values = node.op === 'Conv' || node.op === 'Resize' ? node.inputs.slice(0, 1) : node.inputs;
    const isWorth =
      node.op === 'Conv'
        ? graph.constant(node.inputs[1])?.type === 'float'
        : values.some((value) => done.has(value));
    if (!isWorth || ![output!, ...values].every((value) => bytes.rangeOf(value))) continue;
    const [first, ...others] = values.map((value) => bytes.rounded(value));
    if (node.op === 'Conv') weigh(graph, node, bytes.scaleOf(values[0]!));
    node.inputs = [first!, ...others, ...node.inputs.slice(values.length)];
    done.add(output!);
  }
}

/**
 * The largest of some values is the same one before and after; behind, there are fewer, and no bytes are
 * pooled.
 */
function activationsBehindPools(graph: OpenGraph): void {
  for (const pool of graph.nodes('MaxPool')) {
    const activation = graph.maker(pool.inputs[0]);
    if (activation?.op !== 'LeakyRelu' || !graph.isTakenOnce(activation.outputs[0]!)) continue;
    const { attributes } = pool;
    const pooled = graph.op('MaxPool', [activation.inputs[0]!], attributes);
    graph.replace(pool.outputs[0]!, graph.op('LeakyRelu', [pooled], activation.attributes));
  }
}

class Bytes {
  readonly #graph: OpenGraph;
  readonly #ranges: Map<string, ValueRange | null>;
  /** Rounded values by the original value. */
  readonly #rounded = new Map<string, string>();

  constructor(graph: OpenGraph, ranges: Ranges) {
    this.#graph = graph;
    this.#ranges = new Map(ranges);
  }

  rangeOf(value: string): ValueRange | null {
    const knownRange = this.#ranges.get(value);
    if (knownRange !== undefined) return knownRange;
    const range = this.#rangeMade(this.#graph.maker(value));
    this.#ranges.set(value, range);
    return range;
  }

  #rangeMade(maker: OpenNode | undefined): ValueRange | null {
    const parts = maker?.inputs.map((input) => this.rangeOf(input)) ?? [];
    const ranges = parts.filter((part) => part !== null);
    if (ranges.length === 0 || ranges.length < parts.length) return null;
    const [least, most] = [
      Math.min(...ranges.map(([low]) => low)),
      Math.max(...ranges.map(([, high]) => high)),
    ];
    if (maker!.op === 'Concat' || maker!.op === 'MaxPool') return [least, most];
    const { alpha } = maker!.attributes;
    return maker!.op === 'LeakyRelu' && typeof alpha === 'object' && 'float' in alpha
      ? [least * alpha.float, most]
      : null;
  }

  scaleOf(value: string): number {
    const [least, most] = this.rangeOf(value)!;
    return Math.fround((Math.max(0, most) - Math.min(0, least)) / 255);
  }

  /** The value as it is when it has been a byte: zero stays zero. */
  rounded(value: string): string {
    const knownValue = this.#rounded.get(value);
    if (knownValue !== undefined) return knownValue;
    const scale = this.scaleOf(value);
    const zero = Math.round(-Math.min(0, this.rangeOf(value)![0]) / scale);
    const form = [
      this.#graph.floats([], [scale]),
      this.#graph.tensor({ type: 'uint8', dims: [], data: Uint8Array.of(zero) }),
    ];
    const output = this.#graph.op('DequantizeLinear', [
      this.#graph.op('QuantizeLinear', [value, ...form]),
      ...form,
    ]);
    this.#rounded.set(value, output);
    return output;
  }
}

/**
 * Weights as signed bytes, symmetric around zero, and biases in the steps of the products. `step`: of what it
 * takes.
 */
function weigh(graph: OpenGraph, convolution: OpenNode, step: number): void {
  const { dims, data } = graph.constant(convolution.inputs[1])!;
  const count = dims[0]!;
  const each = data.length / count;
  const given = graph.constant(convolution.inputs[2])?.data;
  const scales = new Float32Array(count);
  const weights = new Int8Array(data.length);
  const biases = new Int32Array(count);
  for (let output = 0; output < count; output++) {
    const filter = (data as Float32Array).subarray(output * each, (output + 1) * each);
    const most = filter.reduce((largest, weight) => Math.max(largest, Math.abs(weight)), 0);
    const scale = Math.fround(most / 127) || 1;
    scales[output] = scale;
    for (let i = 0; i < each; i++) weights[output * each + i] = Math.round(filter[i]! / scale);
    biases[output] = Math.round(Number(given?.[output] ?? 0) / (step * scale));
  }
  const axis = { axis: 0 };
  const scale = graph.floats([count], scales);
  const zeros = graph.tensor({ type: 'int8', dims: [count], data: new Int8Array(count) });
  const bytes = graph.tensor({ type: 'int8', dims, data: weights });
  const steps = graph.floats(
    [count],
    scales.map((filterScale) => filterScale * step),
  );
  const none = graph.tensor({ type: 'int32', dims: [count], data: new Int32Array(count) });
  const integers = graph.tensor({ type: 'int32', dims: [count], data: biases });
  convolution.inputs = [
    convolution.inputs[0]!,
    graph.op('DequantizeLinear', [bytes, scale, zeros], axis),
    graph.op('DequantizeLinear', [integers, steps, none], axis),
  ];
}

/** In their order: some make what others look for. */
const rules = [
  ...[withoutTurns, biasInConvolutions, withoutTurns, padInWindows, normalisationsBefore],
  ...[scalarsBefore, hardSwishes],
];

/**
 * A graph that answers the same, but for the rounding of single precision, in less time of a processor.
 * `ranges`: computes in eight bits where they reach, which answers nearly the same. Throws an `Error` that
 * says what of the graph is not understood. *New memory.*
 */
export function forProcessor(onnx: Uint8Array, ranges?: Ranges): Uint8Array {
  const graph = new OpenGraph(readOnnx(onnx));
  for (const rule of rules) rule(graph);
  if (ranges) inEightBits(graph, ranges);
  return onnxBytes(graph.model());
}
