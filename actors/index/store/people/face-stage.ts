// The face stage of one file while it is being written. Vectors and pictures go to the packs a chunk at a
// time, so a ten-hour film takes little more memory than a short one; what stays until the end is some 110
// bytes a face.
import { crc32 } from 'node:zlib';
import { engineErrors } from '../../../../runtime/errors.ts';
import { type FaceColumns, FaceList } from '../../people/face-columns.ts';
import { stride16, writeRow16 } from '../../visual/quantize.ts';
import { storeErrors } from '../contract.ts';
import type { Disk } from '../disk.ts';
import type { Environment } from '../environment.ts';
import { readable } from '../faults.ts';
import type { OpenStage } from '../open-work.ts';
import type { FaceModel } from '../records.ts';
import type { Keeping } from '../stage.ts';
import { placeBytes, writePlace } from './crop-pack.ts';
import { newFaceModel, readFaceModel } from './face-model.ts';
import { FacePacks } from './face-packs.ts';
import { type FaceChunk, FaceSpans } from './face-spans.ts';

/** Of one write at most, but for a picture that is larger alone. */
const chunkRows = 256;
const chunkBytes = 4 << 20;

/** What one write took of the packs. */
interface Extent {
  readonly row: number;
  readonly rows: number;
  readonly crop: number;
  readonly bytes: number;
}

export interface FaceStageResult {
  readonly columns: FaceColumns;
  readonly rows: Uint32Array;
  /** Of the pictures, as in the record. */
  readonly crops: Uint8Array;
}

export class FaceStage implements OpenStage {
  readonly hash: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly #tail: FaceTail;
  readonly #faces = new FaceList();
  readonly #rows: number[] = [];
  readonly #crops: Uint8Array[] = [];
  readonly #buffer: Uint8Array;
  #pictures: { readonly aligned: Uint8Array; readonly display: Uint8Array }[] = [];
  #pictureBytes = 0;
  #last = -1;
  readonly #extents: Extent[] = [];
  readonly #spans: FaceSpans | null;

  /** Takes up what was kept of it. */
  constructor(
    hash: string,
    modelKey: string,
    dimensions: number,
    tail: FaceTail,
    keeping: Keeping | null = null,
  ) {
    this.hash = hash;
    this.modelKey = modelKey;
    this.dimensions = dimensions;
    this.#tail = tail;
    this.#buffer = new Uint8Array(chunkRows * stride16(dimensions));
    if (keeping === null) {
      this.#spans = null;
      return;
    }
    const append = (chunk: FaceChunk) => {
      this.#check(chunk);
      this.#append(chunk);
    };
    try {
      this.#spans = new FaceSpans(keeping.spans, keeping.key, dimensions, append);
    } catch (error) {
      this.#giveBack();
      throw error;
    }
  }

