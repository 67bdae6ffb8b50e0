// The interface of a family of visual models: it opens a row of the registry, then turns pictures and texts
// into vectors of one space. Each family is one file; the row's `family` names it.
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import type { VisualRow } from '../models/contract.ts';
import type { RunsOn } from '../models/device.ts';
import type { SessionOpener } from '../models/session.ts';
import type { PictureReading, TextPart } from './contract.ts';

export interface TextVectors {
  /** n×d, L2-normalised; owned by the caller. */
  readonly vectors: Float32Array;
  /** For each text: the words that say what to look for; empty for models with an open vocabulary. */
  readonly knownWords: readonly (readonly string[])[];
  /** For each text: the words that the model does not know; empty for models with an open vocabulary. */
  readonly unknownWords: readonly (readonly string[])[];
  /**
   * For each text: known words by which little of what is meant is found; left out by models with an open
   * vocabulary.
   */
  readonly weakWords?: readonly (readonly string[])[];
  /** For each text: what it asks for, one by one; left out by models that take a text as a whole. */
  readonly parts?: readonly (readonly TextPart[])[];
  /** For each text: false when the model knows no word of it, so that its vector ranks nothing. */
  readonly understood: readonly boolean[];
}

export interface VisualFamily {
  readonly dimensions: number;
  /**
   * In which a search by a picture is made; `plain` is the first. Each costs a run of the graph and a scan.
   */
  readonly readings: readonly PictureReading[];
  /** Same as `mirror` of the contract. */
  readonly mirror: readonly number[] | null;
  /** Pictures in one run: those of the row, or more where a device takes them. */
  readonly batch: number;
  /** Where the graph runs: the one of the pictures where it is open. */
  readonly runsOn: RunsOn;
  /**
   * At most `batch` pictures, each width×height×3 RGB bytes in rows, *borrowed until the promise
   * settles*. Answers n×d, L2-normalised, owned by the caller.
   */
  pictures(pixels: readonly Uint8Array[]): Promise<Float32Array>;
  /** At most `row.visual.batch` texts, as the user wrote them. */
  texts(texts: readonly string[]): Promise<TextVectors>;
  /** Frees sessions and buffers. Called once, when nothing runs. */
  close(): Promise<void>;
}

/**
 * Sides that an actor opens: an ingest needs the picture side, a search the text side. Each takes half of the
 * model's memory.
 */
export type Sides = 'pictures' | 'texts' | 'both';

export interface EmbedderFamily {
  /**
   * `file`: absolute path of the file with that role; throws MODEL_INVALID when the row names none.
   * `checkpoint` is awaited between long steps; when it throws, what was opened is released. `sides`: what is
   * opened; the other one answers MODEL_RUN_FAILED.
   */
  open(
    row: VisualRow,
    file: (role: string) => string,
    session: SessionOpener,
    checkpoint?: Checkpoint,
    sides?: Sides,
  ): Promise<VisualFamily>;
}
