// The interface of a family of face detectors: it checks the graph of a row, and reads what the graph answers.
import type { FaceDetectorRow } from '../../models/contract.ts';
import type { ModelSession, TensorOut } from '../../models/session.ts';
import type { Candidate } from './candidates.ts';

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

export interface DetectorFamily {
  /** `file` names the graph in messages. Throws MODEL_LOAD_FAILED, naming what was expected and what is there. */
  open(row: FaceDetectorRow, session: ModelSession, file: string): DetectorGraph;
}
