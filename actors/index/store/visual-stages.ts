// The visual stages that are stored in an analysis folder, and the way to their vectors.
import type { EngineError } from '../../../runtime/errors.ts';
import type { Scened } from '../visual/catalog.ts';
import { countFrames, positionOf, unpackFrames } from '../visual/frames.ts';
import { readRow16, stride8, stride16 } from '../visual/quantize.ts';
import { type BundleFile, Bundles } from './bundles.ts';
import { storeErrors } from './contract.ts';
import type { Environment } from './environment.ts';
import { damaged, readAgain, readable } from './faults.ts';
import { decodeModelKey, modelPrefix, modelRecordKey, previewKey, stageKey, stagePrefix } from './names.ts';
import { ModelUseRow, PictureVectorsRow, PreviewsRow } from './records.ts';
import { bytesIn, readRecord, unseal } from './table.ts';

// The record of a model. When it is damaged, the stages of the model say again what it held.

/** Null when there is none. */
export function readModel(environment: Environment | null, modelKey: string): ModelUseRow | null {
  if (environment === null) return null;
  const read = readable(() => ({ model: readRecord(environment, ModelUseRow, modelRecordKey(modelKey)) }));
  return read === null ? modelOfStages(environment, modelKey) : read.model;
}

/** Null when no stage can be read either. The vectors of the model have the length of those stored last. */
function modelOfStages(environment: Environment, modelKey: string): ModelUseRow | null {
  const stages = Array.from(environment.entries(stagePrefix(modelKey)), ({ key, value }) =>
    readable(() => unseal(PictureVectorsRow, key, value, environment.file)),
  ).filter((stage) => stage !== null);
  const inOrder = stages.toSorted((a, b) => a.stored_ms - b.stored_ms);
  const last = inOrder.at(-1);
  if (last === undefined) return null;
  const { dimensions } = last;
  const stagesOfSize = stages.filter((stage) => stage.dimensions === dimensions);
  const rows = stagesOfSize.reduce((sum, { frame_runs }) => sum + countFrames(frame_runs), 0);
  return { model_key: modelKey, dimensions, rows, made_ms: inOrder[0]!.stored_ms };
}

export class VisualStages {
  readonly #bundles: Bundles;
  readonly #reading: () => Environment | null;

  /** `reading`: the folder as it is now, or null when it holds no analysis yet. */
  constructor(folder: string, reading: () => Environment | null) {
    this.#bundles = new Bundles(folder);
    this.#reading = reading;
  }

