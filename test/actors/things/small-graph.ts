// A small graph with the names, shapes and types of the published RF-DETR.
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';

/** Sides of the picture and of a cell, px. */
export const [side, cell] = [384, 32];
const queries = 300;
/** Ids of categories. */
export const ids = 91;
/** Category ids of COCO; 12 has no class. */
const [dog, toothbrush, unused] = [18, 90, 12];

export interface Names {
  readonly boxes?: string;
  readonly logits?: string;
  /** Sides of the picture; free where left out. */
  readonly sides?: readonly [number | string, number | string];
}

/**
 * pixel_values f32 [1,3,h,w] -> pred_boxes f32 [1,300,4], logits f32 [1,300,91]. The first 144 queries are
 * cells of 32 px: a red one is a dog, a green one a toothbrush, a blue one of an id without a class.
 */
export function smallGraph({
  boxes = 'pred_boxes',
  logits = 'logits',
  sides = ['h', 'w'],
}: Names = {}): Uint8Array {
  const across = side / cell;
  const graph = new GraphBuilder('small-rf-detr');
  const input = graph.input('pixel_values', 'float', [1, 3, ...sides]);
  const means = graph.op('AveragePool', [input], { kernel_shape: [cell, cell], strides: [cell, cell] });
  const rows = graph.op('Transpose', [graph.op('Reshape', [means, graph.ints([1, 3, across ** 2])])], {
    perm: [0, 2, 1],
  });
  const weights = new Float32Array(3 * ids).fill(-1);
  for (const [plane, id] of [dog, toothbrush, unused].entries()) weights[plane * ids + id] = 1;
  const values = graph.op('Add', [
    graph.op('MatMul', [rows, graph.tensor('float', [3, ids], weights)]),
    graph.scalar(-5),
  ]);
  const padding = graph.ints([0, 0, 0, 0, queries - across ** 2, 0]);
  graph.output(graph.op('Pad', [values, padding, graph.scalar(-10)]), logits, 'float', [1, queries, ids]);
  const cells = Array.from({ length: queries }, (_, i) => [
    ((i % across) + 0.5) / across,
    (Math.floor(i / across) + 0.5) / across,
    1 / across,
    1 / across,
  ]);
  graph.output(graph.floats([1, queries, 4], cells.flat()), boxes, 'float', [1, queries, 4]);
  return onnxBytes(graph.model());
}
