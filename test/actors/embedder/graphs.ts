// Small graphs with the names, shapes and types of the real ones, whose answer depends on every value they
// are fed.
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';

export const SIDE = 16;
export const DIMENSIONS = 8;
export const VOCABULARY = 400;

/** Numbers between -1 and 1 that look random and are the same every time. */
export function weights(count: number, seed: number): Float32Array {
  let state = seed * 2654435761;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

export const pictureWeights = weights(3 * SIDE * SIDE * DIMENSIONS, 1);
export const wordWeights = weights(VOCABULARY * DIMENSIONS, 2);
export const positionWeights = (length: number) => weights(length, 3);

type Side = number | string;

export interface Variant {
  readonly output: string;
  readonly input?: string;
  readonly side?: number;
  readonly batch?: Side;
  readonly type?: 'float' | 'uint8';
  /** Answers nothing but zeros. */
  readonly dead?: boolean;
  /** Rounds the input to 8 bits with one range for the whole batch, as dynamically quantised graphs do. */
  readonly dynamic8?: boolean;
}

/** vector = flattened picture × pictureWeights. */
export function visionGraph(variant: Variant): Uint8Array {
  const { output, input = 'pixel_values', side = SIDE, batch = 'batch_size', dead = false } = variant;
  const graph = new GraphBuilder('vision');
  const values = 3 * side * side;
  const pixels = graph.input(input, variant.type ?? 'float', [batch, 3, side, side]);
  const floats = variant.type === 'uint8' ? graph.op('Cast', [pixels], { to: 1 }) : pixels;
  const flat = graph.op('Reshape', [floats, graph.ints([-1, values])]);
  const data = dead ? new Float32Array(values * DIMENSIONS) : weights(values * DIMENSIONS, 1);
  const vector = graph.op('MatMul', [
    variant.dynamic8 ? rounded(graph, flat) : flat,
    graph.tensor('float', [values, DIMENSIONS], data),
  ]);
  const hidden = graph.op('Unsqueeze', [vector, graph.ints([1])]);
  graph.output(hidden, 'last_hidden_state', 'float', [batch, 1, DIMENSIONS]);
  graph.output(vector, output, 'float', [batch, DIMENSIONS]);
  return onnxBytes(graph.model());
}

function rounded(graph: GraphBuilder, values: string): string {
  return graph.op('DequantizeLinear', graph.ops('DynamicQuantizeLinear', [values], 3));
}

/** vector = sum over positions of positionWeights × wordWeights[token], masked where there is a mask. */
export function textGraph(
  output: string,
  length: number,
  masked = false,
  sequence: Side = length,
): Uint8Array {
  const graph = new GraphBuilder('text');
  const ids = graph.input('input_ids', 'int64', ['batch_size', sequence]);
  const table = graph.tensor('float', [VOCABULARY, DIMENSIONS], wordWeights);
  const positions = graph.tensor('float', [length, 1], positionWeights(length));
  let words = graph.op('Mul', [graph.op('Gather', [table, ids]), positions]);
  if (masked) {
    const mask = graph.input('attention_mask', 'int64', ['batch_size', sequence]);
    const column = graph.op('Unsqueeze', [graph.op('Cast', [mask], { to: 1 }), graph.ints([2])]);
    words = graph.op('Mul', [words, column]);
  }
  graph.output(words, 'last_hidden_state', 'float', ['batch_size', sequence, DIMENSIONS]);
  const vector = graph.op('ReduceSum', [words, graph.ints([1])], { keepdims: 0 });
  graph.output(vector, output, 'float', ['batch_size', DIMENSIONS]);
  return onnxBytes(graph.model());
}

/** The same sums in double precision, written without regard for speed. */
export function expectedPicture(planes: (channel: number, y: number, x: number) => number): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (let channel = 0; channel < 3; channel += 1)
    for (let y = 0; y < SIDE; y += 1)
      for (let x = 0; x < SIDE; x += 1)
        for (let d = 0; d < DIMENSIONS; d += 1) {
          const at = (channel * SIDE + y) * SIDE + x;
          vector[d]! += planes(channel, y, x) * pictureWeights[at * DIMENSIONS + d]!;
        }
  return unit(vector);
}

export function expectedText(tokens: readonly number[], length: number, masked = false): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const [position, weight] of positionWeights(length).entries()) {
    const token = tokens[position];
    if (token === undefined) {
      if (masked) continue;
      throw new Error('without a mask every position has a token');
    }
    for (let d = 0; d < DIMENSIONS; d += 1) vector[d]! += weight * wordWeights[token * DIMENSIONS + d]!;
  }
  return unit(vector);
}

function unit(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}
