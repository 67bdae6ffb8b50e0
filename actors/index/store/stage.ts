// The visual stage of one file while it is being written. Rows go to the packs a chunk at a time, so a
// ten-hour film takes no more memory than a short one; what stays until the end is four bytes a frame.
import { crc32 } from 'node:zlib';
import { engineErrors } from '../../../runtime/errors.ts';
import type { SpanKey } from '../spans/contract.ts';
import { packFrames } from '../visual/frames.ts';
import { stride8, stride16, writeRow8, writeRow16 } from '../visual/quantize.ts';
import { cosine, lags, sceneStarts } from '../visual/scenes.ts';
import { storeErrors } from './contract.ts';
import type { Packs } from './packs.ts';
import { PreviewWriter, partFile } from './preview-writer.ts';
import type { Spans } from './spans.ts';
import { type Added, type NewPart, StageSpans } from './stage-spans.ts';
import type { Extent } from './table.ts';

/** Rows of one write: 270 KB and 530 KB at 512 dimensions. */
const chunkRows = 512;

/** What is kept of a stage when it is interrupted; null for nothing. */
export interface Keeping {
  readonly spans: Spans;
  readonly key: SpanKey;
}

/** Where the next rows of a model go; shared by the stages of that model. */
export interface Tail {
  readonly packs: Packs;
  /** Throws when this writer may not write any more: called right before rows are written. */
  readonly confirm: () => void;
  /** The first row that no stage has taken. */
  next: number;
}

export interface StageResult {
  readonly frames: number;
  readonly frame_runs: number[];
  readonly scene_starts: number[];
  readonly extents: Extent[];
}

export class Stage {
  readonly hash: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly previews: PreviewWriter;
  readonly #tail: Tail;
  readonly #coarse: Uint8Array;
  readonly #fine: Uint8Array;
  #buffered = 0;
  #frames: number[] = [];
  /** By lag - 1: the distance of each frame to the one that many later. */
  readonly #distances: number[][] = Array.from({ length: lags }, () => []);
  /** Of each frame but the first. */
  readonly #changed: number[] = [];
  /** The vectors before, latest first. */
  #recent: Float32Array[] = [];
  readonly #extents: Extent[] = [];

  readonly #spans: StageSpans | null;

  /** Takes up what was kept of it. */
  constructor(
    hash: string,
    modelKey: string,
    dimensions: number,
    tail: Tail,
    part: NewPart,
    keeping: Keeping | null = null,
  ) {
    this.hash = hash;
    this.modelKey = modelKey;
    this.dimensions = dimensions;
    this.#tail = tail;
    this.#coarse = new Uint8Array(chunkRows * stride8(dimensions));
    this.#fine = new Uint8Array(chunkRows * stride16(dimensions));
    if (keeping === null) {
      this.#spans = null;
      this.previews = new PreviewWriter(part.folder, partFile(part.folder, part.token), part.on);
    } else {
      const { spans, key } = keeping;
      const append = (kept: Added) => {
        this.#check(kept);
        this.#append(kept);
      };
      try {
        this.#spans = new StageSpans(spans, key, dimensions, part, append);
      } catch (error) {
        this.#giveBack();
        throw error;
      }
      this.previews = this.#spans.previews;
    }
  }

  /** Frames that were taken up, and the first one that is not among them. */
  get kept(): { readonly frames: number; readonly next: number } {
    return { frames: this.#spans?.frames ?? 0, next: (this.#frames.at(-1) ?? -1) + 1 };
  }

  /** *Accepted*, not stored. Throws INVALID_MESSAGE or WRONG_DIMENSIONS before anything was taken. */
  append(added: Added): void {
    this.#check(added);
    this.#append(added);
    this.#spans?.add(added);
  }

  #append({ frames, vectors, previews, changed }: Added): void {
    for (let i = 0; i < frames.length; i++) {
      const vector = vectors.slice(i * this.dimensions, (i + 1) * this.dimensions);
      const frame = frames[i]!;
      writeRow8(vector, this.#coarse, this.#buffered * stride8(this.dimensions));
      writeRow16(vector, frame, this.#fine, this.#buffered * stride16(this.dimensions));
      for (const [lag, before] of this.#recent.entries())
        this.#distances[lag]!.push(1 - cosine(before, vector));
      if (this.#frames.length > 0) this.#changed.push(changed?.[i] ?? 1);
      this.#recent = [vector, ...this.#recent.slice(0, lags - 1)];
      this.#frames.push(frame);
      this.#buffered++;
      const preview = previews[i];
      if (preview !== undefined) this.previews.add(frame, preview);
      if (this.#buffered === chunkRows) this.#writeRows();
    }
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
    for (let i = 0; i < vectors.length; i++) {
      if (!Number.isFinite(vectors[i])) {
        throw engineErrors.INVALID_MESSAGE(
          `vectors: frame ${frames[Math.floor(i / this.dimensions)]} is not finite`,
        );
      }
    }
  }

  #writeRows(): void {
    if (this.#buffered === 0) return;
    this.#tail.confirm();
    const row = this.#tail.next;
    const coarse = this.#coarse.subarray(0, this.#buffered * stride8(this.dimensions));
    this.#tail.packs.coarse.write(row, coarse);
    this.#tail.packs.fine.write(row, this.#fine.subarray(0, this.#buffered * stride16(this.dimensions)));
    this.#tail.next = row + this.#buffered;
    const last = this.#extents.at(-1);
    if (last !== undefined && last.row + last.count === row) {
      this.#extents[this.#extents.length - 1] = {
        row: last.row,
        count: last.count + this.#buffered,
        crc: crc32(coarse, last.crc),
      };
    } else this.#extents.push({ row, count: this.#buffered, crc: crc32(coarse) });
    this.#buffered = 0;
  }

  /** Writes what is left. The rows are in the packs but neither flushed nor visible. */
  finish(): StageResult {
    this.#writeRows();
    return {
      frames: this.#frames.length,
      frame_runs: packFrames(this.#frames),
      scene_starts: sceneStarts(
        this.#distances.map((list) => Float32Array.from(list)),
        this.#changed,
        this.#frames.length,
      ),
      extents: this.#extents,
    };
  }

  /** Keeps what was appended for when the stage is taken up. *Flushed* on return. */
  keep(): void {
    this.#spans?.keep();
  }

  /** It is committed. */
  close(): void {
    this.#spans?.close();
  }

  /** The rows may be stored after all: `abort` does not give them back. */
  keepRows(): void {
    this.#extents.length = 0;
  }

  /** Gives back the rows at the end of the packs, where no other stage came after. What was kept stays. */
  abort(): void {
    if (this.#spans === null) this.previews.drop();
    else this.#spans.suspend();
    this.#giveBack();
  }

  #giveBack(): void {
    for (let last = this.#extents.pop(); last !== undefined; last = this.#extents.pop()) {
      if (last.row + last.count !== this.#tail.next) return;
      this.#tail.next = last.row;
    }
  }
}