  model(modelKey: string): ModelUseRow | null {
    return readModel(this.#reading(), modelKey);
  }

  stage(modelKey: string, hash: string): PictureVectorsRow | null {
    return readRecord(this.#reading(), PictureVectorsRow, stageKey(modelKey, hash));
  }

  /** Stored previews of a media; null if there are none. */
  pictures(hash: string): PreviewsRow | null {
    return readRecord(this.#reading(), PreviewsRow, previewKey(hash));
  }

  /** Every media that has a stage by this model, ascending; also where its record is damaged. */
  hashes(modelKey: string): string[] {
    const prefix = stagePrefix(modelKey);
    return (
      this.#reading()
        ?.keys(prefix)
        .map((key) => key.slice(prefix.length)) ?? []
    );
  }

  /**
   * For each hash: true when its stage, by any model for null, is there and its bundle holds all of its rows.
   */
  stored(modelKey: string | null, hashes: readonly string[]): boolean[] {
    if (modelKey !== null) return this.#storedBy(modelKey, hashes);
    const byModel = this.#models().map((key) => this.#storedBy(key, hashes));
    return hashes.map((_, i) => byModel.some((stored) => stored[i]));
  }

  isFromPreviews(modelKey: string, hash: string): boolean {
    return readable(() => this.stage(modelKey, hash))?.from_previews === 1;
  }

  /** For each hash the models by which it is stored so, in the order in which they came to the folder. */
  storedBy(hashes: readonly string[]): string[][] {
    const byModel = this.#models().map((key) => ({ key, stored: this.#storedBy(key, hashes) }));
    return hashes.map((_, i) => byModel.filter(({ stored }) => stored[i]).map(({ key }) => key));
  }

  /**
   * Keys, in the order in which the models came to the folder. Throws STORE_DAMAGED for one whose key is
   * lost.
   */
  #models(): string[] {
    const environment = this.#reading();
    if (environment === null) return [];
    const models = Array.from(environment.entries(modelPrefix), ({ key, value }) => {
      const encoded = decodeModelKey(key.slice(modelPrefix.length));
      if (encoded === null) return unseal(ModelUseRow, key, value, environment.file);
      return readModel(environment, encoded) ?? { model_key: encoded, made_ms: 0 };
    });
    const ordered = models.sort((a, b) => a.made_ms - b.made_ms || (a.model_key < b.model_key ? -1 : 1));
    return ordered.map(({ model_key }) => model_key);
  }

  #storedBy(modelKey: string, hashes: readonly string[]): boolean[] {
    const model = this.model(modelKey);
    return hashes.map((hash) => {
      const visual = readable(() => this.stage(modelKey, hash));
      if (visual === null || visual.dimensions !== model?.dimensions) return false;
      return visual.file === '' || this.#bundles.bytes(visual.file) >= visual.size_bytes;
    });
  }

  /** The rows of a stage; the caller closes them. Throws STORE_DAMAGED naming the file. */
  rows(visual: PictureVectorsRow): StageRows {
    const { rows8, rows16 } = visual;
    return this.#open({ ...rowsIn(visual), rows8, rows16 });
  }

  /**
   * The 16-bit rows of a stage of which the frames and the place are known; null where it is not there any
   * more. They are checked one by one, so nothing else is read.
   */
  rows16(modelKey: string, of: Omit<RowsOf, 'rows8' | 'rows16'>): StageRows | null {
    const none = new Uint8Array(0);
    if (of.file !== '') return this.#open({ ...of, rows8: none, rows16: none });
    const sealed = this.#reading()?.get(stageKey(modelKey, of.hash));
    if (sealed === undefined) return null;
    return new StageRows({ ...of, rows8: none, rows16: bytesIn(PictureVectorsRow, 'rows16', sealed) }, null);
  }

  #open(of: RowsOf): StageRows {
    return new StageRows(of, of.file === '' ? null : this.#bundles.openAt(of.file, of.start));
  }

  /** The stored vector of one frame, from its 16-bit row; null when it is not stored. */
  vector(modelKey: string, hash: string, frame: number): Float32Array<ArrayBuffer> | null {
    return readAgain(() => {
      const visual = this.stage(modelKey, hash);
      if (visual === null) return null;
      const position = positionOf(unpackFrames(visual.frame_runs), frame);
      if (position < 0) return null;
      const rows = this.rows(visual);
      try {
        return rows.read(position, 1);
      } finally {
        rows.close();
      }
    });
  }
}

export function scenedOf({
  scene_starts,
  has_edges,
  edge_seconds,
  edge_frames,
  edges_end,
}: PictureVectorsRow): Omit<Scened, 'frames'> {
  return {
    scenes: Int32Array.from(scene_starts),
    shots:
      has_edges === 0
        ? null
        : {
            seconds: Float64Array.from(edge_seconds),
            frames: Uint32Array.from(edge_frames),
            end: edges_end,
          },
  };
}

// The rows of a stored visual stage, read by the positions of its frames.

export interface RowsOf {
  readonly hash: string;
  readonly dimensions: number;
  /** Grid frames of the stage, ascending; a position is a place in it. */
  readonly frames: Int32Array;
  /** The place of its bundle; empty where the rows are in its record. */
  readonly file: string;
  /** Where they begin in it. */
  readonly start: number;
  readonly rows8: Uint8Array;
  readonly rows16: Uint8Array;
}

export function rowsIn(visual: PictureVectorsRow): Omit<RowsOf, 'rows8' | 'rows16'> {
  const { hash_str: hash, dimensions, file, size_bytes } = visual;
  const frames = unpackFrames(visual.frame_runs);
  const bytes = frames.length * (stride16(dimensions) + stride8(dimensions));
  return { hash, dimensions, frames, file, start: size_bytes - bytes };
}

/** For short reads: a search makes a hundred, and a buffer for each is work for the garbage collector. */
const readBuffer = new Uint8Array(64 << 10);

export class StageRows {
  readonly #of: RowsOf;
  readonly #opened: BundleFile | null;

