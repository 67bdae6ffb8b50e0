// Turns aligned faces into vectors of length 1, at most a batch in one run.
import { type FaceEmbedderRow, modelErrors } from '../../models/contract.ts';
import type { GraphPort, ModelSession } from '../../models/session.ts';
import { arcfaceChip, type Chip, dlibChip } from '../alignment/align.ts';
import { facesErrors } from '../contract.ts';
import { InputPlanes } from '../picture.ts';
import { described } from '../ports.ts';

export class FaceEmbedder {
  readonly batch: number;
  readonly dimensions: number;
  readonly chip: Chip;
  readonly #row: FaceEmbedderRow;
  readonly #session: ModelSession;
  readonly #graph: EmbedderGraph;
  readonly #planes: InputPlanes;
  /** The faces of a run, one behind the other. */
  readonly #faces: Uint8Array;
  readonly #pixels: number;

  /** The session stays the caller's. */
  constructor(row: FaceEmbedderRow, session: ModelSession, graph: EmbedderGraph) {
    this.#row = row;
    this.#session = session;
    this.#graph = graph;
    this.batch = graph.batch;
    this.dimensions = row.embedder.dimensions;
    this.#planes = new InputPlanes(row.embedder);
    this.chip = graph.chip;
    this.#pixels = graph.chip.side ** 2;
    this.#faces = new Uint8Array(graph.batch * 3 * this.#pixels);
  }

  /**
   * `faces`: at most `batch`, each a chip, RGB in rows. Answers n×d, each of length 1, owned by the caller;
   * `bad`: which of them have no direction, because the graph answered zeros or no numbers. Throws
   * MODEL_RUN_FAILED.
   */
  async embed(faces: readonly Uint8Array[]): Promise<{ vectors: Float32Array; bad: number[] }> {
    const { centre, mirrored } = this.#row.embedder;
    const vectors = await this.#run(faces);
    const rows = faces.map((_, at) => this.#vector(vectors, at));
    let good = rows.map(normalize);
    if (mirrored) {
      const others = await this.#run(faces.map((face) => inMirror(face, this.chip.side)));
      good = rows.map((row, at) => {
        const mirrored = this.#vector(others, at);
        return good[at]! && normalize(mirrored) && normalize(added(row, mirrored, 1));
      });
    }
    if (centre) good = rows.map((row, at) => good[at]! && normalize(added(row, centre, -1)));
    return { vectors, bad: good.flatMap((isGood, at) => (isGood ? [] : [at])) };
  }

  /**
   * Runs once, which is slow and finds out whether the graph runs. Throws BAD_FACE_VECTOR and
   * MODEL_RUN_FAILED.
   */
  async warmUp(): Promise<void> {
    const face = Uint8Array.from({ length: 3 * this.#pixels }, (_, at) => (at * 31 + (at >> 6)) & 255);
    const { bad } = await this.embed([face]);
    if (bad.length === 0) return;
    const message = `The model "${this.#row.key}" answers a vector without direction for a picture of noise`;
    throw facesErrors.BAD_FACE_VECTOR(message, { key: this.#row.key });
  }

  /** Output of one run, any batch size. The caller owns the buffer. */
  async #run(faces: readonly Uint8Array[]): Promise<Float32Array> {
    const { input, output } = this.#graph;
    // A graph that takes a fixed number is given that number, black ones at the end.
    const fixed = this.#session.inputs[0]!.shape[0];
    const count = typeof fixed === 'number' && fixed > 0 ? fixed : faces.length;
    const data = this.#fill(faces, count);
    const { side } = this.chip;
    const dims = [count, 3, side, side];
    const results = await this.#session.run({ [input]: { data, dims } }, [output]);
    const tensor = results[output];
    if (!(tensor?.data instanceof Float32Array) || tensor.data.length !== count * this.dimensions) {
      throw modelErrors.MODEL_RUN_FAILED(
        `"${this.#row.key}": ${output} is ${tensor?.dims.join('×') ?? 'missing'}, expected ${count}×${this.dimensions} floats (/embedder/dimensions)`,
        { key: this.#row.key },
      );
    }
    return tensor.data.subarray(0, faces.length * this.dimensions);
  }

  /** `count`: at least as many as there are faces; the floats of the rest are 0. */
  #fill(faces: readonly Uint8Array[], count: number): Float32Array {
    const pixels = this.#pixels;
    for (const [at, face] of faces.entries()) this.#faces.set(face, at * 3 * pixels);
    const data = this.#planes.take(this.#faces.subarray(0, faces.length * 3 * pixels), count * 3 * pixels);
    for (let at = 0; at < faces.length; at++)
      this.#planes.write(at * pixels, pixels, at * 3 * pixels, pixels);
    data.fill(0, faces.length * 3 * pixels);
    return data;
  }

  #vector(vectors: Float32Array, at: number): Float32Array {
    return vectors.subarray(at * this.dimensions, (at + 1) * this.dimensions);
  }
}

/** False, and left alone, where it has no direction. */
function normalize(vector: Float32Array): boolean {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (!(length > 0) || !Number.isFinite(length)) return false;
  for (let at = 0; at < vector.length; at++) vector[at]! /= length;
  return true;
}

/** `vector` with so many times the other one; in place. */
function added(vector: Float32Array, summand: ArrayLike<number>, times: number): Float32Array {
  for (let at = 0; at < vector.length; at++) vector[at]! += times * summand[at]!;
  return vector;
}

/** Right and left changed. `face`: RGB in rows of that many pixels. */
function inMirror(face: Uint8Array, side: number): Uint8Array {
  const mirrored = new Uint8Array(face.length);
  for (let pixel = 0; pixel < side * side; pixel++) {
    const x = pixel % side;
    const from = 3 * (pixel - x + side - 1 - x);
    mirrored.set(face.subarray(from, from + 3), 3 * pixel);
  }
  return mirrored;
}

// The interface of a family of face embedders: it checks the graph of a row and says how the graph is fed.

interface EmbedderGraph {
  readonly chip: Chip;
  /** Names in the graph: of the faces f32 [n, 3, side, side], and of the vectors f32 [n, dimensions]. */
  readonly input: string;
  readonly output: string;
  readonly batch: number;
}

interface EmbedderFamily {
  /**
   * `file` names the graph in messages. Throws MODEL_LOAD_FAILED, naming what was expected and what is there.
   */
  open(row: FaceEmbedderRow, session: ModelSession, file: string): EmbedderGraph;
}

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

/** Families by the name that rows give them. */
const families: Readonly<Record<string, EmbedderFamily>> = { sface, arcface, dlib };

/** Throws MODEL_INVALID, listing the families there are. */
export function embedderFamilyOf({ key, family }: FaceEmbedderRow): EmbedderFamily {
  const match = Object.hasOwn(families, family) ? families[family] : undefined;
  if (match) return match;
  const names = Object.keys(families).join(', ');
  throw modelErrors.MODEL_INVALID(`The face embedder "${key}" is of family "${family}"; there is ${names}`, {
    key,
  });
}

// Common code of graphs of face embedders: square faces in, one vector each out.

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
function fits({ type, shape }: GraphPort, expected: readonly (number | null)[]): boolean {
  if (type !== 'float32' || shape.length !== expected.length) return false;
  return shape.every(
    (side, at) => expected[at] === null || typeof side !== 'number' || side < 0 || side === expected[at],
  );
}
