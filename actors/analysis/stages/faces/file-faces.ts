// The faces of one file on their way from its frames to the index: some frames are looked at side by side,
// and their faces are appended in the order of the frames.

import type { SlotHandle } from '../../../../runtime/contract.ts';
import type { SlotPool } from '../../../../runtime/slots.ts';
import type { PictureShape, Probe } from '../../../decoder/contract.ts';
import type { FaceModel, FoundFaces } from '../../../faces/contract.ts';
import type { FrameFaces } from '../../../index/people/contract.ts';
import { modelErrors, mostPictureBytes } from '../../../models/contract.ts';
import { type FacesActor, type IndexActor, loadFaceModel, type ModelInUse } from '../parts.ts';
import type { FileSpans } from '../stage.ts';

/** Frames of a file that are looked at side by side; the face actor takes as many turns at once. */
const AHEAD = 4;
/** Frames and faces appended in one message, at most. A face has some kilobytes of pictures. */
const MOST_FRAMES = 32;
const MOST_FACES = 128;

export interface FileFacesParts {
  readonly index: IndexActor;
  readonly stage: number;
  /** Frames that were taken up. */
  readonly stored_frames: number;
  readonly spans: FileSpans | null;
  readonly signal: AbortSignal;
  /** Told how many frames were appended. */
  readonly onAppended: (frames: number) => void;
}

interface Looked {
  readonly frame_index: number;
  readonly result: Promise<FoundFaces>;
}

export class FileFaces {
  readonly #parts: FileFacesParts;
  #looking: Looked[] = [];
  #batch: { readonly frame_index: number; readonly result: FoundFaces }[] = [];
  #faces = 0;
  #frames = 0;

  constructor(parts: FileFacesParts) {
    this.#parts = parts;
  }

  get frames(): number {
    return this.#frames;
  }

