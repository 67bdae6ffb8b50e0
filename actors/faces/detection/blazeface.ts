// BlazeFace of MediaPipe and its face mesh: one graph says where faces may be, in squares of 256 px, the
// other looks at each of them again, says whether it is one, and where 468 points of it lie. Five of these
// are the landmarks.

import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { type FaceDetectorRow, modelErrors } from '../../models/contract.ts';
import type { ModelSession } from '../../models/session.ts';
import { applied, type SimilarityTransform, sampled } from '../alignment/align.ts';
import type { Pyramid } from '../picture.ts';
import { declared, described, values } from '../ports.ts';
import {
  type Candidate,
  distinct,
  type FaceDetector,
  type FaceDetectorFamily,
  type GraphOpener,
  mostFaces,
  selectFaces,
} from './family.ts';

/** Sides of what the two graphs are given, px. */
const [lookSide, meshSide] = [256, 192];
/** Cells of a side of both grids, and places that each of their cells tells of. */
const grids = [
  { cells: 16, places: 2, scores: 'Identity', boxes: 'Identity_2' },
  { cells: 8, places: 6, scores: 'Identity_1', boxes: 'Identity_3' },
] as const;
/** Values of a place: its box, then both eyes, the nose, the mouth and the ears. */
const boxValues = 16;
const mesh = { points: 'Identity_2', likely: 'Identity_1', values: 3 * 468 } as const;
/**
 * Points of the mesh whose mean is each landmark: lids of the right eye and the left one, the nose, corners
 * of the mouth.
 */
const landmarks = [[159, 145], [386, 374], [1, 4], [61], [291]] as const;
/** How much larger than its box is what the mesh is given of a face. */
const meshMargin = 1.5;
/** The mesh says from it on that something is a face: 0 to .03 of what is none, .8 and more of most faces. */
const leastLikely = 0.5;
/**
 * Larger pictures are looked at as a whole and in tiles of half their longer side, of which each begins so
 * far behind the last.
 */
const [wholeUpTo, tileStep] = [512, 0.75];

/** A square of a picture, px; it may reach beyond. */
interface Square {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

export const blazeface: FaceDetectorFamily = {
  async open(row, graphOf) {
    const look = await opened(graphOf, 'graph', lookSide);
    const points = await opened(graphOf, 'mesh', meshSide);
    declared(
      look.session.outputs,
      grids.flatMap(({ scores, boxes }) => [scores, boxes]),
      look.file,
    );
    declared(points.session.outputs, [mesh.points, mesh.likely], points.file);
    return new BlazeFace(row, look, points);
  },
};

interface Graph {
  readonly session: ModelSession;
  readonly file: string;
  readonly input: string;
}

/** Throws MODEL_LOAD_FAILED where it takes anything but one picture of that side. */
async function opened(graphOf: GraphOpener, role: string, side: number): Promise<Graph> {
  const { session, file } = await graphOf(role);
  const [input, ...more] = session.inputs;
  const expected = [1, side, side, 3];
  const fits = input?.type === 'float32' && more.length === 0 && input.shape.join() === expected.join();
  if (fits) return { session, file, input: input.name };
  const actual = described(session.inputs);
  throw modelErrors.MODEL_LOAD_FAILED(
    `${file}: expected one input float32 [${expected.join(', ')}], found ${actual}`,
    { file },
  );
}

class BlazeFace implements FaceDetector {
  readonly #row: FaceDetectorRow;
  readonly #look: Graph;
  readonly #mesh: Graph;
  readonly #places = Float64Array.from(placesOf());

  constructor(row: FaceDetectorRow, look: Graph, points: Graph) {
    this.#row = row;
    this.#look = look;
    this.#mesh = points;
  }

