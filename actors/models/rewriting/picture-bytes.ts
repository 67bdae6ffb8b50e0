// A picture graph that takes bytes: they are normalised on the device, which is given a quarter of what
// floats would be, and nobody computes floats before.
import { onnxBytes } from '../starter/graph/onnx.ts';
import { OpenGraph, readOnnx } from './open-graph.ts';

/** How the floats of an input are made of bytes: (byte / 255 − mean) / std for each channel. */
export interface PictureInput {
  /** Name of the input: f32 [n, 3, height, width]. */
  readonly name: string;
  readonly mean: readonly [number, number, number];
  readonly std: readonly [number, number, number];
}

/** Name of the input of such a graph: u8 [n, height, width, 3]. */
export const pictureBytes = 'picture_bytes';

/** Throws an `Error` that says what of the graph is not understood. *New memory.* */
export function takingBytes(onnx: Uint8Array, { name, mean, std }: PictureInput): Uint8Array {
  const source = readOnnx(onnx);
  const port = source.inputs.find((input) => input.name === name);
  if (port?.type !== 'float' || port.dims.length !== 4) throw new Error(`${name} is no input of pictures`);
  const [count, channels, height, width] = port.dims as [number, number, number, number];
  const bytes = { name: pictureBytes, type: 'uint8', dims: [count, height, width, channels] } as const;
  const inputs = source.inputs.map((input) => (input === port ? bytes : input));
  const graph = new OpenGraph({ ...source, inputs });
  const takers = graph.takers(name);
  const factors = std.map((deviation) => 1 / (255 * deviation));
  const offsets = mean.map((value, channel) => -value / std[channel]!);
  const scaled = graph.op('Mul', [graph.op('Cast', [pictureBytes], { to: 1 }), graph.floats([3], factors)]);
  const shifted = graph.op('Add', [scaled, graph.floats([3], offsets)]);
  const planes = graph.op('Transpose', [shifted], { perm: [0, 3, 1, 2] });
  for (const node of takers) {
    graph.feed(
      node,
      node.inputs.map((input) => (input === name ? planes : input)),
    );
  }
  return onnxBytes(graph.model());
}
