// Third part of the picture graph: the unnamed dimensions by which pictures are compared with pictures: where
// it is light and dark, where which colour lies, how edges run in each part, and the palette.
import type { GraphBuilder } from './graph/builder.ts';
import { SIMILARITY } from './layout.ts';
import { directions, gradient, type Planes, shrink, square } from './maps.ts';

const LIGHT_SIDE = 8;
const COLOUR_SIDE = 4;
const EDGE_SIDE = 4;
const EDGE_DIRECTIONS = 6;
const USED = LIGHT_SIDE ** 2 + 2 * COLOUR_SIDE ** 2 + EDGE_DIRECTIONS * EDGE_SIDE ** 2;

/**
 * [B, SIMILARITY], of length 1. `palette`: [B, n], shares of n colours. A frame without any structure gets a
 * constant direction, so that flat frames are alike and no frame is short.
 */
export function similarity(b: GraphBuilder, planes: Planes, palette: string, colours: number): string {
  const light = b.op('Reshape', [shrink(b, planes.quarterLuma, 56 / LIGHT_SIDE), b.ints([0, -1])]);
  const centredLight = b.op('Sub', [light, b.op('ReduceMean', [light], { axes: [1], keepdims: 1 })]);
  const [, red, yellow] = b.ops('Split', [planes.lab, b.ints([1, 1, 1])], 3, { axis: 1 }) as [
    string,
    string,
    string,
  ];
  const colour = shrink(b, b.op('Concat', [red, yellow], { axis: 1 }), 56 / COLOUR_SIDE);
  const byDirection = directions(b, gradient(b, planes.quarterLuma), EDGE_DIRECTIONS, 60);
  const strength = b.op('Reshape', [shrink(b, byDirection, 56 / EDGE_SIDE), b.ints([0, -1])]);
  const edges = b.op('Sqrt', [b.op('Add', [strength, b.scalar(1e-6)])]);
  const centredEdges = b.op('Sub', [edges, b.op('ReduceMean', [edges], { axes: [1], keepdims: 1 })]);
  const shares = b.op('Sqrt', [b.op('Add', [palette, b.scalar(1e-6)])]);
  const centredShares = b.op('Sub', [shares, b.scalar(0.2)]);
  const flat = b.op('Add', [
    b.op('Mul', [b.op('ReduceMean', [light], { axes: [1], keepdims: 1 }), b.scalar(0)]),
    b.scalar(0.15),
  ]);
  const padding = SIMILARITY - USED - colours - 1;
  const parts = [
    weigh(b, centredLight, 0.35, 0.75),
    weigh(b, b.op('Reshape', [colour, b.ints([0, -1])]), 0.15, 0.6),
    weigh(b, centredEdges, 0.25, 0.55),
    weigh(b, centredShares, 0.1, 0.5),
    flat,
  ];
  const joined = b.op('Concat', parts, { axis: 1 });
  const length = b.op('ReduceL2', [joined], { axes: [1], keepdims: 1 });
  return b.op('Pad', [b.op('Div', [joined, length]), b.ints([0, 0, 0, padding])]);
}

/**
 * Scales a part to a length below `weight`; lengths well under `knee` stay small, so that noise is not
 * amplified.
 */
function weigh(b: GraphBuilder, part: string, knee: number, weight: number): string {
  const squares = b.op('ReduceSum', [square(b, part), b.ints([1])], { keepdims: 1 });
  const length = b.op('Sqrt', [b.op('Add', [squares, b.scalar(knee * knee)])]);
  return b.op('Mul', [b.op('Div', [part, length]), b.scalar(weight)]);
}
