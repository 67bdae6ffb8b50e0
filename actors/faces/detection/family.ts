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

export interface FaceDetectorFamily {
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

// Candidates of a detector graph, before overlapping boxes become one face.

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

/**
 * Share of the smaller of two boxes above which both are one face. A face that fills the picture is also seen
 * as a smaller one in its middle, or as an eye with its brow; beside a face, half of it is seen again. People
 * cheek to cheek share up to .2. Measured in decision 14.
 */
const mostShared = 0.4;

/** Size of a face, px: eye to eye, or eyes to mouth where the face is turned to the side. */
export function spanOf(landmarks: Candidate['landmarks']): number {
  const [rightX, rightY, leftX, leftY, , , mouthRightX, mouthRightY, mouthLeftX, mouthLeftY] =
    landmarks as unknown as number[];
  const across = Math.hypot(leftX! - rightX!, leftY! - rightY!);
  const down = Math.hypot(
    (mouthRightX! + mouthLeftX! - rightX! - leftX!) / 2,
    (mouthRightY! + mouthLeftY! - rightY! - leftY!) / 2,
  );
  return Math.max(across, down);
}

/** `most`: intersection over union of two people, at most. */
function isSameFace(a: Candidate, b: Candidate, most: number): boolean {
  const smaller = Math.min(a.width * a.height, b.width * b.height);
  if (overlap(a, b) > most || intersection(a, b) > mostShared * smaller) return true;
  // Landmarks at the same place, whatever the boxes are.
  let distance = 0;
  for (let at = 0; at < a.landmarks.length; at += 2) {
    distance += Math.hypot(a.landmarks[at]! - b.landmarks[at]!, a.landmarks[at + 1]! - b.landmarks[at + 1]!);
  }
  return distance / (a.landmarks.length / 2) < Math.max(spanOf(a.landmarks), spanOf(b.landmarks));
}

/** Orders by score, then by position, so that one set of candidates has one order. */
function better(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.top - b.top || a.left - b.left || b.width - a.width;
}

/** The best of each group of boxes that overlap by more than `most`, best first. */
export function distinct(candidates: readonly Candidate[], most: number): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of [...candidates].sort(better)) {
    if (chosen.every((chosenCandidate) => overlap(candidate, chosenCandidate) <= most))
      chosen.push(candidate);
  }
  return chosen;
}

/**
 * The best of each group of candidates that are one face, best first, at most `limit`. `most`: intersection
 * over union of two people, at most.
 */
export function suppressed(candidates: readonly Candidate[], most: number, limit: number): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of [...candidates].sort(better)) {
    if (chosen.length === limit) break;
    if (chosen.every((face) => !isSameFace(candidate, face, most))) chosen.push(candidate);
  }
  return chosen;
}

/** All its numbers are finite, and at least a part of its box lies in the picture. */
export function isUsable(candidate: Candidate, picture: { width: number; height: number }): boolean {
  const { left, top, width, height, score, landmarks } = candidate;
  if (![score, left, top, width, height].every(Number.isFinite) || !landmarks.every(Number.isFinite))
    return false;
  return left < picture.width && top < picture.height && left + width > 0 && top + height > 0;
}

/**
 * The faces of a picture, from the top left to the bottom right: each once, and none that is too small or
 * beyond its edge.
 */
export function selectFaces(
  candidates: readonly Candidate[],
  picture: { width: number; height: number },
  most: number,
): Candidate[] {
  const usable = candidates.filter(
    (candidate) => isUsable(candidate, picture) && Math.min(candidate.width, candidate.height) >= leastFace,
  );
  return suppressed(usable, most, mostFaces).sort(
    (a, b) => a.top - b.top || a.left - b.left || b.score - a.score,
  );
}
