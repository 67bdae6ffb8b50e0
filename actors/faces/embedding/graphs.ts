// What graphs of face embedders have in common: square faces in, a vector of each out.
import { type FaceEmbedderRow, modelErrors } from '../../models/contract.ts';
import type { ModelSession, Port } from '../../models/session.ts';
import type { Chip } from '../alignment/similarity.ts';
import { described } from '../ports.ts';

/**
 * The one input and the one output of a graph. Throws MODEL_LOAD_FAILED where they are others, or where the graph takes a
 * fixed number of faces that is not the row's.
 */
export function facePorts(
  { key, embedder: { dimensions, batch } }: FaceEmbedderRow,
  { inputs, outputs }: ModelSession,
  file: string,
  chip: Chip,
): { chip: Chip; input: string; output: string } {
  const [input] = inputs;
  const [output] = outputs;
  const faces = [null, 3, chip.side, chip.side];
  if (inputs.length !== 1 || !input || !fits(input, faces)) {
    const wanted = `one input float32 [n, 3, ${chip.side}, ${chip.side}]`;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: expected ${wanted}, found ${described(inputs)}`, { file });
  }
  if (outputs.length !== 1 || !output || !fits(output, [null, dimensions])) {
    const wanted = `one output float32 [n, ${dimensions}]`;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: expected ${wanted}, found ${described(outputs)}`, { file });
  }
  const [most] = input.shape;
  if (typeof most === 'number' && most > 0 && most !== batch) {
    const message = `${file}: takes ${most} faces in one run, the row of "${key}" says ${batch}`;
    throw modelErrors.MODEL_LOAD_FAILED(message, { file });
  }
  return { chip, input: input.name, output: output.name };
}

/** Free sides of a graph fit everything. */
function fits({ type, shape }: Port, wanted: readonly (number | null)[]): boolean {
  if (type !== 'float32' || shape.length !== wanted.length) return false;
  return shape.every(
    (side, at) => wanted[at] === null || typeof side !== 'number' || side < 0 || side === wanted[at],
  );
}
