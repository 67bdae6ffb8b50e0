// First part of the picture graph: from pixels to maps of light, colour, edges and texture, each 56×56
// points. Values named here are [B, channels, 56, 56] unless said otherwise.
import { MAP_SIDE } from './evidence.ts';
import type { GraphBuilder } from './graph/onnx.ts';
import { oklab } from './palette.ts';

/** Side of the picture that the graph takes, px. */
export const PICTURE_SIDE = 224;

export interface StarterPlanes {
  /** [B, 1, 224, 224], gamma-coded luma, 0..1. */
  readonly luma: string;
  /** [B, 1, 112, 112]. */
  readonly halfLuma: string;
  readonly quarterLuma: string;
  /** OKLab; three channels. */
  readonly lab: string;
}

/** `pixels`: uint8 [B, 224, 224, 3]. */
export function planes(b: GraphBuilder, pixels: string): StarterPlanes {
  const rgb = b.op('Transpose', [b.op('Cast', [pixels], { to: 1 })], { perm: [0, 3, 1, 2] });
  const luma = b.op('Conv', [rgb, b.floats([1, 3, 1, 1], [0.299 / 255, 0.587 / 255, 0.114 / 255])]);
  const halfLuma = shrink(b, luma, 2);
  const quarter = shrink(b, rgb, PICTURE_SIDE / MAP_SIDE);
  const shifted = b.op('Add', [b.op('Mul', [quarter, b.scalar(1 / 255 / 1.055)]), b.scalar(0.055 / 1.055)]);
  const linear = b.op('Pow', [shifted, b.scalar(2.4)]);
  const cones = b.op('Conv', [linear, b.floats([3, 3, 1, 1], oklab.cones.flat())]);
  const roots = b.op('Pow', [b.op('Max', [cones, b.scalar(1e-7)]), b.scalar(1 / 3)]);
  const lab = b.op('Conv', [roots, b.floats([3, 3, 1, 1], oklab.lab.flat())]);
  return { luma, halfLuma, quarterLuma: shrink(b, halfLuma, 2), lab };
}

/** Means of squares of `factor`×`factor` points. */
export function shrink(b: GraphBuilder, value: string, factor: number): string {
  return b.op('AveragePool', [value], { kernel_shape: [factor, factor], strides: [factor, factor] });
}

/** Mean of the `side`×`side` points around each; only points inside the frame count. */
export function blur(b: GraphBuilder, value: string, side: number): string {
  const pad = (side - 1) / 2;
  return b.op('AveragePool', [value], { kernel_shape: [side, side], pads: [pad, pad, pad, pad] });
}

export function square(b: GraphBuilder, value: string): string {
  return b.op('Mul', [value, value]);
}

/** 0 below `from`, 1 above `to`; with `from` above `to`, the other way round. */
export function ramp(b: GraphBuilder, value: string, from: number, to: number): string {
  const slope = 1 / (to - from);
  const line = b.op('Add', [b.op('Mul', [value, b.scalar(slope)]), b.scalar(-from * slope)]);
  return b.op('Clip', [line, b.scalar(0), b.scalar(1)]);
}

export interface Gradient {
  readonly strength: string;
  /** Strength times cosine and sine of twice the angle: two channels. Horizontal lines: cosine -1. */
  readonly turns: string;
}

/** Gradient of a one-channel map of any size; the result has the same size. */
export function gradient(b: GraphBuilder, value: string): Gradient {
  const kernels = [-1, 0, 1, -2, 0, 2, -1, 0, 1, -1, -2, -1, 0, 0, 0, 1, 2, 1].map((weight) => weight / 8);
  const padded = b.op('Pad', [value, b.ints([0, 0, 1, 1, 0, 0, 1, 1])], { mode: 'edge' });
  const slopes = b.op('Conv', [padded, b.floats([2, 1, 3, 3], kernels)]);
  const [x, y] = b.ops('Split', [slopes, b.ints([1, 1])], 2, { axis: 1 }) as [string, string];
  const [xx, yy] = [square(b, x), square(b, y)];
  const strength = b.op('Sqrt', [b.op('Add', [b.op('Add', [xx, yy]), b.scalar(1e-8)])]);
  const cosine = b.op('Sub', [xx, yy]);
  const sine = b.op('Mul', [b.op('Mul', [x, y]), b.scalar(2)]);
  const turns = b.op('Div', [b.op('Concat', [cosine, sine], { axis: 1 }), strength]);
  return { strength, turns };
}

/**
 * Edge strength by direction: one channel for each of `count` directions, evenly spaced, vertical lines
 * first. A direction takes what lies within `width` (0..90 degrees, of the doubled angle) of it.
 */
export function directions(b: GraphBuilder, edges: Gradient, count: number, width: number): string {
  const limit = Math.cos((width * Math.PI) / 180);
  const weights = Array.from({ length: count }, (_, k) => {
    const angle = (2 * Math.PI * k) / count;
    return [Math.cos(angle), Math.sin(angle), -limit].map((weight) => weight / (1 - limit));
  });
  const parts = b.op('Concat', [edges.turns, edges.strength], { axis: 1 });
  return b.op('Relu', [b.op('Conv', [parts, b.floats([count, 3, 1, 1], weights.flat())])]);
}

export interface Texture {
  /** Standard deviation of luma around the point. */
  readonly contrast: string;
  /** Mean square of what a 3×3 blur takes away at full size. */
  readonly detail: string;
  /** Brightness of small spots over their surroundings. */
  readonly glint: string;
}

