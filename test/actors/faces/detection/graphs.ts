// Detector graphs with the names and shapes of the real ones that answer fixed values in chosen cells.
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';

/** A value of the output `name` at a row and a column. */
export interface Put {
  readonly name: string;
  readonly row: number;
  readonly values: readonly number[];
}

/** Outputs of N×width, filled with zeros but for what is put. `side` of the picture is fixed. */
export function detectorGraph(
  side: number,
  outputs: readonly { name: string; rows: number; width: number; batch: boolean }[],
  puts: readonly Put[],
): Uint8Array {
  const graph = new GraphBuilder('detector');
  const picture = graph.input('input', 'float', [1, 3, side, side]);
  // Each output depends on the picture, as in a real graph, and not on its values.
  const nothing = graph.op('Mul', [graph.op('ReduceMean', [picture], { keepdims: 0 }), graph.scalar(0)]);
  for (const { name, rows, width, batch } of outputs) {
    const data = new Float32Array(rows * width);
    for (const put of puts) if (put.name === name) data.set(put.values, put.row * width);
    const dims = batch ? [1, rows, width] : [rows, width];
    graph.output(graph.op('Add', [graph.tensor('float', dims, data), nothing]), name, 'float', dims);
  }
  return onnxBytes(graph.model());
}

const strides = [8, 16, 32];

export function yunetGraph(side: number, puts: readonly Put[], without?: string): Uint8Array {
  const parts = { cls: 1, obj: 1, bbox: 4, kps: 10 };
  const outputs = Object.entries(parts).flatMap(([part, width]) =>
    strides.map((stride) => ({ name: `${part}_${stride}`, rows: (side / stride) ** 2, width, batch: true })),
  );
  return detectorGraph(
    side,
    outputs.filter(({ name }) => name !== without),
    puts,
  );
}

/** Outputs are named `0` to `8`: scores, boxes and points of the strides 8, 16 and 32. */
export function scrfdGraph(side: number, puts: readonly Put[], count = 9): Uint8Array {
  const outputs = [1, 4, 10].flatMap((width, part) =>
    strides.map((stride, at) => ({
      name: String(part * 3 + at),
      rows: (side / stride) ** 2 * 2,
      width,
      batch: false,
    })),
  );
  return detectorGraph(side, outputs.slice(0, count), puts);
}
