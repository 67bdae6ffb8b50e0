// The interfaces of families of face detectors: one that opens the graphs of a row, and a simpler one for graphs that answer
// on a grid.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import type { FaceDetectorRow } from '../../models/contract.ts';
import type { ModelSession, TensorOut } from '../../models/session.ts';
import type { Pyramid } from '../picture.ts';
import type { Candidate } from './candidates.ts';

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
export interface GridSize {
  readonly width: number;
  readonly height: number;
}

export interface DetectorGraph {
  /** Name of the picture in the graph. */
  readonly input: string;
  /** Candidates with at least the score of the row, in pixels of the picture that was given. Throws MODEL_RUN_FAILED. */
  read(outputs: Readonly<Record<string, TensorOut>>, size: GridSize): Candidate[];
}

export interface GridFamily {
  /** `file` names the graph in messages. Throws MODEL_LOAD_FAILED, naming what was expected and what is there. */
  open(row: FaceDetectorRow, session: ModelSession, file: string): DetectorGraph;
}
