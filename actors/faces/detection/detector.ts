// Finds the faces of a picture: looks at it in its own size and, where a face may be larger than the graph
// knows, at a quarter of it.
import type { Picture } from '../../../runtime/picture.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import type { FaceDetectorRow } from '../../models/contract.ts';
import type { FaceDetectorSide } from '../../models/face-sides.ts';
import type { ModelSession, TensorIn, TensorOut } from '../../models/session.ts';
import { InputPlanes, type Pyramid, quartered } from '../picture.ts';
import { type Candidate, type DetectorGraph, type FaceDetector, scaled, selectFaces } from './family.ts';

/**
 * How much smaller the next look is: graphs see twice as large faces as they are made for, and faces of half
 * `most_face`.
 */
const step = 4;

/** Sizes of pictures whose outputs are kept: both looks at the frames of a film, and those of another one. */
const mostSizes = 4;

export class GridDetector implements FaceDetector {
  readonly #row: FaceDetectorRow;
  readonly #session: ModelSession;
  readonly #graph: DetectorGraph;
  readonly #filler: InputFiller;
  /**
   * Outputs by the size of the picture, to be written again: a megabyte a frame would keep the garbage
   * collector busy.
   */
  readonly #outputs = new Map<string, Record<string, TensorIn>>();

  /** The session stays the caller's. */
  constructor(row: FaceDetectorRow, session: ModelSession, graph: DetectorGraph) {
    this.#row = row;
    this.#session = session;
    this.#graph = graph;
    this.#filler = new InputFiller(row.detector);
  }

