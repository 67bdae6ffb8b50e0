// Networks that look for things of many sizes add up maps of several resolutions. Convolutions of what was
// made larger by repeating pixels read every value several times: here they are done before, where there are
// fewer pixels. Answers stay the same but for the rounding of single precision.
import { normalisationOf } from './convolutions.ts';
import type { OpenGraph, OpenNode } from './open-graph.ts';

/** x + x·g as x·(1 + g), where g is one value a channel. */
export function gates(graph: OpenGraph): void {
  for (const sum of graph.nodes('Add')) {
    const [x, other] = sum.inputs;
    const product = graph.maker(other);
    const gate = product?.op === 'Mul' && product.inputs[0] === x ? product.inputs[1]! : undefined;
    if (graph.maker(gate)?.op !== 'HardSigmoid') continue;
    const more = graph.op('Add', [gate!, graph.floats([1, 1, 1, 1], [1])]);
    graph.replace(sum.outputs[0]!, graph.op('Mul', [x!, more]));
  }
}

/** A 3×3 convolution of a sum, or of maps side by side, some of which were made larger. */
export function convolutionsOfLarger(graph: OpenGraph): void {
  for (const convolution of graph.nodes('Conv')) {
    const weights = graph.constant(convolution.inputs[1]);
    const above = graph.maker(convolution.inputs[0]);
    if (weights?.dims.join().endsWith(',3,3') !== true || !isSame(convolution)) continue;
    const parts =
      above?.op === 'Add' ? sumParts(graph, above) : above?.op === 'Concat' ? sideParts(graph, above) : null;
    if (!parts) continue;
    const { large, small, from } = parts;
    const { attributes } = convolution;
    const all = weights.data as Float32Array;
    const [outputs, inputs] = weights.dims as [number, number];
    const isSide = above!.op === 'Concat';
    // Concatenated maps have separate weights; summed ones share all.
    const own = inputsOf(all, outputs, inputs, isSide ? [from, inputs] : [0, inputs]);
    const others = inputsOf(all, outputs, inputs, isSide ? [0, from] : [0, inputs]);
    const kept = graph.floats([outputs, own.length / outputs / 9, 3, 3], own);
    const direct = graph.op('Conv', [large, kept, ...convolution.inputs.slice(2)], attributes);
    graph.replace(
      convolution.outputs[0]!,
      graph.op('Add', [direct, ofDoubled(graph, small, others, outputs)]),
    );
  }
}

interface Parts {
  readonly large: string;
  /** Half as high and wide. */
  readonly small: string;
  /** Channels of `small`. */
  readonly from: number;
}

function sumParts(graph: OpenGraph, sum: OpenNode): Parts | null {
  const [large, other] = sum.inputs as [string, string];
  const resize = graph.maker(other);
  if (!resize || repeats(graph, resize) !== 2 || !graph.isTakenOnce(sum.outputs[0]!)) return null;
  return channelsOf(graph, large) ? { large, small: resize.inputs[0]!, from: 0 } : null;
}

/** The last one is of full size, and all before were made larger. */
function sideParts(graph: OpenGraph, { inputs, outputs, attributes }: OpenNode): Parts | null {
  const resizes = inputs.slice(0, -1).map((input) => graph.maker(input));
  const times = resizes.map((resize) => (resize ? repeats(graph, resize) : 0));
  const channels = resizes.map((resize) => channelsOf(graph, resize?.inputs[0]));
  const isOne = times.every((one) => one >= 2 && one % 2 === 0) && channels.every(Boolean);
  if (!isOne || attributes['axis'] !== 1 || !graph.isTakenOnce(outputs[0]!)) return null;
  const halves = resizes.map((resize, i) => {
    const [value, region] = resize!.inputs;
    if (times[i] === 2) return value!;
    const scales = graph.floats([4], [1, 1, times[i]! / 2, times[i]! / 2]);
    return graph.op('Resize', [value!, region!, scales], resize!.attributes);
  });
  const small = halves.length === 1 ? halves[0]! : graph.op('Concat', halves, { axis: 1 });
  return { large: inputs.at(-1)!, small, from: channels.reduce<number>((sum, one) => sum + one!, 0) };
}

/** Channels of a map that convolutions made, perhaps gated or added to; undefined for others. */
function channelsOf(graph: OpenGraph, value: string | undefined): number | undefined {
  const maker = graph.maker(value);
  if (maker?.op === 'Conv') return graph.constant(maker.inputs[1])?.dims[0];
  return maker?.op === 'Mul' || maker?.op === 'Add' ? channelsOf(graph, maker.inputs[0]) : undefined;
}

