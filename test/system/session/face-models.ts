// Models that find and tell apart the drawn faces of the session's library, as a user brings his own: a
// detector that sees a face at two places of the picture where it is bright there, and an embedder that tells
// faces apart by their colour.

import { template } from '../../../actors/faces/alignment/align.ts';
import type { FaceDetectorRow, FaceEmbedderRow } from '../../../actors/models/contract.ts';
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';
import { tinyEmbedder } from '../../actors/faces/embedding/graphs.ts';
import { standInRow, writeFaceModel, yunetRow } from '../../actors/faces/stand-in-embedder.ts';

/** Side of a drawn face, and the middles of both, px. */
export const faceSide = 64;
export const faceMiddles = [
  [80, 80],
  [240, 80],
] as const;

/** Side of the picture that the detector takes, and of the cells in which it answers, px. */
const [side, cell] = [320, 32];
const cells = side / cell;
const strides = [8, 16, 32] as const;
/** Brightness of what counts as a face. */
const bright = 70;

const detector: FaceDetectorRow = {
  ...yunetRow,
  detector: { ...yunetRow.detector, fixed_side: side, most_face: 3000 },
};
const embedder: FaceEmbedderRow = {
  ...standInRow,
  embedder: { ...standInRow.embedder, thresholds: { same: 0.8, margin: 0.05 } },
};

export async function writeFaceModels(modelsDir: string): Promise<void> {
  await writeFaceModel(modelsDir, detector, detectorGraph());
  await writeFaceModel(modelsDir, embedder, tinyEmbedder({ batch: 1 }));
}

/** Only the largest cells answer; the outputs of the others are zeros. */
function detectorGraph(): Uint8Array {
  const graph = new GraphBuilder('session-faces');
  const input = graph.input('input', 'float', [1, 3, side, side]);
  const nothing = graph.op('Mul', [graph.op('ReduceMean', [input], { keepdims: 0 }), graph.scalar(0)]);
  const constant = (name: string, rows: number, columns: number, data: Float32Array) => {
    const tensor = graph.tensor('float', [1, rows, columns], data);
    graph.output(graph.op('Add', [tensor, nothing]), name, 'float', [1, rows, columns]);
  };
  const widths = { cls: 1, bbox: 4, kps: 10 } as const;
  for (const stride of strides) {
    const rows = (side / stride) ** 2;
    for (const [part, columns] of Object.entries(widths)) {
      const data = stride === cell ? answers(part as keyof typeof widths, columns) : undefined;
      constant(`${part}_${stride}`, rows, columns, data ?? new Float32Array(rows * columns));
    }
    if (stride !== cell) constant(`obj_${stride}`, rows, 1, new Float32Array(rows));
  }
  // 0 where it is dark, 1 where it is bright.
  const pooled = graph.op('AveragePool', [input], { kernel_shape: [cell, cell], strides: [cell, cell] });
  const light = graph.op('ReduceMean', [pooled], { axes: [1], keepdims: 0 });
  const rows = graph.op('Reshape', [light, graph.ints([1, cells * cells, 1])]);
  const above = graph.op('Relu', [graph.op('Sub', [rows, graph.scalar(bright)])]);
  graph.output(graph.op('Min', [above, graph.scalar(1)]), `obj_${cell}`, 'float', [1, cells * cells, 1]);
  return onnxBytes(graph.model());
}

/** In units of a cell, from the top left of the cell. */
function answers(part: 'cls' | 'bbox' | 'kps', columns: number): Float32Array {
  const data = new Float32Array(cells * cells * columns);
  for (const [x, y] of faceMiddles) {
    const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)];
    const shift = [x / cell - column, y / cell - row] as const;
    const size = Math.log(faceSide / cell);
    const landmark = (value: number, at: number) => shift[at % 2]! + ((value / 112 - 0.5) * faceSide) / cell;
    const values = { cls: [1], bbox: [...shift, size, size], kps: template.map(landmark) }[part];
    data.set(values, (row * cells + column) * columns);
  }
  return data;
}
