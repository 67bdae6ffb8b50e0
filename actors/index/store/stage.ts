// The visual stage of one file while it is being written. The 16-bit rows go to its bundle some at a time, so
// a ten-hour film takes no more memory than a short one; what stays until the end is some 30 bytes a frame.
// The 8-bit rows, which are loaded together, follow behind the last of them at the end.
import { crc32 } from 'node:zlib';
import { engineErrors } from '../../../runtime/errors.ts';
import { rmSync } from '../../../runtime/files/names.ts';
import type { ShotEdges } from '../visual/contract.ts';
import { packFrames } from '../visual/frames.ts';
import { factsOfRow16, stride8, stride16, vectorOfRow16, writeRow8, writeRow16 } from '../visual/quantize.ts';
import { cosine, lags, sceneStarts } from '../visual/scenes.ts';
import { edgeFault, startsOnGrid } from '../visual/shots.ts';
import type { BundleFile, Bundles } from './bundles.ts';
import { type SpanKey, storeErrors } from './contract.ts';
import { replaced } from './faults.ts';
import { previewPlace, vectorPlace } from './names.ts';
import { PreviewWriter } from './previews.ts';
import type { PictureVectorsRow, PreviewsRow } from './records.ts';
import { aboutSpan, type Spans } from './spans.ts';

/** Frames of a film, ascending. */
export interface AddedFrames {
  readonly frames: readonly number[];
  /** n×d. */
  readonly vectors: Float32Array;
  /** One for each frame, or none. */
  readonly previews: readonly Uint8Array[];
  /** How much each looks like another shot than the one before it, 0 to 1; without it all may. */
  readonly changed?: Float32Array;
}

/** Storage for an interrupted stage; null for none. */
export interface Keeping {
  readonly spans: Spans;
  readonly key: SpanKey;
}

export interface VectorStageParts {
  readonly bundles: Bundles;
  /** A part of names that no other stage has. */
  readonly token: string;
  /** Throws when this writer may not write any more: called right before rows are written. */
  readonly confirm: () => void;
  readonly keeping: Keeping | null;
}

export type StageResult = Pick<
  PictureVectorsRow,
  | 'frame_runs'
  | 'scene_starts'
  | 'file'
  | 'size_bytes'
  | 'crc'
  | 'rows8'
  | 'rows16'
  | 'has_edges'
  | 'edge_seconds'
  | 'edge_frames'
  | 'edges_end'
> & {
  readonly frames: number;
};

const [vectorEnd, previewEnd] = ['.vectors', '.previews'];
/** Rows of one read or write: 530 KB at 512 dimensions. */
const rowsTogether = 512;

export class VectorStage {
  readonly hash: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly #parts: VectorStageParts;
  /** Prefix of the names of its bundles. */
  readonly #name: string;
  readonly #previews: PreviewWriter;
  #file: BundleFile | null = null;
  /** Rows that are not in the file. */
  #rows16 = new Uint8Array(0);
  /** Rows in the file, and how many of them are *flushed*. */
  #written = 0;
  #flushed = 0;
  #hasNamesFlushed = false;
  readonly #frames: number[] = [];
  readonly #taken: number = 0;
  /** Distance of each frame to the one `lag` later, at index lag - 1. */
  readonly #distances: number[][] = Array.from({ length: lags }, () => []);
  /** Change of each frame but the first. */
  readonly #changed: number[] = [];
  /** The vectors before, latest first. */
  #recent: Float32Array[] = [];

  /** Takes up what was kept of it. */
  constructor(hash: string, modelKey: string, dimensions: number, parts: VectorStageParts) {
    this.hash = hash;
    this.modelKey = modelKey;
    this.dimensions = dimensions;
    this.#parts = parts;
    const { keeping, token } = parts;
    const existingName = keeping?.spans.find(keeping.key, vectorEnd) ?? null;
    this.#name = existingName ?? `${keeping ? keeping.spans.prefix(keeping.key) : `${hash}.`}${token}`;
    this.#previews = new PreviewWriter(() => this.#create(previewEnd));
    if (existingName === null) return;
    try {
      this.#takeUp(existingName);
    } catch (error) {
      this.#close();
      throw error;
    }
    this.#taken = this.#frames.length;
  }