/** How often a node repeats each pixel in both directions; 0 where it does anything else. */
function repeats(graph: OpenGraph, { op, inputs, attributes }: OpenNode): number {
  const { mode, coordinate_transformation_mode: where, nearest_mode: which } = attributes;
  if (op !== 'Resize' || mode !== 'nearest' || where !== 'asymmetric' || which !== 'floor') return 0;
  const [count, channels, down, across] = graph.constant(inputs[2])?.data ?? [];
  return count === 1 && channels === 1 && down === across && Number.isInteger(down) ? Number(down) : 0;
}

/** A convolution in steps of one whose answer is as large as what it takes. */
function isSame({ attributes }: OpenNode): boolean {
  const { pads, strides = [1, 1], dilations = [1, 1], group = 1 } = attributes;
  return [pads, strides, dilations, group].join(';') === '1,1,1,1;1,1;1,1;1';
}

/** Weights [outputs, inputs, 3, 3] of the inputs [from, to). */
function inputsOf(all: Float32Array, outputs: number, inputs: number, [from, to]: readonly [number, number]) {
  const parts = Array.from({ length: outputs }, (_, o) =>
    all.subarray((o * inputs + from) * 9, (o * inputs + to) * 9),
  );
  return Float32Array.from(parts.flatMap((part) => Array.from(part)));
}

/**
 * A 3×3 convolution of a map that was doubled by repeating its pixels, of the map itself. Four pixels of the
 * answer, around each corner of a pixel, see the same 2×2 pixels: these are four answers of a 2×2
 * convolution.
 */
function ofDoubled(graph: OpenGraph, map: string, weights: Float32Array, outputs: number): string {
  const inputs = weights.length / outputs / 9;
  const corners = new Float32Array(4 * outputs * inputs * 4);
  for (let place = 0; place < 4; place++) {
    const [down, across] = [place >> 1, place & 1];
    for (let one = 0; one < outputs * inputs; one++) {
      for (let tap = 0; tap < 9; tap++) {
        // Above and left of the corner two taps fall on the first pixel and one on the second; behind it is
        // the other way.
        const row = Math.floor(tap / 3) < 2 - down ? 0 : 1;
        const column = tap % 3 < 2 - across ? 0 : 1;
        corners[(place * outputs * inputs + one) * 4 + row * 2 + column]! += weights[one * 9 + tap]!;
      }
    }
  }
  const filter = graph.floats([4 * outputs, inputs, 2, 2], corners);
  const seen = graph.op('Conv', [map, filter], { kernel_shape: [2, 2], pads: [1, 1, 1, 1] });
  const spread = graph.op('DepthToSpace', [seen], { blocksize: 2 });
  const [begin, end, axes] = [
    [1, 1],
    [-1, -1],
    [2, 3],
  ].map((values) => graph.integers(values));
  return graph.op('Slice', [spread, begin!, end!, axes!]);
}

/**
 * A 3×3 convolution of a gated map that a 1×1 convolution has made of one with fewer channels: the three
 * weights become one set in each run, so that the wide map is never made. Such a graph takes one picture a
 * run.
 */
export function gatedThinMaps(graph: OpenGraph): void {
  for (const convolution of graph.nodes('Conv')) {
    const product = graph.maker(convolution.inputs[0]);
    const [wide, gate] = product?.op === 'Mul' ? product.inputs : [];
    const widening = graph.maker(wide);
    const [first, last] = [widening, convolution].map((node) => graph.constant(node?.inputs[1]));
    if (widening?.op !== 'Conv' || widening.inputs.length > 2 || !first || !last || !isSame(convolution))
      continue;
    const [channels, thin, high, across] = first.dims as [number, number, number, number];
    const isThin = high * across === 1 && (widening.attributes['group'] ?? 1) === 1 && thin * 4 <= channels;
    const mean = meanBehind(graph, gate);
    if (!isThin || mean?.inputs[0] !== wide || !graph.isTakenOnce(product!.outputs[0]!)) continue;
    const [from] = widening.inputs;
    const narrow = graph.op('GlobalAveragePool', [from!]);
    graph.replace(mean!.outputs[0]!, graph.op('Conv', [narrow, widening.inputs[1]!]));
    const count = last.dims[0]! * 9;
    const column = graph.op('Reshape', [gate!, graph.integers([channels, 1])]);
    const gated = graph.op('Mul', [graph.floats([channels, thin], first.data as Float32Array), column]);
    const lasts = graph.floats([count, channels], channelsLast(last.data as Float32Array, channels));
    const both = graph.op('MatMul', [lasts, gated]);
    const apart = graph.op('Reshape', [both, graph.integers([count / 9, 3, 3, thin])]);
    const weights = graph.op('Transpose', [apart], { perm: [0, 3, 1, 2] });
    graph.feed(convolution, [from!, weights, ...convolution.inputs.slice(2)]);
  }
}

