// The face stage of one file while it is being written. Vectors and pictures go to the roll a chunk at a
// time, so a ten-hour film takes little more memory than a short one; what stays until the end is some 110
// bytes a face.

import { crc32 } from 'node:zlib';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { FrameFaces } from '../../people/contract.ts';
import type { Face } from '../../people/face.ts';
import { type FaceColumns, FaceList, faceAt, numbersOfFace } from '../../people/face-columns.ts';
import { stride16, writeRow16 } from '../../visual/quantize.ts';
import { type SpanKey, storeErrors } from '../contract.ts';
import type { OpenStage } from '../open-work.ts';
import type { FacePlacesRow } from '../records.ts';
import type { SpanLog, Spans } from '../spans.ts';
import type { Keeping } from '../stage.ts';
import { type FaceTail, placeBytes, writePlace } from './face-rolls.ts';

// The spans of one face stage: all that was appended goes to a log, pictures too, because a roll is of many
// media. A stage that is taken up appends it again, so its result is what it would have
// been.

/** More is not held for the next span: it becomes one. */
const mostHeldBytes = 64 << 20;

export interface FaceChunk {
  readonly frames: readonly FrameFaces[];
  readonly vectors: Float32Array;
  readonly aligned: readonly Uint8Array[];
  readonly displays: readonly Uint8Array[];
}

export class FaceSpans {
  readonly #spans: Spans;
  readonly #key: SpanKey;
  #log: SpanLog | null;
  #chunks: FaceChunk[] = [];
  #bufferedBytes = 0;
  /** Frames in the spans. */
  #frames = 0;

