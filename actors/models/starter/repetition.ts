// How well a frame repeats itself: grids, stripes, brickwork. The correlation of the frame with itself, moved
// by every distance in one direction, is a sum along a diagonal of a Gram matrix, so that it takes one
// product for all distances.
import type { GraphBuilder } from './graph/builder.ts';
import { square } from './maps.ts';

/** Side of the map that is compared with itself. */
const SIDE = 112;
/** Side of the square that stands on its corner in the map. */
const TURNED = 78;
/** Distances that are tried, in points of the map: periods of 2 % to 30 % of the frame. */
const LEAST = 3;
const MOST = 34;
/** What the grain of a camera has of variance: less than this repeats nothing. */
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
  const own = b.op('Sub', [map, b.op('ReduceMean', [map], { axes: [1], keepdims: 1 })]);
  const energy = b.op('ReduceMean', [square(b, own)], { axes: [1, 2], keepdims: 0 });
  const room = b.op('Reshape', [b.op('Add', [energy, b.scalar(GRAIN)]), b.ints([0, 1])]);
  const correlations = b.op('Div', [alongDiagonals(b, own, side), room]);
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
