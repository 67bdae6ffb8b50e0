// The spans of one visual stage: vectors and the places of previews go to a log, the previews themselves stay
// in the part file that becomes the preview file. A stage that is taken up appends the logged vectors again,
// so everything made of them is what it would have been without the interruption.
import type { SpanKey } from '../spans/contract.ts';
import type { Disk } from './disk.ts';
import { type Picture, PreviewWriter } from './preview-writer.ts';
import type { SpanLog } from './span-log.ts';
import type { Spans } from './spans.ts';

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

type Chunk = Pick<Added, 'frames' | 'vectors' | 'changed'>;
type Append = (kept: Added) => void;

export class StageSpans {
  readonly #spans: Spans;
  readonly #key: SpanKey;
  readonly #dimensions: number;
  readonly #part: string;
  readonly previews: PreviewWriter;
  #log: SpanLog | null;
  /** Appended since the last span. */
  #chunks: Chunk[] = [];
  /** Frames and pictures in the spans. */
  #frames = 0;
  #pictures = 0;

  /** `token` makes the name of a new part file its own. Throws what the store throws. */
  constructor(
    spans: Spans,
    key: SpanKey,
    dimensions: number,
    { folder, token, on }: NewPart,
    append: Append,
  ) {
    this.#spans = spans;
    this.#key = key;
    this.#dimensions = dimensions;
    this.#log = spans.open(key);
    this.#part = this.#log?.header.part ?? spans.partName(key, token);
    this.previews = new PreviewWriter(folder, spans.part(this.#part), on);
    try {
      if (this.#log !== null) this.#takeUp(this.#log, append);
    } catch (error) {
      this.suspend();
      throw error;
    }
  }

  /** Frames that were taken up. */
  get frames(): number {
    return this.#frames;
  }

  #takeUp(log: SpanLog, append: Append): void {
    const room = this.previews.sizeOfPart();
    const pictures: Picture[] = [];
    let end = this.previews.firstOffset;
    let span: Span | null = null;
    const takes = ({ bytes }: { bytes: Uint8Array<ArrayBuffer> }) => {
      span = readSpan(bytes, this.#dimensions, end);
      return span !== null && span.end <= room;
    };
    for (const _ of log.blocks(takes)) {
      const { pictures: added, end: next, ...chunk } = span as unknown as Span;
      const { frames } = chunk;
      append({ ...chunk, previews: [] });
      for (const picture of added) pictures.push(picture);
      end = next;
      this.#frames += frames.length;
    }
    this.#pictures = pictures.length;
    if (pictures.length > 0) this.previews.takeUp(pictures);
  }

  /** *Kept until the next span*: what was appended to the stage. */
  add({ frames, vectors, changed }: Chunk): void {
    if (frames.length > 0) this.#chunks.push({ frames, vectors, ...(changed && { changed }) });
  }

  /** Keeps what was appended since the last span. *Flushed* on return. */
  keep(): void {
    if (this.#chunks.length === 0) return;
    const pictures = this.previews.flushPart().slice(this.#pictures);
    const before = this.#log;
    const log = before ?? this.#spans.create(this.#key, this.#part);
    this.#log = log;
    log.append(this.#frames, writeSpan(this.#chunks, pictures, this.#dimensions));
    if (before === null) this.#spans.flush();
    this.#frames += this.#chunks.reduce((sum, { frames }) => sum + frames.length, 0);
    this.#pictures += pictures.length;
    this.#chunks = [];
  }

  /** Ends the stage without a result: what was kept stays. */
  suspend(): void {
    this.#log?.close();
    this.#chunks = [];
    if (this.#log !== null) this.previews.leave();
    else this.previews.drop();
  }

  /** The stage is committed, and its part file is the preview file. */
  close(): void {
    this.#log?.close();
    this.#chunks = [];
  }
}

export interface NewPart {
  readonly folder: string;
  readonly token: string;
  readonly on: Disk;
}

interface Span extends Chunk {
  readonly pictures: readonly Picture[];
  /** Of its last picture, in the part file. */
  readonly end: number;
}

/**
 * Counts of frames and pictures; frames; vectors; how much changed; frame, size and checksum of each picture.
 * All of four bytes.
 */
function writeSpan(chunks: readonly Chunk[], pictures: readonly Picture[], dimensions: number): Uint8Array {
  const count = chunks.reduce((sum, { frames }) => sum + frames.length, 0);
  const words = 2 + count * (2 + dimensions) + pictures.length * 3;
  const ints = new Uint32Array(words);
  const floats = new Float32Array(ints.buffer);
  ints.set([count, pictures.length]);
  let [frame, value, share] = [2, 2 + count, 2 + count * (1 + dimensions)];
  for (const { frames, vectors, changed } of chunks) {
    ints.set(frames, frame);
    floats.set(vectors, value);
    floats.set(changed ?? new Float32Array(frames.length).fill(1), share);
    frame += frames.length;
    value += vectors.length;
    share += frames.length;
  }
  value = share;
  for (const picture of pictures) {
    ints.set([picture.frame, picture.size, picture.crc], value);
    value += 3;
  }
  return new Uint8Array(ints.buffer);
}

/** Null when it was not written so. */
function readSpan(bytes: Uint8Array<ArrayBuffer>, dimensions: number, start: number): Span | null {
  if (bytes.byteLength < 8 || bytes.byteLength % 4 !== 0) return null;
  const ints = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const [count, shown] = ints as unknown as [number, number];
  if (ints.length !== 2 + count * (2 + dimensions) + shown * 3) return null;
  const table = 2 + count * (2 + dimensions);
  const floats = (from: number, length: number) =>
    new Float32Array(bytes.buffer, bytes.byteOffset + from * 4, length);
  let end = start;
  const pictures = Array.from({ length: shown }, (_, i): Picture => {
    const [frame, size, crc] = ints.subarray(table + i * 3) as unknown as [number, number, number];
    const offset = end;
    end += size;
    return { frame, size, crc, offset };
  });
  return {
    frames: Array.from(ints.subarray(2, 2 + count)),
    vectors: floats(2 + count, count * dimensions),
    changed: floats(2 + count * (1 + dimensions), count),
    pictures,
    end,
  };
}
