// The families of face embedders, by the name that rows give them.
import { type FaceEmbedderRow, modelErrors } from '../../models/contract.ts';
import type { ModelSession, Port } from '../../models/session.ts';
import { arcfaceChip, type Chip, dlibChip } from '../alignment/similarity.ts';
import { described } from '../ports.ts';
import type { EmbedderFamily } from './family.ts';

// SFace: one face a run, 128 values; the graph normalises by itself, so its row has a mean of 0 and a scale
// of 1.

const sface: EmbedderFamily = {
  open(row, session, file) {
    const ports = facePorts(row, session, file, arcfaceChip);
    const { batch } = row.embedder;
    if (batch === 1) return { ...ports, batch };
    throw modelErrors.MODEL_INVALID(`"${row.key}": SFace takes one face in a run, not ${batch}`, {
      key: row.key,
    });
  },
};

// ArcFace and its kin (InsightFace, AuraFace): several faces a run where the row allows it, normalised as the
// row says.

const arcface: EmbedderFamily = {
  open: (row, session, file) => ({
    ...facePorts(row, session, file, arcfaceChip),
    batch: row.embedder.batch,
  }),
};

// The network of dlib: faces of 150×150, cut nearer than those of ArcFace and further down; it normalises by
// itself.

const dlib: EmbedderFamily = {
  open: (row, session, file) => ({ ...facePorts(row, session, file, dlibChip), batch: row.embedder.batch }),
};

const families: Readonly<Record<string, EmbedderFamily>> = { sface, arcface, dlib };

/** Throws MODEL_INVALID, listing the families there are. */
export function embedderFamilyOf({ key, family }: FaceEmbedderRow): EmbedderFamily {
  const found = Object.hasOwn(families, family) ? families[family] : undefined;
  if (found) return found;
  const names = Object.keys(families).join(', ');
  throw modelErrors.MODEL_INVALID(`The face embedder "${key}" is of family "${family}"; there is ${names}`, {
    key,
  });
}

// What graphs of face embedders have in common: square faces in, a vector of each out.

/**
 * The one input and the one output of a graph. Throws MODEL_LOAD_FAILED where they are others, or where the
 * graph takes a fixed number of faces that is not the row's.
 */
function facePorts(
  { key, embedder: { dimensions, batch } }: FaceEmbedderRow,
  { inputs, outputs }: ModelSession,
  file: string,
  chip: Chip,
): { chip: Chip; input: string; output: string } {
  const [input] = inputs;
  const [output] = outputs;
  const faces = [null, 3, chip.side, chip.side];
  if (inputs.length !== 1 || !input || !fits(input, faces)) {
    const expected = `one input float32 [n, 3, ${chip.side}, ${chip.side}]`;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: expected ${expected}, found ${described(inputs)}`, {
      file,
    });
  }
  if (outputs.length !== 1 || !output || !fits(output, [null, dimensions])) {
    const expected = `one output float32 [n, ${dimensions}]`;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: expected ${expected}, found ${described(outputs)}`, {
      file,
    });
  }
  const [most] = input.shape;
  if (typeof most === 'number' && most > 0 && most !== batch) {
    const message = `${file}: takes ${most} faces in one run, the row of "${key}" says ${batch}`;
    throw modelErrors.MODEL_LOAD_FAILED(message, { file });
  }
  return { chip, input: input.name, output: output.name };
}

/** Free sides of a graph fit everything. */
function fits({ type, shape }: Port, expected: readonly (number | null)[]): boolean {
  if (type !== 'float32' || shape.length !== expected.length) return false;
  return shape.every(
    (side, at) => expected[at] === null || typeof side !== 'number' || side < 0 || side === expected[at],
  );
}
