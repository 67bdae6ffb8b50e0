// The interface of a family of face embedders: it checks the graph of a row and says how the graph is fed.
import type { FaceEmbedderRow } from '../../models/contract.ts';
import type { ModelSession } from '../../models/session.ts';
import type { Chip } from '../alignment/similarity.ts';

export interface EmbedderGraph {
  /** The faces it takes. */
  readonly chip: Chip;
  /** Names in the graph: of the faces f32 [n, 3, side, side], and of the vectors f32 [n, dimensions]. */
  readonly input: string;
  readonly output: string;
  /** Faces in one run, at most. */
  readonly batch: number;
}

export interface EmbedderFamily {
  /**
   * `file` names the graph in messages. Throws MODEL_LOAD_FAILED, naming what was expected and what is there.
   */
  open(row: FaceEmbedderRow, session: ModelSession, file: string): EmbedderGraph;
}
