// Merges nodes around convolutions into them: transpositions, padding and biases of other frameworks, factors
// and summands of all values. Results stay the same but for the rounding of single precision.
import type { OpenGraph, OpenNode } from './open-graph.ts';

/** Two transpositions that undo each other. */
export function withoutTurns(graph: OpenGraph): void {
  for (const second of graph.nodes('Transpose')) {
    const first = graph.maker(second.inputs[0]);
    if (first?.op !== 'Transpose') continue;
    const [firstPerm, secondPerm] = [first, second].map(
      ({ attributes }) => attributes['perm'] as readonly number[],
    );
    if (secondPerm!.every((axis, i) => firstPerm![axis] === i))
      graph.replace(second.outputs[0]!, first.inputs[0]!);
  }
}

/** A constant of each channel that is added behind the transposition of what a convolution makes. */
export function biasInConvolutions(graph: OpenGraph): void {
  for (const sum of graph.nodes('Add')) {
    const turn = graph.maker(sum.inputs[0]);
    const convolution = turn?.op === 'Transpose' ? graph.maker(turn.inputs[0]) : undefined;
    const bias = graph.constant(sum.inputs[1]);
    if (convolution?.op !== 'Conv' || convolution.inputs.length !== 2 || bias?.dims.length !== 1) continue;
    const perm = turn!.attributes['perm'] as readonly number[];
    const isOwn = graph.isTakenOnce(convolution.outputs[0]!) && graph.isTakenOnce(turn!.outputs[0]!);
    if (!isOwn || perm.at(-1) !== 1 || bias.dims[0] !== graph.constant(convolution.inputs[1])?.dims[0])
      continue;
    convolution.inputs = [...convolution.inputs, sum.inputs[1]!];
    graph.replace(sum.outputs[0]!, turn!.outputs[0]!);
  }
}

/**
 * Moves separate padding nodes that do not change the result into the convolution or max pool behind them.
 */
export function padInWindows(graph: OpenGraph): void {
  for (const window of graph.nodes('Conv', 'MaxPool')) {
    const pad = graph.maker(window.inputs[0]);
    const windowPads = padsOf(window);
    if (pad?.op !== 'Pad' || (pad.attributes['mode'] ?? 'constant') !== 'constant' || !windowPads) continue;
    const amounts = Array.from(graph.constant(pad.inputs[1])?.data ?? [], Number);
    const value = pad.inputs[2] ? graph.scalar(pad.inputs[2]) : 0;
    const [count, channels, top, left, countEnd, channelsEnd, bottom, right] = amounts;
    const isNothing = value === (window.op === 'Conv' ? 0 : Number.NEGATIVE_INFINITY);
    if (!isNothing || [count, channels, countEnd, channelsEnd].some((amount) => amount !== 0)) continue;
    const pads = [top!, left!, bottom!, right!].map((more, i) => more + windowPads[i]!);
    const { auto_pad: _, ...attributes } = window.attributes;
    window.attributes = { ...attributes, pads };
    graph.feed(window, [pad.inputs[0]!, ...window.inputs.slice(1)]);
  }
}

/** A normalisation of each channel, as weights of the convolution before it. */
export function normalisationsBefore(graph: OpenGraph): void {
  for (const node of graph.nodes('BatchNormalization')) {
    const convolution = graph.maker(node.inputs[0]);
    if (!convolution || !weightsOf(graph, convolution) || !graph.isTakenOnce(node.inputs[0]!)) continue;
    const { factors, summands } = normalisationOf(graph, node);
    weigh(
      graph,
      convolution,
      (output) => factors[output]!,
      (_, output) => summands[output]!,
    );
    graph.replace(node.outputs[0]!, convolution.outputs[0]!);
  }
}