export function texture(b: GraphBuilder, { luma, halfLuma }: StarterPlanes): Texture {
  const rough = square(b, b.op('Sub', [halfLuma, blur(b, halfLuma, 5)]));
  const contrast = b.op('Sqrt', [b.op('Add', [blur(b, shrink(b, rough, 2), 5), b.scalar(1e-8)])]);
  const finest = b.op('Sub', [luma, blur(b, luma, 3)]);
  const around = blur(b, halfLuma, 9);
  const spot = b.op('Relu', [b.op('Sub', [b.op('Sub', [halfLuma, around]), b.scalar(0.12)])]);
  return { contrast, detail: shrink(b, square(b, finest), 4), glint: shrink(b, spot, 2) };
}

// How well a frame repeats itself: grids, stripes, brickwork. The correlation of the frame with itself, moved
// by every distance in one direction, is a sum along a diagonal of a Gram matrix, so that it takes one
// product for all distances.

/** Side of the map that is compared with itself. */
const SIDE = 112;
/** Side of the square that stands on its corner in the map. */
const TURNED = 78;
/** Distances that are tried, in points of the map: periods of 2 % to 30 % of the frame. */
const LEAST = 3;
const MOST = 34;
/** Variance of a camera's grain: smaller repetitions do not count. */
const GRAIN = 0.0006;

/**
 * `detail`: [B, 1, 112, 112], luma less its surroundings. Answers four times [B, 1]: along the rows, along
 * the columns, along the rising and the falling diagonals.
 */
export function repetition(b: GraphBuilder, detail: string): string[] {
  const flat = b.op('Reshape', [detail, b.ints([0, SIDE * SIDE])]);
  const turned = b.op('Reshape', [
    b.op('Gather', [flat, b.ints(turnedPoints())], { axis: 1 }),
    b.ints([0, 1, TURNED, TURNED]),
  ]);
  return [...alongRowsAndColumns(b, detail, SIDE), ...alongRowsAndColumns(b, turned, TURNED)];
}

/** `map`: [B, 1, side, side]. */
function alongRowsAndColumns(b: GraphBuilder, map: string, side: number): [string, string] {
  const upright = b.op('Reshape', [map, b.ints([0, side, side])]);
  const lying = b.op('Transpose', [upright], { perm: [0, 2, 1] });
  return [alongColumns(b, lying, side), alongColumns(b, upright, side)];
}

/**
 * [B, 1] of [B, side, side]: the best correlation of the second axis with itself, over what nearer distances
 * have.
 */
function alongColumns(b: GraphBuilder, map: string, side: number): string {
  const deviations = b.op('Sub', [map, b.op('ReduceMean', [map], { axes: [1], keepdims: 1 })]);
  const energy = b.op('ReduceMean', [square(b, deviations)], { axes: [1, 2], keepdims: 0 });
  const room = b.op('Reshape', [b.op('Add', [energy, b.scalar(GRAIN)]), b.ints([0, 1])]);
  const correlations = b.op('Div', [alongDiagonals(b, deviations, side), room]);
  const scores = b.op('MatMul', [correlations, b.floats([MOST, MOST - LEAST + 1], overNearer())]);
  const best = b.op('ReduceMax', [scores], { axes: [1], keepdims: 1 });
  return b.op('Clip', [best, b.scalar(0), b.scalar(1)]);
}

/**
 * [B, MOST]: mean products of [B, side, side] with itself, moved by 1 to MOST along the second axis. The Gram
 * matrix has them along its diagonals: with its columns turned round and a row more of zeros behind each row,
 * diagonals become columns.
 */
function alongDiagonals(b: GraphBuilder, map: string, side: number): string {
  const reversed = b.op('Slice', [map, b.ints([-1]), b.ints([-1000]), b.ints([1]), b.ints([-1])]);
  const gram = b.op('MatMul', [map, b.op('Transpose', [reversed], { perm: [0, 2, 1] })]);
  const padded = b.op('Reshape', [b.op('Pad', [gram, b.ints([0, 0, 0, 0, 0, side])]), b.ints([0, -1])]);
  const width = 2 * side - 1;
  const sheared = b.op('Slice', [padded, b.ints([0]), b.ints([side * width]), b.ints([1])]);
  const sums = b.op('ReduceSum', [b.op('Reshape', [sheared, b.ints([0, side, width])]), b.ints([1])], {
    keepdims: 0,
  });
  const moved = b.op('Slice', [sums, b.ints([side]), b.ints([side + MOST]), b.ints([1])]);
  const shares = Array.from({ length: MOST }, (_, i) => 1 / ((side - i - 1) * side));
  return b.op('Mul', [moved, b.floats([MOST], shares)]);
}

/**
 * [MOST, scores]: the correlation at a distance less the mean of those at nearer ones, which a large thing
 * has too.
 */
function overNearer(): Float32Array {
  const scores = MOST - LEAST + 1;
  const weights = new Float32Array(MOST * scores);
  for (let distance = LEAST; distance <= MOST; distance++) {
    const score = distance - LEAST;
    weights[(distance - 1) * scores + score] = 1;
    for (let nearer = 1; nearer < distance; nearer++)
      weights[(nearer - 1) * scores + score] = -1 / (distance - 1);
  }
  return weights;
}

/** Points of the map under those of the square that stands on its corner, row by row. */
function turnedPoints(): number[] {
  const middle = (SIDE - 1) / 2;
  const points: number[] = [];
  for (let row = 0; row < TURNED; row++) {
    for (let column = 0; column < TURNED; column++) {
      const [x, y] = [column - (TURNED - 1) / 2, row - (TURNED - 1) / 2];
      const across = Math.round(middle + (x + y) * Math.SQRT1_2);
      const down = Math.round(middle + (y - x) * Math.SQRT1_2);
      points.push(Math.min(SIDE - 1, Math.max(0, down)) * SIDE + Math.min(SIDE - 1, Math.max(0, across)));
    }
  }
  return points;
}
