// Turns aligned faces into vectors of length 1, at most a batch in one run.
import { type FaceEmbedderRow, modelErrors } from '../../models/contract.ts';
import type { ModelSession } from '../../models/session.ts';
import type { Chip } from '../alignment/similarity.ts';
import { facesErrors } from '../contract.ts';
import { Planes } from '../planes.ts';
import type { EmbedderGraph } from './family.ts';

export class FaceEmbedder {
  readonly batch: number;
  readonly dimensions: number;
  /** The faces it takes. */
  readonly chip: Chip;
  readonly #row: FaceEmbedderRow;
  readonly #session: ModelSession;
  readonly #graph: EmbedderGraph;
  readonly #planes: Planes;
  /** The faces of a run, one behind the other. */
  readonly #faces: Uint8Array;
  /** Of a face. */
  readonly #pixels: number;

  /** The session stays the caller's. */
  constructor(row: FaceEmbedderRow, session: ModelSession, graph: EmbedderGraph) {
    this.#row = row;
    this.#session = session;
    this.#graph = graph;
    this.batch = graph.batch;
    this.dimensions = row.embedder.dimensions;
    this.#planes = new Planes(row.embedder);
    this.chip = graph.chip;
    this.#pixels = graph.chip.side ** 2;
    this.#faces = new Uint8Array(graph.batch * 3 * this.#pixels);
  }

  /**
   * `faces`: at most `batch`, each a chip, RGB in rows. Answers n×d, each of length 1, owned by the caller; `bad`: which
   * of them have no direction, because the graph answered zeros or no numbers. Throws MODEL_RUN_FAILED.
   */
  async embed(faces: readonly Uint8Array[]): Promise<{ vectors: Float32Array; bad: number[] }> {
    const { input, output } = this.#graph;
    // A graph that takes a fixed number is given that number, black ones at the end.
    const fixed = this.#session.inputs[0]!.shape[0];
    const count = typeof fixed === 'number' && fixed > 0 ? fixed : faces.length;
    const data = this.#fill(faces, count);
    const { side } = this.chip;
    const dims = [count, 3, side, side];
    const results = await this.#session.run({ [input]: { data, dims } }, [output]);
    const found = results[output];
    if (!(found?.data instanceof Float32Array) || found.data.length !== count * this.dimensions) {
      throw modelErrors.MODEL_RUN_FAILED(
        `"${this.#row.key}": ${output} is ${found?.dims.join('×') ?? 'missing'}, expected ${count}×${this.dimensions} floats`,
        { key: this.#row.key },
      );
    }
    const vectors = found.data.subarray(0, faces.length * this.dimensions);
    const bad = faces.flatMap((_, at) => (this.#finish(this.#vector(vectors, at)) ? [] : [at]));
    return { vectors, bad };
  }

  /** Runs once, which is slow and finds out whether the graph runs. Throws BAD_FACE_VECTOR and MODEL_RUN_FAILED. */
  async warmUp(): Promise<void> {
    const face = Uint8Array.from({ length: 3 * this.#pixels }, (_, at) => (at * 31 + (at >> 6)) & 255);
    const { bad } = await this.embed([face]);
    if (bad.length === 0) return;
    const message = `The model "${this.#row.key}" answers a vector without direction for a picture of noise`;
    throw facesErrors.BAD_FACE_VECTOR(message, { key: this.#row.key });
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

  /** False where it has no direction. */
  #finish(vector: Float32Array): boolean {
    const { centre } = this.#row.embedder;
    if (!normalize(vector)) return false;
    if (centre === undefined) return true;
    for (const [at, value] of centre.entries()) vector[at]! -= value;
    return normalize(vector);
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