  /** Frames that were taken up, and the first one that is not among them. */
  get kept(): { readonly frames: number; readonly next: number } {
    return { frames: this.#spans?.frames ?? 0, next: this.#last + 1 };
  }

  /** *Accepted*, not stored. Throws INVALID_MESSAGE or WRONG_DIMENSIONS before anything was taken. */
  append(chunk: FaceChunk): void {
    this.#check(chunk);
    this.#append(chunk);
    this.#spans?.add(chunk);
  }

  #append({ frames, vectors, aligned, displays }: FaceChunk): void {
    let at = 0;
    for (const { frame_index, faces } of frames) {
      for (const face of faces) {
        const vector = vectors.subarray(at * this.dimensions, (at + 1) * this.dimensions);
        writeRow16(vector, frame_index, this.#buffer, this.#pictures.length * stride16(this.dimensions));
        const pictures = { aligned: aligned[at]!, display: displays[at]! };
        this.#pictures.push(pictures);
        this.#pictureBytes += pictures.aligned.byteLength + pictures.display.byteLength;
        this.#faces.add(frame_index, face);
        at++;
        if (this.#pictures.length === chunkRows || this.#pictureBytes >= chunkBytes) this.#write();
      }
      this.#last = frame_index;
    }
  }

  #check({ frames, vectors, aligned, displays }: FaceChunk): void {
    const count = frames.reduce((sum, { faces }) => sum + faces.length, 0);
    if (vectors.length !== count * this.dimensions) {
      throw storeErrors.WRONG_DIMENSIONS(
        `vectors: ${vectors.length} numbers are not ${count} vectors of ${this.dimensions}`,
      );
    }
    for (const [name, pictures] of Object.entries({ aligned, displays })) {
      if (pictures.length !== count) {
        throw engineErrors.INVALID_MESSAGE(`${name}: ${pictures.length} pictures for ${count} faces`);
      }
      const empty = pictures.findIndex(({ byteLength }) => byteLength === 0);
      if (empty >= 0) throw engineErrors.INVALID_MESSAGE(`${name}[${empty}] is empty`);
    }
    let before = this.#last;
    for (const { frame_index } of frames) {
      if (frame_index <= before)
        throw engineErrors.INVALID_MESSAGE(`frames: ${frame_index} comes after ${before}`);
      before = frame_index;
    }
    for (let face = 0; face < count; face++) {
      const vector = vectors.subarray(face * this.dimensions, (face + 1) * this.dimensions);
      let square = 0;
      for (const value of vector) square += value * value;
      if (!(square > 0 && square < Number.POSITIVE_INFINITY)) {
        throw engineErrors.INVALID_MESSAGE(`vectors: that of face ${face} has no direction`);
      }
    }
  }

  /** Writes what is buffered where the packs end now. */
  #write(): void {
    const rows = this.#pictures.length;
    if (rows === 0) return;
    this.#tail.confirm();
    const [row, crop] = [this.#tail.nextRow, this.#tail.nextCrop];
    const places = new Uint8Array(rows * placeBytes);
    let offset = crop;
    for (const [i, { aligned, display }] of this.#pictures.entries()) {
      const sizes = { aligned: aligned.byteLength, display: display.byteLength };
      writePlace(places, i, { offset, ...sizes, alignedCrc: crc32(aligned), displayCrc: crc32(display) });
      offset += aligned.byteLength + display.byteLength;
      this.#rows.push(row + i);
    }
    const bytes = Buffer.concat(this.#pictures.flatMap(({ aligned, display }) => [aligned, display]));
    this.#tail.packs.vectors.write(row, this.#buffer.subarray(0, rows * stride16(this.dimensions)));
    this.#tail.packs.crops.write(crop, bytes);
    this.#tail.nextRow = row + rows;
    this.#tail.nextCrop = offset;
    this.#extents.push({ row, rows, crop, bytes: bytes.byteLength });
    this.#crops.push(places);
    this.#pictures = [];
    this.#pictureBytes = 0;
  }

  /** Writes what is left. It is in the packs but neither flushed nor visible. */
  finish(): FaceStageResult {
    this.#write();
    return {
      columns: this.#faces.columns(),
      rows: Uint32Array.from(this.#rows),
      crops: Buffer.concat(this.#crops),
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

  /** Gives back the end of the packs, where no other stage came after. What was kept stays. */
  abort(): void {
    this.#spans?.close();
    this.#giveBack();
  }

  #giveBack(): void {
    for (let last = this.#extents.pop(); last !== undefined; last = this.#extents.pop()) {
      const { row, rows, crop, bytes } = last;
      if (row + rows !== this.#tail.nextRow || crop + bytes !== this.#tail.nextCrop) return;
      this.#tail.nextRow = row;
      this.#tail.nextCrop = crop;
    }
  }
}

// The packs that open face stages write to: one pair for each pair of models, which its stages share.

export interface FaceTail {
  readonly packs: FacePacks;
  /** Throws when this writer may not write any more: called right before anything is written. */
  readonly confirm: () => void;
  /** The first row, and the first byte of pictures, that no stage has taken. */
  nextRow: number;
  nextCrop: number;
  model: FaceModel;
}

export class FaceTails {
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #on: Disk;
  readonly #confirm: () => void;
  readonly #tails = new Map<string, FaceTail>();

  constructor(folder: string, environment: Environment, on: Disk, confirm: () => void) {
    this.#folder = folder;
    this.#environment = environment;
    this.#on = on;
    this.#confirm = confirm;
  }

  get(modelKey: string): FaceTail | undefined {
    return this.#tails.get(modelKey);
  }

  /** The current packs, or new ones when these are missing, cut or of another size. */
  of(modelKey: string, dimensions: number): FaceTail {
    const open = this.#tails.get(modelKey);
    if (open !== undefined) {
      if (open.packs.shape.dimensions === dimensions) return open;
      throw storeErrors.WRONG_DIMENSIONS(
        `dimensions: ${modelKey} is being written with ${open.packs.shape.dimensions}, not ${dimensions}`,
      );
    }
    const model = readFaceModel(this.#environment, modelKey);
    const tail =
      (model !== null && model.dimensions === dimensions ? readable(() => this.#reopen(model)) : null) ??
      this.#start(modelKey, dimensions, model);
    this.#tails.set(modelKey, tail);
    return tail;
  }

  /** Null when they are shorter than what is stored in them. */
  #reopen(model: FaceModel): FaceTail | null {
    const packs = FacePacks.open(this.#folder, shapeOf(model), 'r+', this.#on);
    try {
      if (packs.vectors.rows() < model.rows || packs.crops.end() < model.crops_end) {
        packs.close();
        return null;
      }
      packs.vectors.cutAfter(model.rows);
      packs.crops.cutAfter(model.crops_end);
      return { packs, confirm: this.#confirm, nextRow: model.rows, nextCrop: model.crops_end, model };
    } catch (error) {
      packs.close();
      throw error;
    }
  }

  #start(modelKey: string, dimensions: number, before: FaceModel | null): FaceTail {
    const model = newFaceModel(modelKey, dimensions, before?.next_generation ?? 1);
    const packs = FacePacks.create(this.#folder, shapeOf(model), this.#on);
    return { packs, confirm: this.#confirm, nextRow: 0, nextCrop: 0, model };
  }

  close(modelKey: string): void {
    this.#tails.get(modelKey)?.packs.close();
    this.#tails.delete(modelKey);
  }

  closeAll(): void {
    for (const tail of this.#tails.values()) tail.packs.close();
    this.#tails.clear();
  }
}

function shapeOf(model: FaceModel) {
  return { modelKey: model.model_key, dimensions: model.dimensions, generation: model.generation };
}
