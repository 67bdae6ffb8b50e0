// A network with the names, shapes and reach of the one that hears music and singing.
import { fbankBands } from '../../../actors/acoustics/fbank.ts';
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';

/** Every frame depends on 152 before it and 160 after it, as in the network. `outputs`: usually three. */
export function wideGraph(outputs = 3): Uint8Array {
  const graph = new GraphBuilder('wide');
  const features = graph.input('feat', 'float', ['batch', 'time', fbankBands]);
  const frames = 152 + 1 + 160;
  const weights = Float32Array.from(
    { length: outputs * fbankBands * frames },
    (_, i) => (((i * 7919) % 1000) / 1000 - 0.5) / 100,
  );
  const made = graph.op(
    'Conv',
    [
      graph.op('Transpose', [features], { perm: [0, 2, 1] }),
      graph.tensor('float', [outputs, fbankBands, frames], weights),
    ],
    { kernel_shape: [frames], pads: [152, 160] },
  );
  const probabilities = graph.op('Transpose', [graph.op('Sigmoid', [made])], { perm: [0, 2, 1] });
  graph.output(probabilities, 'probs', 'float', ['batch', 'time', outputs]);
  return onnxBytes(graph.model());
}
