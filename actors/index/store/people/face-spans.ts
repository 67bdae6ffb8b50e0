// The spans of one face stage: all that was appended goes to a log, pictures too, because a roll is of many
// media. A stage that is taken up appends it again, so its result is what it would have
// been.
import type { Face } from '../../../faces/contract.ts';
import type { FrameFaces } from '../../people/contract.ts';
import { FaceList, faceAt, numbersOfFace } from '../../people/face-columns.ts';
import type { SpanKey } from '../../spans/contract.ts';
import type { SpanLog } from '../span-log.ts';
import type { Spans } from '../spans.ts';

/** More is not held for the next span: it becomes one. */
const mostHeldBytes = 64 << 20;

/** What one call brings. */
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
  #held = 0;
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
        const taken = chunk as unknown as FaceChunk;
        append(taken);
        this.#frames += taken.frames.length;
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
    this.#held += chunk.vectors.byteLength + bytesOf(chunk.aligned) + bytesOf(chunk.displays);
    if (this.#held > mostHeldBytes) this.keep();
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
    this.#held = 0;
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
  for (const { frame_index, faces: own } of frames) {
    ints.set([frame_index, own.length], at);
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
  let taken = 0;
  for (let i = 0; i < frameCount; i++) {
    const [frame_index, count] = ints.subarray(2 + i * 2) as unknown as [number, number];
    frames.push({ frame_index, faces: all.slice(taken, taken + count) });
    taken += count;
  }
  const [aligned, displays]: [Uint8Array[], Uint8Array[]] = [[], []];
  let at = needed * 4;
  for (const [, one, two] of facts as unknown as [number, number, number][]) {
    aligned.push(whole.subarray(at, at + one));
    displays.push(whole.subarray(at + one, at + one + two));
    at += one + two;
  }
  if (taken !== faceCount || at !== whole.byteLength) return null;
  return { frames, vectors: floats(vectorsAt, faceCount * dimensions), aligned, displays };
}