/** Factor and summand of each channel. */
function normalisationOf(graph: OpenGraph, { inputs, attributes }: OpenNode) {
  const [scale, shift, mean, variance] = inputs
    .slice(1)
    .map((input) => graph.constant(input)!.data as Float32Array);
  const { epsilon } = attributes;
  const least = typeof epsilon === 'object' && 'float' in epsilon ? epsilon.float : 1e-5;
  const factors = Array.from(scale!, (value, i) => value / Math.sqrt(variance![i]! + least));
  return { factors, summands: factors.map((factor, i) => shift![i]! - mean![i]! * factor) };
}

/** Factors and summands that are the same for all values, as weights of the convolution before them. */
export function scalarsBefore(graph: OpenGraph): void {
  for (const node of graph.nodes('Mul', 'Add')) {
    const scalar = scalarOf(graph, node);
    const convolution = scalar && graph.maker(scalar.value);
    if (!convolution || !weightsOf(graph, convolution) || !graph.isTakenOnce(scalar!.value)) continue;
    const [factor, summand] = node.op === 'Mul' ? [scalar!.by, 0] : [1, scalar!.by];
    weigh(
      graph,
      convolution,
      () => factor,
      () => summand,
    );
    graph.replace(node.outputs[0]!, convolution.outputs[0]!);
  }
}

/**
 * x·min(max(x/6 + 1/2, 0), 1) of what a convolution makes, and a factor and a summand after it. onnxruntime
 * keeps the layout that is fast for convolutions as long as nothing but convolutions, with an activation, and
 * products of two of them follow.
 */
export function hardSwishes(graph: OpenGraph): void {
  for (const clip of graph.nodes('Clip')) {
    const x = graph.maker(clip.inputs[0])?.inputs[0];
    const convolution = graph.maker(x);
    const last = hardSwishOf(graph, clip, x);
    const channels = convolution && weightsOf(graph, convolution)?.dims[0];
    if (last === null || !channels) continue;
    const factor = nextScalar(graph, last, 'Mul');
    const by = factor?.by ?? 1;
    const share = eachChannel(graph, x!, channels, by / 6, by / 2);
    const product = graph.op('Mul', [x!, clipped(graph, clip, share, Math.min(0, by), Math.max(0, by))]);
    const end = factor?.node ?? last;
    const summand = nextScalar(graph, end, 'Add');
    if (summand) addAfter(graph, summand.node, product, summand.by, channels);
    else graph.replace(end.outputs[0]!, product);
  }
}

/** The last of its five nodes; null where it is something else. */
function hardSwishOf(graph: OpenGraph, clip: OpenNode, x: string | undefined): OpenNode | null {
  const sum = graph.maker(clip.inputs[0]);
  const [product] = graph.takers(clip.outputs[0]!);
  const [quotient] = product ? graph.takers(product.outputs[0]!) : [];
  const [least, most] = boundsOf(graph, clip);
  const numbers = [graph.scalar(sum?.inputs[1]), least, most, graph.scalar(quotient?.inputs[1])];
  const isOne =
    sum?.op === 'Add' &&
    product?.op === 'Mul' &&
    quotient?.op === 'Div' &&
    product.inputs.includes(x!) &&
    numbers.join() === '3,0,6,6' &&
    [sum, clip, product].every(({ outputs }) => graph.isTakenOnce(outputs[0]!));
  return isOne ? quotient : null;
}

/** Attributes until operator set 10, inputs since. */
function boundsOf(graph: OpenGraph, { inputs, attributes }: OpenNode): (number | undefined)[] {
  return ['min', 'max'].map((name, i) => {
    const bound = attributes[name];
    return typeof bound === 'object' && 'float' in bound ? bound.float : graph.scalar(inputs[i + 1]);
  });
}

/** Between other bounds, given as another clip has them. */
function clipped(graph: OpenGraph, like: OpenNode, value: string, min: number, max: number): string {
  if (like.inputs.length === 1)
    return graph.op('Clip', [value], { min: { float: min }, max: { float: max } });
  return graph.op('Clip', [value, graph.floats([], [min]), graph.floats([], [max])]);
}

