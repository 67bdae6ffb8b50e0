// The interfaces of families of face detectors: one that opens the graphs of a row, and a simpler one for
// graphs that answer on a grid.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import type { FaceDetectorRow } from '../../models/contract.ts';
import type { ModelSession, TensorOut } from '../../models/session.ts';
import type { Pyramid } from '../picture.ts';

export interface FaceDetector {
  /** From the top left to the bottom right, at most `mostFaces`. `checkpoint` is awaited before each look. */
  detect(pyramid: Pyramid, checkpoint: Checkpoint): Promise<Candidate[]>;
}

/** Opens the file of the row with that role; the session stays the caller's. `file` names it in messages. */
export type GraphOpener = (
  role: string,
) => Promise<{ readonly session: ModelSession; readonly file: string }>;

export interface DetectorFamily {
  /** Throws MODEL_LOAD_FAILED, naming what was expected and what is there. */
  open(row: FaceDetectorRow, graphOf: GraphOpener): Promise<FaceDetector>;
}

/** Sides of the picture that the graph was given, with its padding, px. */
interface GridSize {
  readonly width: number;
  readonly height: number;
}

export interface DetectorGraph {
  /** Name of the picture in the graph. */
  readonly input: string;
  /**
   * Candidates with at least the score of the row, in pixels of the picture that was given. Throws
   * MODEL_RUN_FAILED.
   */
  read(outputs: Readonly<Record<string, TensorOut>>, size: GridSize): Candidate[];
}

export interface GridFamily {
  /**
   * `file` names the graph in messages. Throws MODEL_LOAD_FAILED, naming what was expected and what is there.
   */
  open(row: FaceDetectorRow, session: ModelSession, file: string): DetectorGraph;
}

// What a detector graph answers, before it is decided which boxes are one face.

/** More faces of one picture than anybody tells apart; the best are kept. */
export const mostFaces = 1000;

/** Shorter side of the smallest face that is kept, px of the picture that was looked at. */
const leastFace = 20;

/** In pixels of the picture that was looked at. */
export interface Candidate {
  readonly score: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** x, y of the right eye of the person, left eye, nose, right and left corner of the mouth. */
  readonly landmarks: Float64Array;
}

/** The same in a picture that is `scale` times as large. */
export function scaled(candidate: Candidate, scale: number): Candidate {
  return {
    score: candidate.score,
    left: candidate.left * scale,
    top: candidate.top * scale,
    width: candidate.width * scale,
    height: candidate.height * scale,
    landmarks: candidate.landmarks.map((value) => value * scale),
  };
}

function intersection(a: Candidate, b: Candidate): number {
  const across = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const down = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return across > 0 && down > 0 ? across * down : 0;
}

/** Intersection over union; 0 for boxes without area. */
export function overlap(a: Candidate, b: Candidate): number {
  const both = intersection(a, b);
  return both === 0 ? 0 : both / (a.width * a.height + b.width * b.height - both);
}

/** How much of its own area lies in the other one from which a face is taken for a part of that one. */
const partOf = 0.8;

/** An eye with its brow, or a cheek: at full size graphs see faces in the face that fills a picture. */
function isPartOf(part: Candidate, face: Candidate): boolean {
  return intersection(part, face) >= partOf * part.width * part.height;
}

/** By score, and where that is the same by place, so that one set of candidates has one order. */
function better(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.top - b.top || a.left - b.left || b.width - a.width;
}

/** The best of each group of boxes that overlap by more than `most`, best first. */
export function distinct(candidates: readonly Candidate[], most: number): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of [...candidates].sort(better)) {
    if (kept.every((other) => overlap(candidate, other) <= most)) kept.push(candidate);
  }
  return kept;
}

/**
 * The best of each group of boxes that overlap by more than `most` or lie in a better one, best first, at
 * most `limit`.
 */
export function suppressed(candidates: readonly Candidate[], most: number, limit: number): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of [...candidates].sort(better)) {
    if (kept.length === limit) break;
    const another = kept.every((face) => overlap(candidate, face) <= most && !isPartOf(candidate, face));
    if (another) kept.push(candidate);
  }
  return kept;
}

/** All its numbers are finite, and at least a part of its box lies in the picture. */
export function isUsable(one: Candidate, picture: { width: number; height: number }): boolean {
  const { left, top, width, height, score, landmarks } = one;
  if (![score, left, top, width, height].every(Number.isFinite) || !landmarks.every(Number.isFinite))
    return false;
  return left < picture.width && top < picture.height && left + width > 0 && top + height > 0;
}

/**
 * The faces of a picture, from the top left to the bottom right: each once, and none that is too small or
 * beyond its edge.
 */
export function selectFaces(
  found: readonly Candidate[],
  picture: { width: number; height: number },
  most: number,
): Candidate[] {
  const usable = found.filter(
    (one) => isUsable(one, picture) && Math.min(one.width, one.height) >= leastFace,
  );
  return suppressed(usable, most, mostFaces).sort(
    (a, b) => a.top - b.top || a.left - b.left || b.score - a.score,
  );
}
