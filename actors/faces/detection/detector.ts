// Finds the faces of a picture: looks at it in its own size and, where a face may be larger than the graph knows, at a
// quarter of it.

import type { Picture } from '../../../runtime/picture.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import type { FaceDetectorRow } from '../../models/contract.ts';
import type { ModelSession, TensorIn, TensorOut } from '../../models/session.ts';
import { type Pyramid, quartered } from '../picture.ts';
import { type Candidate, scaled, selectFaces } from './candidates.ts';
import type { DetectorGraph, FaceDetector } from './family.ts';
import { InputFiller } from './input.ts';
import { shrunk } from './shrink.ts';

/** How much smaller the next look is: graphs see twice as large faces as they are made for, and faces of half `most_face`. */
const step = 4;

/** Sizes of pictures whose outputs are kept: both looks at the frames of a film, and those of another one. */
const mostSizes = 4;

export class GridDetector implements FaceDetector {
  readonly #row: FaceDetectorRow;
  readonly #session: ModelSession;
  readonly #graph: DetectorGraph;
  readonly #filler: InputFiller;
  /** Outputs by the size of the picture, to be written again: a megabyte a frame would keep the garbage collector busy. */
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
    const found: Candidate[] = [];
    if (side !== null) {
      await checkpoint();
      const { picture, scale } = shrunk(pyramid, side);
      for (const one of await this.#look(picture)) found.push(scaled(one, scale));
    } else {
      let picture = whole;
      for (let scale = 1; scale === 1 || isLarger(whole, (most * scale) / step); scale *= step) {
        await checkpoint();
        if (scale > 1) picture = quartered(picture);
        // A quarter is there for what is too large for the level below; the rest is seen better in that one.
        const least = scale === 1 ? 0 : most / step;
        for (const one of await this.#look(picture)) {
          if (Math.max(one.width, one.height) >= least) found.push(scaled(one, scale));
        }
      }
    }
    return selectFaces(found, whole, overlap);
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

/** Whether a face of more than that side has room in the picture. */
function isLarger({ width, height }: Picture, side: number): boolean {
  return Math.min(width, height) > side;
}
