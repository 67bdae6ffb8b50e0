// Small embedders: what they answer depends on the brightness of each face.
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { weights } from '../../embedder/graphs.ts';

export interface TinyEmbedder {
  readonly batch?: number | string;
  readonly dimensions?: number;
  /** What a face with a mean below `dark` gets; a vector of its colours otherwise. */
  readonly of?: 'zeros' | 'no numbers';
  readonly dark?: number;
  /** Only the left half of a face counts. */
  readonly left?: boolean;
  /** Whether a value that is no number in one face of a run reaches the others. */
  readonly mixed?: boolean;
}

/** data f32 [batch,3,112,112] -> fc1 [batch, dimensions]: mean colours times a fixed matrix. */
export function tinyEmbedder(options: TinyEmbedder = {}): Uint8Array {
  const { batch = 'B', dimensions = 128, of = 'zeros', dark = -1e9, mixed = false, left = false } = options;
  const graph = new GraphBuilder('tiny-embedder');
  const data = graph.input('data', 'float', [batch, 3, 112, 112]);
  const half = () => graph.op('Slice', [data, graph.ints([0]), graph.ints([56]), graph.ints([3])]);
  const colours = graph.op('ReduceMean', [left ? half() : data], { axes: [2, 3], keepdims: 0 });
  const matrix = graph.tensor('float', [3, dimensions], weights(3 * dimensions, 5));
  const vector = graph.op('MatMul', [colours, matrix]);
  const light = graph.op('ReduceMean', [colours], { axes: [1], keepdims: 1 });
  const above = graph.op('Sub', [light, graph.scalar(dark)]);
  const each = of === 'zeros' ? graph.op('Relu', [above]) : graph.op('Sqrt', [above]);
  const factor = mixed
    ? graph.op('Add', [
        graph.op('Mul', [graph.op('ReduceMean', [each], { keepdims: 0 }), graph.scalar(0)]),
        each,
      ])
    : each;
  graph.output(graph.op('Mul', [vector, factor]), 'fc1', 'float', [batch, dimensions]);
  return onnxBytes(graph.model());
}