/** The means of channels that a gate was computed of, each channel by itself or by 1×1 convolutions. */
function meanBehind(graph: OpenGraph, gate: string | undefined): OpenNode | undefined {
  const maker = graph.maker(gate);
  if (maker?.op === 'GlobalAveragePool') return maker;
  return ['Add', 'HardSigmoid', 'Conv', 'Relu'].includes(maker?.op ?? '')
    ? meanBehind(graph, maker!.inputs[0])
    : undefined;
}

/** Weights [outputs, channels, 3, 3] as [outputs, 3, 3, channels]. */
function channelsLast(weights: Float32Array, channels: number): Float32Array {
  return weights.map((_, i) => {
    const [row, channel] = [Math.floor(i / channels), i % channels];
    return weights[(Math.floor(row / 9) * channels + channel) * 9 + (row % 9)]!;
  });
}

/**
 * Two transposed convolutions, each of which makes 2×2 pixels of one, as two 1×1 convolutions and one
 * spreading of their channels to 4×4 pixels.
 */
export function doublings(graph: OpenGraph): void {
  for (const second of graph.nodes('ConvTranspose')) {
    const activation = graph.maker(second.inputs[0]);
    const normalisation = graph.maker(activation?.inputs[0]);
    const sum = graph.maker(normalisation?.inputs[0]);
    const first = graph.maker(sum?.inputs[0]);
    const [end] = graph.takers(second.outputs[0]!);
    const chain = [first, sum, normalisation, activation, second, end];
    const isOne =
      chain.map((node) => node?.op).join() ===
        'ConvTranspose,Add,BatchNormalization,Relu,ConvTranspose,Add' &&
      chain.slice(0, -1).every((node) => graph.isTakenOnce(node!.outputs[0]!));
    if (!isOne || !doubles(first!) || !doubles(second)) continue;
    const [inner, outer] = [first!, second].map((node) => graph.constant(node.inputs[1]));
    const [summands, last] = [sum!, end!].map((node) => graph.constant(node.inputs[1])?.data);
    const [inputs = 0, middle = 0, high = 0] = inner?.dims ?? [];
    const isPlain = outer?.dims.join() === `${middle},1,${high},2` && summands?.length === middle;
    if (!isPlain || last?.length !== 1) continue;
    const { factors, summands: shifts } = normalisationOf(graph, normalisation!);
    const ofFirst = pointwise(inner!.data as Float32Array, inputs, middle, factors);
    const bias = Float32Array.from({ length: 4 * middle }, (_, at) => {
      const m = at % middle;
      return Number(summands[m]) * factors[m]! + shifts[m]!;
    });
    const filter = graph.floats([4 * middle, inputs, 1, 1], ofFirst);
    const wide = graph.op('Relu', [
      graph.op('Conv', [first!.inputs[0]!, filter, graph.floats([bias.length], bias)]),
    ]);
    const spread = graph.floats([16, 4 * middle, 1, 1], places(outer!.data as Float32Array, middle));
    const ends = graph.floats([16], new Float32Array(16).fill(Number(last[0])));
    const made = graph.op('Conv', [wide, spread, ends]);
    graph.replace(end!.outputs[0]!, graph.op('DepthToSpace', [made], { blocksize: 4 }));
  }
}

/**
 * Rearranges a transposed convolution [inputs, outputs, 2, 2] with a factor for each output into [place,
 * outputs, inputs].
 */
function pointwise(weights: Float32Array, inputs: number, outputs: number, factors: readonly number[]) {
  return weights.map((_, i) => {
    const [input, at] = [i % inputs, Math.floor(i / inputs)];
    const [output, place] = [at % outputs, Math.floor(at / outputs)];
    return weights[(input * outputs + output) * 4 + place]! * factors[output]!;
  });
}

/**
 * Rearranges weights [middle, 1, 2, 2] after four places with `middle` channels each into [row and column of
 * 4×4, place, middle].
 */
function places(weights: Float32Array, middle: number): Float32Array {
  const made = new Float32Array(16 * 4 * middle);
  for (let place = 0; place < 4; place++) {
    for (let inner = 0; inner < 4; inner++) {
      const [row, column] = [2 * (place >> 1) + (inner >> 1), 2 * (place & 1) + (inner & 1)];
      const to = ((4 * row + column) * 4 + place) * middle;
      for (let m = 0; m < middle; m++) made[to + m] = weights[m * 4 + inner]!;
    }
  }
  return made;
}

function doubles({ inputs, attributes }: OpenNode): boolean {
  const { kernel_shape, strides, pads = [0, 0, 0, 0], dilations = [1, 1], group = 1, ...more } = attributes;
  const isPlain = inputs.length === 2 && Object.keys(more).length === 0;
  return isPlain && [kernel_shape, strides, pads, dilations, group].join(';') === '2,2;2,2;0,0,0,0;1,1;1';
}
