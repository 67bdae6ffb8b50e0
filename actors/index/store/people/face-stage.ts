// The face stage of one file while it is being written. Vectors and pictures go to the roll a chunk at a
// time, so a ten-hour film takes little more memory than a short one; what stays until the end is some 110
// bytes a face.
import { crc32 } from 'node:zlib';
import { engineErrors } from '../../../../runtime/errors.ts';
import { type FaceColumns, FaceList } from '../../people/face-columns.ts';
import { stride16, writeRow16 } from '../../visual/quantize.ts';
import { storeErrors } from '../contract.ts';
import type { OpenStage } from '../open-work.ts';
import type { FacePlaces } from '../records.ts';
import type { Keeping } from '../stage.ts';
import { type FaceTail, placeBytes, writePlace } from './face-rolls.ts';
import { type FaceChunk, FaceSpans } from './face-spans.ts';

/** Of one write at most, but for a picture that is larger alone. */
const chunkRows = 256;
const chunkBytes = 4 << 20;

/** What one write took of the roll. */
interface Extent {
  readonly at: number;
  readonly bytes: number;
}

export interface FaceStageResult {
  readonly columns: FaceColumns;
  /** As in the record. */
  readonly places: FacePlaces;
}

export class FaceStage implements OpenStage {
  readonly hash: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly tail: FaceTail;
  readonly #faces = new FaceList();
  readonly #places: Uint8Array[] = [];
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
    this.tail = tail;
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

  /** Writes what is buffered where the roll ends now. */
  #write(): void {
    const count = this.#pictures.length;
    if (count === 0) return;
    this.tail.confirm();
    const stride = stride16(this.dimensions);
    const at = this.tail.next;
    const places = new Uint8Array(count * placeBytes);
    let crops = at + count * stride;
    for (const [i, { aligned, display }] of this.#pictures.entries()) {
      const sizes = { aligned: aligned.byteLength, display: display.byteLength };
      const checks = { alignedCrc: crc32(aligned), displayCrc: crc32(display) };
      writePlace(places, i, { row: at + i * stride, crops, ...sizes, ...checks });
      crops += aligned.byteLength + display.byteLength;
    }
    const pictures = this.#pictures.flatMap(({ aligned, display }) => [aligned, display]);
    this.tail.file.write(at, Buffer.concat([this.#buffer.subarray(0, count * stride), ...pictures]));
    this.tail.next = crops;
    this.#extents.push({ at, bytes: crops - at });
    this.#places.push(places);
    this.#pictures = [];
    this.#pictureBytes = 0;
  }

  /** Writes what is left. It is in the roll but neither flushed nor visible. */
  finish(): FaceStageResult {
    this.#write();
    const places = Buffer.concat(this.#places);
    return {
      columns: this.#faces.columns(),
      places: { file: places.length > 0 ? this.tail.place : '', places },
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

  /** Gives back the end of the roll, where no other stage came after. What was kept stays. */
  abort(): void {
    this.#spans?.close();
    this.#giveBack();
  }

  #giveBack(): void {
    for (let last = this.#extents.pop(); last !== undefined; last = this.#extents.pop()) {
      if (last.at + last.bytes !== this.tail.next) return;
      this.tail.next = last.at;
    }
  }
}
