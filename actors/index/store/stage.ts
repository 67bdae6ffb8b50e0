// The visual stage of one file while it is being written. Rows go to its bundle a chunk at a time, so a
// ten-hour film takes no more memory than a short one; what stays until the end is some 30 bytes a frame.
import { rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { engineErrors } from '../../../runtime/errors.ts';
import type { SpanKey } from '../spans/contract.ts';
import { packFrames } from '../visual/frames.ts';
import { factsOfRow16, stride8, stride16, vectorOfRow16, writeRow8, writeRow16 } from '../visual/quantize.ts';
import { cosine, lags, sceneStarts } from '../visual/scenes.ts';
import type { BundleFile } from './bundle-file.ts';
import type { Bundles } from './bundles.ts';
import { storeErrors } from './contract.ts';
import { replaced } from './faults.ts';
import { previewPlace, vectorPlace } from './names.ts';
import { PreviewWriter } from './preview-writer.ts';
import type { Previews, Visual } from './records.ts';
import { aboutSpan, type Spans } from './spans.ts';
import { chunkOf, endOfRows, rowPlaces } from './vector-file.ts';

/** Frames of a film, ascending. */
export interface Added {
  readonly frames: readonly number[];
  /** n×d. */
  readonly vectors: Float32Array;
  /** One for each frame, or none. */
  readonly previews: readonly Uint8Array[];
  /** Share of each that differs from the one before, as in `scenes.ts`; without it all may. */
  readonly changed?: Float32Array;
}

/** What is kept of a stage when it is interrupted; null for nothing. */
export interface Keeping {
  readonly spans: Spans;
  readonly key: SpanKey;
}

export interface StageParts {
  readonly bundles: Bundles;
  /** A part of names that no other stage has. */
  readonly token: string;
  /** Throws when this writer may not write any more: called right before rows are written. */
  readonly confirm: () => void;
  readonly keeping: Keeping | null;
}

export type StageResult = Pick<
  Visual,
  'frame_runs' | 'scene_starts' | 'file' | 'size_bytes' | 'crc' | 'rows8' | 'rows16'
> & {
  readonly frames: number;
};

const [vectorEnd, previewEnd] = ['.vectors', '.previews'];

export class Stage {
  readonly hash: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly #parts: StageParts;
  /** What the names of its bundles begin with. */
  readonly #name: string;
  readonly #previews: PreviewWriter;
  #file: BundleFile | null = null;
  /** Rows that are not in the file, of one chunk. */
  #rows8 = new Uint8Array(0);
  #rows16 = new Uint8Array(0);
  /** Rows in the file, and how many of them are *flushed*. */
  #written = 0;
  #flushed = 0;
  #hasNamesFlushed = false;
  /** Of the 8-bit rows in the file. */
  #crc = 0;
  readonly #frames: number[] = [];
  readonly #taken: number = 0;
  /** By lag - 1: the distance of each frame to the one that many later. */
  readonly #distances: number[][] = Array.from({ length: lags }, () => []);
  /** Of each frame but the first. */
  readonly #changed: number[] = [];
  /** The vectors before, latest first. */
  #recent: Float32Array[] = [];

  /** Takes up what was kept of it. */
  constructor(hash: string, modelKey: string, dimensions: number, parts: StageParts) {
    this.hash = hash;
    this.modelKey = modelKey;
    this.dimensions = dimensions;
    this.#parts = parts;
    const { keeping, token } = parts;
    const found = keeping?.spans.find(keeping.key, vectorEnd) ?? null;
    this.#name = found ?? `${keeping ? keeping.spans.begin(keeping.key) : `${hash}.`}${token}`;
    this.#previews = new PreviewWriter(() => this.#create(previewEnd));
    if (found === null) return;
    try {
      this.#takeUp(found);
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
    for (;;) {
      const { first, rows } = chunkOf(this.#written);
      const at = endOfRows(this.dimensions, first + 1) - stride;
      const there = Math.min(rows, Math.max(0, Math.floor((file.end - at) / stride)));
      const bytes = new Uint8Array(there * stride);
      file.read(at, bytes);
      let taken = 0;
      while (taken < there && this.#takeUpRow(bytes.subarray(taken * stride, (taken + 1) * stride))) taken++;
      this.#enter();
      if (taken < rows) break;
    }
    this.#flushed = this.#written;
    file.cut(endOfRows(this.dimensions, this.#written));
    this.#previews.cutAfter(this.#frames.at(-1) ?? -1);
  }

  /** False where it is broken, or no row of this film. */
  #takeUpRow(bytes: Uint8Array): boolean {
    const facts = factsOfRow16(bytes);
    const before = this.#frames.at(-1) ?? -1;
    if (facts === null || facts.frame <= before || facts.frame > this.#previews.last) return false;
    const at = this.#reserve();
    this.#rows16.set(bytes, at * bytes.byteLength);
    this.#add(at, facts.frame, facts.changed);
    return true;
  }

  /** Frames that were taken up, and the first one that is not among them. */
  get kept(): { readonly frames: number; readonly next: number } {
    return { frames: this.#taken, next: (this.#frames.at(-1) ?? -1) + 1 };
  }

  /** *Accepted*, not stored. Throws INVALID_MESSAGE or WRONG_DIMENSIONS before anything was taken. */
  append(added: Added): void {
    this.#check(added);
    const { frames, vectors, previews, changed } = added;
    for (const [i, frame] of frames.entries()) {
      const vector = vectors.subarray(i * this.dimensions, (i + 1) * this.dimensions);
      const at = this.#reserve();
      writeRow16(vector, frame, this.#rows16, at * stride16(this.dimensions), changed?.[i]);
      this.#add(at, frame, changed?.[i] ?? 1);
      const preview = previews[i];
      if (preview !== undefined) this.#previews.add(frame, preview);
      const { first, rows } = chunkOf(this.#written);
      if (this.#frames.length === first + rows) this.#writeRows();
    }
  }

  /** Where the next row goes among those that are not written. */
  #reserve(): number {
    const { rows } = chunkOf(this.#written);
    const [eight, sixteen] = [stride8(this.dimensions), stride16(this.dimensions)];
    if (this.#rows8.length < rows * eight) {
      // The chunk before is written: nothing has to be copied.
      this.#rows8 = new Uint8Array(rows * eight);
      this.#rows16 = new Uint8Array(rows * sixteen);
    }
    return this.#frames.length - this.#written;
  }

  /** Everything else is made of the 16-bit row, so it is the same for a row that was taken up. */
  #add(at: number, frame: number, changed: number): void {
    const stride = stride16(this.dimensions);
    const vector = vectorOfRow16(this.#rows16.subarray(at * stride, (at + 1) * stride), this.dimensions);
    writeRow8(vector, this.#rows8, at * stride8(this.dimensions));
    for (const [lag, before] of this.#recent.entries()) {
      this.#distances[lag]!.push(1 - cosine(before, vector));
    }
    if (this.#frames.length > 0) this.#changed.push(changed);
    this.#recent = [vector, ...this.#recent.slice(0, lags - 1)];
    this.#frames.push(frame);
  }

  #check({ frames, vectors, previews, changed }: Added): void {
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
    for (const { at8, at16 } of rowPlaces(this.dimensions, this.#written, rows)) {
      this.#file.write(at8, this.#rows8.subarray(0, rows * stride8(this.dimensions)));
      this.#file.write(at16, this.#rows16.subarray(0, rows * stride16(this.dimensions)));
    }
    this.#enter();
  }

  /** What was not written is in the file now. */
  #enter(): void {
    const rows = this.#frames.length - this.#written;
    this.#crc = crc32(this.#rows8.subarray(0, rows * stride8(this.dimensions)), this.#crc);
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

  /** All of it is *flushed*, but no record names it. `revision`: of the previews. Throws STORE_REPLACED. */
  finish(revision: number): { readonly visual: StageResult; readonly previews: Previews } {
    // A single picture lies in the records.
    const isShort = this.#file === null && this.#frames.length < 2;
    if (!isShort) this.#flush();
    const previews = this.#previews.finish(this.hash, revision, previewPlace(this.#name));
    this.#flushNames();
    this.#requireCurrent();
    const rows = isShort ? this.#frames.length : 0;
    const rows8 = this.#rows8.slice(0, rows * stride8(this.dimensions));
    const visual = {
      frames: this.#frames.length,
      frame_runs: packFrames(this.#frames),
      scene_starts: sceneStarts(
        this.#distances.map((list) => Float32Array.from(list)),
        this.#changed,
        this.#frames.length,
      ),
      file: this.#file === null ? '' : vectorPlace(this.modelKey, this.#name),
      size_bytes: this.#file?.size ?? 0,
      crc: isShort ? crc32(rows8) : this.#crc,
      rows8,
      rows16: this.#rows16.slice(0, rows * stride16(this.dimensions)),
    };
    return { visual, previews };
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

  /** What was kept stays, and where a record `mayName` the bundles, so do they. */
  abort(mayName = false): void {
    const isKept = this.#parts.keeping !== null && this.#written > 0;
    for (const file of [this.#file, this.#previews.file]) {
      if (!isKept && !mayName && file?.isCurrent) rmSync(file.file, { force: true });
    }
    this.#close();
  }
}