  /** `opened`: null for rows in the record; else these rows' to close. */
  constructor(of: RowsOf, opened: BundleFile | null) {
    this.#of = of;
    this.#opened = opened;
  }

  get frames(): Int32Array {
    return this.#of.frames;
  }

  /** Where they lie, for messages. */
  get file(): string {
    return this.#opened?.file ?? `the record of ${this.#of.hash}`;
  }

  /** Fills `into` with 8-bit rows from `position` on. Throws STORE_DAMAGED when there are fewer. */
  read8(position: number, into: Uint8Array): void {
    const { dimensions, frames, rows8 } = this.#of;
    const at = position * stride8(dimensions);
    if (this.#opened !== null) this.#opened.read(frames.length * stride16(dimensions) + at, into);
    else if (rows8.byteLength < at + into.byteLength) throw this.#damaged('rows are missing');
    else into.set(rows8.subarray(at, at + into.byteLength));
  }

  /**
   * Unchecked bytes, *borrowed until the next read* of any stage. Throws STORE_DAMAGED naming content and
   * file when they are missing.
   */
  #read16(position: number, count: number): Uint8Array {
    const { hash, dimensions, rows16 } = this.#of;
    const [at, size] = [position * stride16(dimensions), count * stride16(dimensions)];
    const bytes = size <= readBuffer.byteLength ? readBuffer.subarray(0, size) : new Uint8Array(size);
    try {
      if (this.#opened !== null) this.#opened.read(at, bytes);
      else if (rows16.byteLength < at + bytes.byteLength) throw damaged(this.file, 'rows are missing');
      else bytes.set(rows16.subarray(at, at + bytes.byteLength));
    } catch (error) {
      throw storeErrors.STORE_DAMAGED.is(error) ? ofContent(hash, error) : error;
    }
    return bytes;
  }

  /** The L2-normalised vector of each position from `position` on; null for one that is broken. */
  vectors(position: number, count: number): (Float32Array<ArrayBuffer> | null)[] {
    const { dimensions } = this.#of;
    const stride = stride16(dimensions);
    const bytes = this.#read16(position, count);
    const all = new Float32Array(count * dimensions);
    return Array.from({ length: count }, (_, i) => {
      const row = bytes.subarray(i * stride, (i + 1) * stride);
      const vector = all.subarray(i * dimensions, (i + 1) * dimensions);
      return readRow16(row, dimensions, this.frames[position + i]!, vector);
    });
  }

  /** n×d, L2-normalised. Throws STORE_DAMAGED naming content and file. */
  read(position: number, count: number): Float32Array<ArrayBuffer> {
    const { dimensions } = this.#of;
    if (position + count > this.frames.length) throw this.#damaged('rows are missing');
    const all = new Float32Array(count * dimensions);
    for (const [i, vector] of this.vectors(position, count).entries()) {
      if (vector === null) throw this.#damaged(`the row of frame ${this.frames[position + i]} is broken`);
      all.set(vector, i * dimensions);
    }
    return all;
  }

  #damaged(what: string): EngineError {
    return damaged(this.file, `${this.#of.hash}: ${what}`);
  }

  close(): void {
    this.#opened?.close();
  }
}

export function ofContent(hash: string, error: EngineError): EngineError {
  return storeErrors.STORE_DAMAGED(`${hash}: ${error.message}`, error.details, error);
}