  async detect(pyramid: Pyramid, checkpoint: Checkpoint): Promise<Candidate[]> {
    const { overlap } = this.#row.detector;
    const whole = pyramid.level(0);
    const side = Math.max(whole.width, whole.height);
    const maybe: Candidate[] = [];
    for (const square of squaresOf(whole)) {
      await checkpoint();
      // A face that fills a tile is seen better in the whole picture.
      const most = square.side < side ? square.side / 2 : Number.POSITIVE_INFINITY;
      for (const candidate of await this.#seen(pyramid, square))
        if (candidate.width <= most) maybe.push(candidate);
    }
    const faces: Candidate[] = [];
    for (const candidate of distinct(maybe, overlap).slice(0, mostFaces)) {
      await checkpoint();
      const face = await this.#verified(pyramid, candidate);
      if (face) faces.push(face);
    }
    return selectFaces(faces, whole, overlap);
  }

  async #seen(pyramid: Pyramid, { left, top, side }: Square): Promise<Candidate[]> {
    const { score: least, mean, scale } = this.#row.detector;
    const step = side / lookSide;
    const back = { a: step, b: 0, x0: left + (step - 1) / 2, y0: top + (step - 1) / 2 };
    const data = floatsOf(sampled(pyramid, back, lookSide), mean, scale);
    const { session, input, file } = this.#look;
    const outputs = await session.run({ [input]: { data, dims: [1, lookSide, lookSide, 3] } });
    const candidates: Candidate[] = [];
    let place = 0;
    for (const { cells, places, scores, boxes } of grids) {
      const count = cells * cells * places;
      const likely = values(outputs, scores, count, file);
      const all = values(outputs, boxes, count * boxValues, file);
      for (let i = 0; i < count; i++, place++) {
        const score = 1 / (1 + Math.exp(-likely[i]!));
        // Not the other way round: a score that is no number is none.
        if (!(score >= least)) continue;
        const [x, y] = [this.#places[2 * place]!, this.#places[2 * place + 1]!];
        const box = all.subarray(i * boxValues, (i + 1) * boxValues);
        const [width, height] = [box[2]! * step, box[3]! * step];
        candidates.push({
          score,
          left: left + (x + box[0]!) * step - width / 2,
          top: top + (y + box[1]!) * step - height / 2,
          width,
          height,
          // Both eyes: the mesh is given the face upright.
          landmarks: Float64Array.of(
            left + (x + box[4]!) * step,
            top + (y + box[5]!) * step,
            left + (x + box[6]!) * step,
            top + (y + box[7]!) * step,
          ),
        });
      }
    }
    return candidates;
  }

  /** With its landmarks; null where the mesh sees no face. */
  async #verified(pyramid: Pyramid, candidate: Candidate): Promise<Candidate | null> {
    const back = uprightOf(candidate);
    const data = floatsOf(sampled(pyramid, back, meshSide), 0, 255);
    const { session, input, file } = this.#mesh;
    const outputs = await session.run({ [input]: { data, dims: [1, meshSide, meshSide, 3] } });
    const [likely] = values(outputs, mesh.likely, 1, file);
    if (!(likely! >= leastLikely)) return null;
    const points = values(outputs, mesh.points, mesh.values, file);
    const mean = (of: readonly number[], axis: number) =>
      of.reduce((sum, point) => sum + points[3 * point + axis]!, 0) / of.length;
    // A point of the mesh counts from the corner of the first pixel, a pixel from its middle.
    const places = landmarks.flatMap((of) => applied(back, mean(of, 0) - 0.5, mean(of, 1) - 0.5));
    return { ...candidate, landmarks: Float64Array.from(places) };
  }
}

function floatsOf(bytes: Uint8Array, mean: number, scale: number): Float32Array {
  const floats = new Float32Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) floats[at] = (bytes[at]! - mean) / scale;
  return floats;
}

/** Where the places of both grids are, x and y, px of the square. */
function placesOf(): number[] {
  return grids.flatMap(({ cells, places }) =>
    Array.from({ length: cells * cells * places }, (_, i) => {
      const cell = Math.floor(i / places);
      return [cell % cells, Math.floor(cell / cells)].map((at) => ((at + 0.5) * lookSide) / cells);
    }).flat(),
  );
}

/** The whole, and tiles of a larger picture that lie over each other by a quarter at least. */
function squaresOf({ width, height }: { width: number; height: number }): Square[] {
  const longest = Math.max(width, height);
  const whole = { left: 0, top: 0, side: longest };
  if (longest <= wholeUpTo) return [whole];
  const side = longest / 2;
  const begins = (length: number) => {
    const count = Math.max(1, Math.ceil((length - side) / (tileStep * side)) + 1);
    return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : ((length - side) * i) / (count - 1)));
  };
  return [whole, ...begins(height).flatMap((top) => begins(width).map((left) => ({ left, top, side })))];
}

/** From a pixel of what the mesh is given to one of the picture: the eyes are level in it. */
function uprightOf({
  left,
  top,
  width,
  height,
  landmarks: [x0 = 0, y0 = 0, x1 = 0, y1 = 0],
}: Candidate): SimilarityTransform {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const step = (meshMargin * Math.max(width, height)) / meshSide;
  const [a, b] = [step * Math.cos(angle), step * Math.sin(angle)];
  const middle = (meshSide - 1) / 2;
  return {
    a,
    b,
    x0: left + width / 2 - 0.5 - (a - b) * middle,
    y0: top + height / 2 - 0.5 - (a + b) * middle,
  };
}