  async detect(pyramid: Pyramid, checkpoint: Checkpoint): Promise<Candidate[]> {
    const { overlap, most_face: most, fixed_side: side } = this.#row.detector;
    const whole = pyramid.level(0);
    const candidates: Candidate[] = [];
    if (side !== null) {
      await checkpoint();
      const { picture, scale } = shrunk(pyramid, side);
      for (const candidate of await this.#look(picture)) candidates.push(scaled(candidate, scale));
    } else {
      let picture = whole;
      for (let scale = 1; scale === 1 || isLarger(whole, (most * scale) / step); scale *= step) {
        await checkpoint();
        if (scale > 1) picture = quartered(picture);
        // A quarter is there for what is too large for the level below; the rest is seen better in that one.
        const least = scale === 1 ? 0 : most / step;
        for (const candidate of await this.#look(picture)) {
          if (Math.max(candidate.width, candidate.height) >= least) candidates.push(scaled(candidate, scale));
        }
      }
    }
    return selectFaces(candidates, whole, overlap);
  }

  async #look(picture: Picture): Promise<Candidate[]> {
    const { data, width, height } = this.#filler.fill(picture);
    const size = `${width}×${height}`;
    const feeds = { [this.#graph.input]: { data, dims: [1, 3, height, width] } };
    const outputs = await this.#session.run(feeds, undefined, this.#outputs.get(size));
    const candidates = this.#graph.read(outputs, { width, height });
    this.#keep(size, outputs);
    return candidates;
  }

  #keep(size: string, outputs: Readonly<Record<string, TensorOut>>): void {
    this.#outputs.delete(size);
    const floats = Object.entries(outputs).filter(([, { data }]) => data instanceof Float32Array);
    this.#outputs.set(size, Object.fromEntries(floats));
    const [oldest] = this.#outputs.keys();
    if (this.#outputs.size > mostSizes) this.#outputs.delete(oldest!);
  }
}

function isLarger({ width, height }: Picture, side: number): boolean {
  return Math.min(width, height) > side;
}

// The input of a detector graph: RGB bytes in rows become planes of floats in the order of the row, padded
// with black.

interface DetectorInput {
  /** 1×3×height×width, *borrowed until the next filling*. */
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Fills tensors of one graph, in one memory that grows to the largest picture. */
export class InputFiller {
  readonly #side: FaceDetectorSide;
  readonly #planes: InputPlanes;
  /**
   * A black pixel as the graph is given it: pictures are padded first, and normalised then, by the makers of
   * the models.
   */
  readonly #black: number;

  constructor(side: FaceDetectorSide) {
    this.#side = side;
    this.#black = (0 - side.mean) / side.scale;
    this.#planes = new InputPlanes(side);
  }

  /** The picture must not be larger than the one size of a graph that takes one. */
  fill({ data, width, height }: Picture): DetectorInput {
    const { multiple, fixed_side: fixed } = this.#side;
    const across = fixed ?? roundUp(width, multiple);
    const down = fixed ?? roundUp(height, multiple);
    const size = across * down;
    const target = this.#planes.take(data.subarray(0, width * height * 3), 3 * size);
    for (let y = 0; y < height; y++) {
      this.#planes.write(y * width, width, y * across, size);
      this.#pad(target, size, y * across + width, (y + 1) * across);
    }
    this.#pad(target, size, height * across, size);
    return { data: target, width: across, height: down };
  }

  /** Black in each of the three planes. */
  #pad(target: Float32Array, size: number, from: number, to: number): void {
    if (from === to) return;
    for (let plane = 0; plane < 3; plane++) target.fill(this.#black, plane * size + from, plane * size + to);
  }
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

// A picture brought to a size that a graph with one size takes: its longest side at most that size, every
// pixel the mean of those that fall into it. Smaller ones stay as they are.

/** `scale`: by what coordinates are multiplied to be those of the whole picture. */
function shrunk(pyramid: Pyramid, side: number): { picture: Picture; scale: number } {
  const whole = pyramid.level(0);
  const longest = Math.max(whole.width, whole.height);
  if (longest <= side) return { picture: whole, scale: 1 };
  const level = Math.floor(Math.log2(longest / side));
  const from = pyramid.level(level);
  const step = Math.max(from.width, from.height) / side;
  const width = Math.max(1, Math.min(side, Math.round(from.width / step)));
  const height = Math.max(1, Math.min(side, Math.round(from.height / step)));
  const data = averaged(from, width, height, step);
  return { picture: { data, width, height }, scale: step * 2 ** level };
}

/** Which pixels of a line fall into each of the result, and by how much; `step` is at least 1 and below 2. */
function shares(length: number, count: number, step: number): { first: Int32Array; weights: Float32Array } {
  const first = new Int32Array(count);
  const weights = new Float32Array(count * 3);
  for (let at = 0; at < count; at++) {
    const [start, end] = [at * step, Math.min(length, (at + 1) * step)];
    first[at] = Math.min(length - 1, Math.floor(start));
    let sum = 0;
    for (let k = 0; k < 3; k++) {
      const pixel = first[at]! + k;
      const part = pixel < length ? Math.max(0, Math.min(end, pixel + 1) - Math.max(start, pixel)) : 0;
      weights[at * 3 + k] = part;
      sum += part;
    }
    if (sum === 0) weights[at * 3] = sum = 1;
    for (let k = 0; k < 3; k++) weights[at * 3 + k]! /= sum;
  }
  return { first, weights };
}

function averaged({ data, width, height }: Picture, across: number, down: number, step: number): Uint8Array {
  const columns = shares(width, across, step);
  const lines = shares(height, down, step);
  const result = new Uint8Array(across * down * 3);
  let to = 0;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++, to += 3) {
      let [red, green, blue] = [0.5, 0.5, 0.5];
      for (let k = 0; k < 3; k++) {
        const below = lines.weights[y * 3 + k]!;
        if (below === 0) continue;
        for (let j = 0; j < 3; j++) {
          const weight = below * columns.weights[x * 3 + j]!;
          if (weight === 0) continue;
          const from = ((lines.first[y]! + k) * width + columns.first[x]! + j) * 3;
          red += weight * data[from]!;
          green += weight * data[from + 1]!;
          blue += weight * data[from + 2]!;
        }
      }
      result[to] = red;
      result[to + 1] = green;
      result[to + 2] = blue;
    }
  }
  return result;
}
