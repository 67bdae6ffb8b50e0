// What is done to a graph before it is run on a processor.

import { onnxBytes } from '../starter/graph/onnx.ts';
import {
  biasInConvolutions,
  hardSwishes,
  normalisationsBefore,
  padInWindows,
  scalarsBefore,
  withoutTurns,
} from './convolutions.ts';
import { inEightBits, type Ranges } from './eight-bits.ts';
import { OpenGraph } from './open-graph.ts';
import { readOnnx } from './read-onnx.ts';
import { convolutionsOfLarger, doublings, gatedThinMaps, gates } from './upsampling.ts';

/** In their order: some make what others look for. */
const rules = [
  ...[withoutTurns, biasInConvolutions, withoutTurns, padInWindows, normalisationsBefore],
  ...[scalarsBefore, hardSwishes, gates, convolutionsOfLarger, gatedThinMaps, doublings],
];

/**
 * A graph that answers the same, but for the rounding of single precision, in less time of a processor.
 * `ranges`: computes in eight bits where they reach, which answers nearly the same. Throws an `Error` that
 * says what of the graph is not understood. *New memory.*
 */
export function forProcessor(onnx: Uint8Array, ranges?: Ranges): Uint8Array {
  const graph = new OpenGraph(readOnnx(onnx));
  for (const rule of rules) rule(graph);
  if (ranges) inEightBits(graph, ranges);
  return onnxBytes(graph.model());
}