  /** Resolves when the next frame may come. */
  async add(frame_index: number, result: Promise<FoundFaces>): Promise<void> {
    // The promise may fail before anything waits for it.
    result.catch(() => {});
    this.#looking.push({ frame_index, result });
    if (this.#looking.length >= AHEAD) await this.#takeOldest();
  }

  /** No more frames come; resolves when all are appended. */
  async finish(): Promise<void> {
    while (this.#looking.length > 0) await this.#takeOldest();
    await this.#append();
  }

  /** Resolves when nothing is looked at any more, failed or not. */
  async quiet(): Promise<void> {
    await Promise.allSettled(this.#looking.map(({ result }) => result));
  }

  async #takeOldest(): Promise<void> {
    const oldest = this.#looking[0]!;
    const result = await oldest.result;
    this.#looking.shift();
    this.#batch.push({ frame_index: oldest.frame_index, result });
    this.#faces += result.faces.length;
    const { spans, stored_frames } = this.#parts;
    const isDue = spans?.isDue(stored_frames + this.#frames + this.#batch.length) ?? false;
    if (isDue || this.#batch.length >= MOST_FRAMES || this.#faces >= MOST_FACES) await this.#append();
  }

  async #append(): Promise<void> {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#faces = 0;
    const { index, stage, stored_frames, spans, signal, onAppended } = this.#parts;
    const amount = stored_frames + this.#frames + batch.length;
    const keep = spans?.isDue(amount) ?? false;
    const frames = batch.map(({ frame_index, result }): FrameFaces => ({ frame_index, faces: result.faces }));
    const vectors = joined(batch.map(({ result }) => result.vectors));
    const aligned = batch.flatMap(({ result }) => result.aligned);
    const displays = batch.flatMap(({ result }) => result.displays);
    const transfer = [
      ...new Set([vectors, ...aligned, ...displays].map(({ buffer }) => buffer as ArrayBuffer)),
    ];
    await index.ask(
      'append_faces',
      { stage, frames, vectors, aligned, displays, keep },
      { transfer, signal },
    );
    if (keep) spans?.kept(amount);
    this.#frames += batch.length;
    onAppended(batch.length);
  }
}

/** Several n×d as one. */
export function joined(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// Finds the faces in pictures that lie in slots. One finder serves a whole run of a task.

export interface FinderParts {
  readonly faces: FacesActor;
  readonly inUse: ModelInUse;
  readonly model: FaceModel;
  readonly pool: SlotPool;
}

export class FaceFinder {
  readonly #parts: FinderParts;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  get model(): FaceModel {
    return this.#parts.model;
  }

  /** *Borrowed while the slot is held.* */
  bytesOf(picture: SlotHandle, bytes: number): Uint8Array {
    return this.#parts.pool.view(picture).subarray(0, bytes);
  }

  /** The slot is held until the faces are found; whoever had it may let it go at once. */
  async find(
    picture: SlotHandle,
    { width, height }: Pick<PictureShape, 'width' | 'height'>,
    signal: AbortSignal,
  ): Promise<FoundFaces> {
    const { faces, inUse, model, pool } = this.#parts;
    const request = { model_key: model.model_key, picture, width, height };
    const call = { signal, slots: [picture] };
    const holder = pool.holder();
    pool.hold(picture, holder);
    try {
      return await faces.ask('find', request, call);
    } catch (error) {
      // A face actor that came back after a crash has no model yet.
      if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
      await loadFaceModel(inUse, faces, { signal });
      return await faces.ask('find', request, call);
    } finally {
      pool.releaseAll(holder);
    }
  }
}

// A picture that is byte for byte the one before it has the same faces, so they are not looked for again.

/** Finds the faces in the frames of one film, one after the other. */
export class FilmFaces {
  readonly #finder: FaceFinder;
  readonly #shape: PictureShape;
  readonly #bytes: Buffer;
  /** Faces in the picture whose bytes are kept; null before the first one. */
  #lastFaces: Promise<FoundFaces> | null = null;

  constructor(finder: FaceFinder, shape: PictureShape) {
    this.#finder = finder;
    this.#shape = shape;
    this.#bytes = Buffer.alloc(shape.width * shape.height * 3);
  }

  /** Finds the faces in the next frame, as `FaceFinder.find` does. */
  find(picture: SlotHandle, signal: AbortSignal): Promise<FoundFaces> {
    const shown = this.#finder.bytesOf(picture, this.#bytes.length);
    if (this.#lastFaces && Buffer.compare(this.#bytes, shown) === 0) return this.#lastFaces.then(copied);
    this.#bytes.set(shown);
    const faces = this.#finder.find(picture, this.#shape, signal);
    // Copied at once: the caller moves the buffers of the original to the index.
    this.#lastFaces = faces.then(copied);
    this.#lastFaces.catch(() => {});
    return faces;
  }
}

const copied = (faces: FoundFaces): FoundFaces => structuredClone(faces);

// The size of the picture in which faces are looked for.

/** Longest side of a still, px: it is looked at once, so a larger picture costs little. */
export const stillSide = 1920;

/** The longest side of sample pictures, px: they show one large face. */
export const sampleSide = 1280;

/** Bytes of a still of 4:3. */
const stillBytes = 1920 * 1440 * 3;

/**
 * Bytes of a slot that holds such pictures. Memory that nothing touches is not used, but all slots together
 * stay within `memory`, bytes: many decoders on a small machine look at smaller pictures.
 */
export function slotBytesFor(slots: number, memory: number): number {
  return Math.max(mostPictureBytes, Math.min(stillBytes, Math.floor(memory / slots)));
}

/**
 * The picture at its own shape, never larger than it is: the longest side at most `side`, and as many pixels
 * as a slot of `slotBytes` holds.
 */
export function faceShape(
  { width, height }: Pick<Probe, 'width' | 'height'>,
  side: number,
  slotBytes: number,
): PictureShape {
  const fits = Math.sqrt(slotBytes / 3 / (width * height));
  const scale = Math.min(1, side / Math.max(width, height), fits);
  const ofSide = (length: number) => Math.max(1, Math.floor(length * scale + 1e-6));
  return { width: ofSide(width), height: ofSide(height), fit: 'stretch', resample: 'area' };
}