  /** Takes up what was kept. Throws what the store throws. */
  constructor(spans: Spans, key: SpanKey, dimensions: number, append: (chunk: FaceChunk) => void) {
    this.#spans = spans;
    this.#key = key;
    this.#log = spans.open(key);
    try {
      let chunk: FaceChunk | null = null;
      const takes = ({ bytes }: { bytes: Uint8Array<ArrayBuffer> }) => {
        chunk = readChunk(bytes, dimensions);
        return chunk !== null;
      };
      for (const _ of this.#log?.blocks(takes) ?? []) {
        const faceChunk = chunk as unknown as FaceChunk;
        append(faceChunk);
        this.#frames += faceChunk.frames.length;
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Frames that were taken up. */
  get frames(): number {
    return this.#frames;
  }

  /** *Kept until the next span*. */
  add(chunk: FaceChunk): void {
    if (chunk.frames.length === 0) return;
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.vectors.byteLength + bytesOf(chunk.aligned) + bytesOf(chunk.displays);
    if (this.#bufferedBytes > mostHeldBytes) this.keep();
  }

  /** *Flushed* on return. */
  keep(): void {
    if (this.#chunks.length === 0) return;
    const before = this.#log;
    const log = before ?? this.#spans.create(this.#key);
    this.#log = log;
    log.append(this.#frames, writeChunk(this.#chunks));
    if (before === null) this.#spans.flush();
    this.#frames += this.#chunks.reduce((sum, { frames }) => sum + frames.length, 0);
    this.#chunks = [];
    this.#bufferedBytes = 0;
  }

  close(): void {
    this.#log?.close();
    this.#chunks = [];
  }
}

function bytesOf(pictures: readonly Uint8Array[]): number {
  return pictures.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/**
 * Counts of frames and faces; frame and number of its faces; numbers, weakness and sizes of both pictures of
 * each face; vectors. All of four bytes; then the pictures of each face, aligned and for people.
 */
function writeChunk(chunks: readonly FaceChunk[]): Uint8Array {
  const frames = chunks.flatMap((chunk) => chunk.frames);
  const faces = frames.flatMap((frame) => frame.faces.map((face) => ({ frame: frame.frame_index, face })));
  const aligned = chunks.flatMap((chunk) => chunk.aligned);
  const displays = chunks.flatMap((chunk) => chunk.displays);
  const values = chunks.reduce((sum, { vectors }) => sum + vectors.length, 0);
  const words = 2 + frames.length * 2 + faces.length * (numbersOfFace + 3) + values;
  const bytes = new Uint8Array(words * 4 + bytesOf(aligned) + bytesOf(displays));
  const ints = new Uint32Array(bytes.buffer, 0, words);
  const floats = new Float32Array(bytes.buffer, 0, words);
  ints.set([frames.length, faces.length]);
  let at = 2;
  for (const { frame_index, faces: frameFaces } of frames) {
    ints.set([frame_index, frameFaces.length], at);
    at += 2;
  }
  const list = new FaceList();
  for (const { frame, face } of faces) list.add(frame, face);
  const columns = list.columns();
  floats.set(columns.numbers, at);
  at += columns.numbers.length;
  for (const [i] of faces.entries()) {
    ints.set([columns.weak[i]!, aligned[i]!.byteLength, displays[i]!.byteLength], at);
    at += 3;
  }
  for (const { vectors } of chunks) {
    floats.set(vectors, at);
    at += vectors.length;
  }
  let end = words * 4;
  for (const [i] of faces.entries()) {
    for (const picture of [aligned[i]!, displays[i]!]) {
      bytes.set(picture, end);
      end += picture.byteLength;
    }
  }
  return bytes;
}

/** Null when it was not written so. */
function readChunk(bytes: Uint8Array<ArrayBuffer>, dimensions: number): FaceChunk | null {
  if (bytes.byteLength < 8) return null;
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = Math.floor(whole.byteLength / 4);
  const ints = new Uint32Array(whole.buffer, whole.byteOffset, words);
  const [frameCount, faceCount] = ints as unknown as [number, number];
  const needed = 2 + frameCount * 2 + faceCount * (numbersOfFace + 3 + dimensions);
  if (words < needed) return null;
  const numbersAt = 2 + frameCount * 2;
  const factsAt = numbersAt + faceCount * numbersOfFace;
  const vectorsAt = factsAt + faceCount * 3;
  const floats = (from: number, count: number) =>
    new Float32Array(whole.buffer, whole.byteOffset + from * 4, count);
  const facts = Array.from({ length: faceCount }, (_, i) =>
    ints.subarray(factsAt + i * 3, factsAt + i * 3 + 3),
  );
  const columns = {
    frames: new Uint32Array(0),
    numbers: floats(numbersAt, faceCount * numbersOfFace),
    weak: Uint8Array.from(facts, (fact) => fact[0]!),
  };
  const all: Face[] = facts.map((_, i) => faceAt(columns, i));
  const frames: FrameFaces[] = [];
  let offset = 0;
  for (let i = 0; i < frameCount; i++) {
    const [frame_index, count] = ints.subarray(2 + i * 2) as unknown as [number, number];
    frames.push({ frame_index, faces: all.slice(offset, offset + count) });
    offset += count;
  }
  const [aligned, displays]: [Uint8Array[], Uint8Array[]] = [[], []];
  let at = needed * 4;
  for (const [, alignedLength, displayLength] of facts as unknown as [number, number, number][]) {
    aligned.push(whole.subarray(at, at + alignedLength));
    displays.push(whole.subarray(at + alignedLength, at + alignedLength + displayLength));
    at += alignedLength + displayLength;
  }
  if (offset !== faceCount || at !== whole.byteLength) return null;
  return { frames, vectors: floats(vectorsAt, faceCount * dimensions), aligned, displays };
}

/** Limits of one write; a single larger picture may exceed them. */
const chunkRows = 256;
const chunkBytes = 4 << 20;

/** Range of the roll that one write took. */
interface Extent {
  readonly at: number;
  readonly bytes: number;
}

export interface FaceStageResult {
  readonly columns: FaceColumns;
  /** Places as in the record. */
  readonly places: FacePlacesRow;
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
  get storedFrames(): { readonly frames: number; readonly next: number } {
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