/**
 * The node that takes what another one makes, and nobody else does, where it multiplies it by a scalar or
 * adds one.
 */
function nextScalar(
  graph: OpenGraph,
  { outputs: [value] }: OpenNode,
  op: string,
): { node: OpenNode; by: number } | null {
  const [node] = graph.takers(value!);
  if (node?.op !== op || !graph.isTakenOnce(value!)) return null;
  const by = scalarOf(graph, node)?.by;
  return by === undefined ? null : { node, by };
}

/**
 * A summand is a part of the biases that follow, but where zeros are put around, which it would have to be
 * added to.
 */
function addAfter(graph: OpenGraph, sum: OpenNode, value: string, by: number, channels: number): void {
  for (const taker of graph.takers(sum.outputs[0]!)) {
    if (!weightsOf(graph, taker) || !padsOf(taker)?.every((pad) => pad === 0)) continue;
    weigh(
      graph,
      taker,
      () => 1,
      (weights) => weights.reduce((total, weight) => total + weight * by, 0),
    );
    taker.inputs = [value, ...taker.inputs.slice(1)];
  }
  graph.replace(sum.outputs[0]!, eachChannel(graph, value, channels, 1, by));
}

/**
 * Other weights and biases for a convolution. `more`: what is added to a bias, from the weights it stands
 * beside.
 */
function weigh(
  graph: OpenGraph,
  convolution: OpenNode,
  factorOf: (output: number) => number,
  more: (weights: Float32Array, output: number) => number,
): void {
  const { dims, data } = weightsOf(graph, convolution)!;
  const count = dims[0]!;
  const each = data.length / count;
  const weights = data.slice();
  const bias = graph.constant(convolution.inputs[2])?.data;
  const biases = new Float32Array(count);
  for (let output = 0; output < count; output++) {
    const filter = weights.subarray(output * each, (output + 1) * each);
    const factor = factorOf(output);
    if (factor !== 1) for (let i = 0; i < each; i++) filter[i]! *= factor;
    biases[output] = Number(bias?.[output] ?? 0) * factor + more(filter, output);
  }
  convolution.inputs = [convolution.inputs[0]!, graph.floats(dims, weights), graph.floats([count], biases)];
}

/** Constant weights of a convolution, and a constant bias if any; null for others. */
function weightsOf(
  graph: OpenGraph,
  { op, inputs }: OpenNode,
): { dims: readonly number[]; data: Float32Array } | null {
  const [weights, bias] = [graph.constant(inputs[1]), graph.constant(inputs[2])];
  if (op !== 'Conv' || !(weights?.data instanceof Float32Array) || (inputs[2] && !bias)) return null;
  return { dims: weights.dims, data: weights.data };
}

/** All values times a factor, and a summand, as a convolution. */
function eachChannel(
  graph: OpenGraph,
  value: string,
  channels: number,
  factor: number,
  summand: number,
): string {
  const all = (constant: number) => new Float32Array(channels).fill(constant);
  const inputs = [
    value,
    graph.floats([channels, 1, 1, 1], all(factor)),
    graph.floats([channels], all(summand)),
  ];
  return graph.op('Conv', inputs, { kernel_shape: [1, 1], group: channels });
}

/** The value and the scalar that a node multiplies or adds. */
function scalarOf(graph: OpenGraph, { inputs }: OpenNode): { value: string; by: number } | null {
  for (const [value, operand] of [inputs, inputs.toReversed()]) {
    const by = graph.scalar(operand);
    if (by !== undefined) return { value: value!, by };
  }
  return null;
}

/** Top, left, bottom, right; null where they depend on the size of what is taken. */
function padsOf({ attributes }: OpenNode): readonly number[] | null {
  const auto = attributes['auto_pad'] ?? 'NOTSET';
  if (auto !== 'NOTSET' && auto !== 'VALID') return null;
  return (attributes['pads'] as readonly number[] | undefined) ?? [0, 0, 0, 0];
}