  #create(end: string): BundleFile {
    const { bundles, keeping } = this.#parts;
    const { hash, modelKey, dimensions } = this;
    const about = { hash_str: hash, model_key: modelKey, dimensions, span: null };
    return bundles.create(`${this.#name}${end}`, keeping ? aboutSpan(keeping.key, dimensions) : about);
  }

  /** Rows are written after their previews were flushed: those that are whole have theirs. */
  #takeUp(name: string): void {
    const { bundles } = this.#parts;
    const previews = bundles.takeUp(`${name}${previewEnd}`);
    if (previews !== null) this.#previews.takeUp(previews);
    const file = bundles.takeUp(`${name}${vectorEnd}`);
    if (file === null) {
      this.#previews.cutAfter(-1);
      return;
    }
    this.#file = file;
    const stride = stride16(this.dimensions);
    for (let isWhole = true; isWhole; ) {
      const there = Math.min(rowsTogether, Math.floor(file.end / stride) - this.#written);
      const bytes = new Uint8Array(there * stride);
      file.read(this.#written * stride, bytes);
      let rows = 0;
      while (rows < there && this.#takeUpRow(bytes.subarray(rows * stride, (rows + 1) * stride))) rows++;
      this.#written += rows;
      isWhole = rows > 0 && rows === there;
    }
    this.#flushed = this.#written;
    file.cut(this.#written * stride);
    this.#previews.cutAfter(this.#frames.at(-1) ?? -1);
  }

  /** False where it is broken, or no row of this film. */
  #takeUpRow(bytes: Uint8Array): boolean {
    const facts = factsOfRow16(bytes);
    const before = this.#frames.at(-1) ?? -1;
    if (facts === null || facts.frame <= before || facts.frame > this.#previews.last) return false;
    this.#add(bytes, facts.frame, facts.changed);
    return true;
  }

  /** Frames that were taken up, `changed` of each, and the first one that is not among them. */
  get storedFrames() {
    const frames = Int32Array.from(this.#frames.slice(0, this.#taken));
    const changed = Float32Array.from([1, ...this.#changed].slice(0, this.#taken));
    return { frames, changed, next: (this.#frames.at(-1) ?? -1) + 1 };
  }

  /** *Accepted*, not stored. Throws INVALID_MESSAGE or WRONG_DIMENSIONS before anything was taken. */
  append(added: AddedFrames): void {
    this.#check(added);
    const { frames, vectors, previews, changed } = added;
    for (const [i, frame] of frames.entries()) {
      const vector = vectors.subarray(i * this.dimensions, (i + 1) * this.dimensions);
      const row = this.#nextRow();
      writeRow16(vector, frame, row, 0, changed?.[i]);
      this.#add(row, frame, changed?.[i] ?? 1);
      const preview = previews[i];
      if (preview !== undefined) this.#previews.add(frame, preview);
      if (this.#frames.length - this.#written === rowsTogether) this.#writeRows();
    }
  }

  /** The bytes of the next row among those that are not written. */
  #nextRow(): Uint8Array {
    const stride = stride16(this.dimensions);
    const at = (this.#frames.length - this.#written) * stride;
    if (at === this.#rows16.length) {
      const grown = new Uint8Array(Math.max(16 * stride, 2 * at));
      grown.set(this.#rows16);
      this.#rows16 = grown;
    }
    return this.#rows16.subarray(at, at + stride);
  }

  /** Everything else is made of the 16-bit row, so it is the same for a row that was taken up. */
  #add(row: Uint8Array, frame: number, changed: number): void {
    const vector = vectorOfRow16(row, this.dimensions);
    for (const [lag, before] of this.#recent.entries()) {
      this.#distances[lag]!.push(1 - cosine(before, vector));
    }
    if (this.#frames.length > 0) this.#changed.push(changed);
    this.#recent = [vector, ...this.#recent.slice(0, lags - 1)];
    this.#frames.push(frame);
  }

  #check({ frames, vectors, previews, changed }: AddedFrames): void {
    if (vectors.length !== frames.length * this.dimensions) {
      throw storeErrors.WRONG_DIMENSIONS(
        `vectors: ${vectors.length} numbers are not ${frames.length} vectors of ${this.dimensions}`,
      );
    }
    if (previews.length !== 0 && previews.length !== frames.length) {
      throw engineErrors.INVALID_MESSAGE(`previews: ${previews.length} for ${frames.length} frames`);
    }
    if (changed && changed.length !== frames.length) {
      throw engineErrors.INVALID_MESSAGE(`changed: ${changed.length} for ${frames.length} frames`);
    }
    let before = this.#frames.at(-1) ?? -1;
    for (const frame of frames) {
      if (frame <= before) throw engineErrors.INVALID_MESSAGE(`frames: ${frame} comes after ${before}`);
      before = frame;
    }
    const broken = vectors.findIndex((value) => !Number.isFinite(value));
    if (broken >= 0) {
      const frame = frames[Math.floor(broken / this.dimensions)];
      throw engineErrors.INVALID_MESSAGE(`vectors: frame ${frame} is not finite`);
    }
  }

  #writeRows(): void {
    const rows = this.#frames.length - this.#written;
    if (rows === 0) return;
    this.#parts.confirm();
    if (this.#parts.keeping !== null) this.#previews.flush();
    this.#file ??= this.#create(vectorEnd);
    const stride = stride16(this.dimensions);
    this.#file.write(this.#written * stride, this.#rows16.subarray(0, rows * stride));
    this.#written += rows;
  }

  /** Keeps what was appended for when the stage is taken up. *Flushed* on return. */
  keep(): void {
    if (this.#parts.keeping !== null) this.#flush();
  }

  #flush(): void {
    this.#writeRows();
    if (this.#file !== null && this.#flushed < this.#written) this.#file.flush();
    this.#flushed = this.#written;
    this.#flushNames();
  }

  #flushNames(): void {
    if (this.#hasNamesFlushed || (this.#file ?? this.#previews.file) === null) return;
    this.#requireCurrent();
    this.#parts.bundles.flushNames();
    this.#hasNamesFlushed = true;
  }

  /**
   * All of it is *flushed*, but no record names it. `revision`: of the previews; `length`: of the film in
   * seconds; `edges`: exact ones. Throws STORE_REPLACED, and INVALID_MESSAGE for edges that do not ascend.
   */
  finish(
    revision: number,
    length: number,
    edges: ShotEdges | undefined,
  ): { readonly visual: StageResult; readonly previews: PreviewsRow } {
    const exact = edges ? betweenEdges(edges, this.#frames, length) : null;
    // A single picture lies in the records.
    const isShort = this.#file === null && this.#frames.length < 2;
    const rows = isShort ? this.#inRecord() : this.#inFile();
    const previews = this.#previews.finish(this.hash, revision, previewPlace(this.#name));
    this.#flushNames();
    this.#requireCurrent();
    const visual = {
      ...rows,
      frames: this.#frames.length,
      frame_runs: packFrames(this.#frames),
      ...(exact ?? { ...withoutEdges, scene_starts: this.#startsByVectors(length) }),
    };
    return { visual, previews };
  }

  #startsByVectors(length: number): number[] {
    const distances = this.#distances.map((list) => Float32Array.from(list));
    const starts = sceneStarts(distances, this.#changed, this.#frames.length);
    // The remainder of the last second may be a few pictures, which are no scene.
    const remainder = length - this.#frames[starts.at(-1) ?? 0]!;
    return starts.length > 1 && remainder > 0 && remainder < 1 ? starts.slice(0, -1) : starts;
  }

  #inRecord() {
    const rows16 = this.#rows16.slice(0, this.#frames.length * stride16(this.dimensions));
    const rows8 = rows8Of(rows16, this.dimensions);
    return { file: '', size_bytes: 0, crc: crc32(rows8), rows8, rows16 };
  }

  /** Writes the 8-bit rows behind the others. *Flushed* on return. */
  #inFile() {
    this.#writeRows();
    const file = this.#file as BundleFile;
    const [eight, sixteen] = [stride8(this.dimensions), stride16(this.dimensions)];
    let crc = 0;
    for (let row = 0; row < this.#written; row += rowsTogether) {
      const rows16 = new Uint8Array(Math.min(rowsTogether, this.#written - row) * sixteen);
      file.read(row * sixteen, rows16);
      const rows8 = rows8Of(rows16, this.dimensions);
      file.write(this.#written * sixteen + row * eight, rows8);
      crc = crc32(rows8, crc);
    }
    file.flush();
    const none = new Uint8Array(0);
    const place = vectorPlace(this.modelKey, this.#name);
    return { file: place, size_bytes: file.size, crc, rows8: none, rows16: none };
  }

  #requireCurrent(): void {
    for (const file of [this.#file, this.#previews.file])
      if (file?.isCurrent === false) throw replaced(file.file);
  }

  /** Records name its bundles. */
  settle(): void {
    this.#close();
    if (this.#file !== null) this.#parts.bundles.settle(vectorPlace(this.modelKey, this.#name));
    if (this.#previews.file !== null) this.#parts.bundles.settle(previewPlace(this.#name));
  }

  #close(): void {
    this.#file?.close();
    this.#previews.close();
  }

  /** Keeps the saved part, and the bundles too if a record `mayName` them. */
  abort(mayName = false): void {
    const isKept = this.#parts.keeping !== null && this.#written > 0;
    for (const file of [this.#file, this.#previews.file]) {
      if (!isKept && !mayName && file?.isCurrent) rmSync(file.file, { force: true });
    }
    this.#close();
  }
}

type OfEdges = Pick<
  PictureVectorsRow,
  'scene_starts' | 'has_edges' | 'edge_seconds' | 'edge_frames' | 'edges_end'
>;

const withoutEdges = { has_edges: 0, edge_seconds: [], edge_frames: [], edges_end: 0 };

/**
 * Exact edges in the form of a record. `frames`: its grid frames; `length`: of the film in seconds. Throws
 * INVALID_MESSAGE for edges that do not ascend.
 */
export function betweenEdges(edges: ShotEdges, frames: readonly number[], length: number): OfEdges {
  const fault = edgeFault(edges);
  if (fault !== null) throw engineErrors.INVALID_MESSAGE(`edges: ${fault}`);
  return {
    scene_starts: startsOnGrid(edges.seconds, frames),
    has_edges: 1,
    edge_seconds: edges.seconds,
    edge_frames: edges.frames,
    edges_end: length,
  };
}

function rows8Of(rows16: Uint8Array, dimensions: number): Uint8Array {
  const [eight, sixteen] = [stride8(dimensions), stride16(dimensions)];
  const rows8 = new Uint8Array((rows16.length / sixteen) * eight);
  for (let at = 0; at * sixteen < rows16.length; at++) {
    const row = rows16.subarray(at * sixteen, (at + 1) * sixteen);
    writeRow8(vectorOfRow16(row, dimensions), rows8, at * eight);
  }
  return rows8;
}
