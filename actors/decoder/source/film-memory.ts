// Memory that FFmpeg takes for one film, out of the budget of all decoders: for the index, which it makes
// while it opens the file, and for large pictures, one while it looks at the streams, more while it decodes.

import { closeSync, openSync, readSync } from 'node:fs';
import type { Turn } from '../../../runtime/actor.ts';
import { mediaErrors } from '../contract.ts';
import { avGetCodecName, avImageGetBufferSize, type FormatContext, type Stream } from '../ffmpeg.ts';
import { type Needs, pictureOf, reserveFor } from './coded-size.ts';
import { cannotOpen } from './file.ts';
import type { PacketTurn } from './packet-checkpoint.ts';

/**
 * An index as films of some hours have it, and the pictures of a film in 4K, are part of what a decoder
 * takes; only more than that waits for the budget.
 */
const ordinary = { index: 64 * 2 ** 20, pictures: 256 * 2 ** 20 };
/** Bytes a pixel of a picture whose format is not known before it is decoded. */
const unknownPixel = 4;
/** Pictures that a decoder holds, as measured on films of 8K and more, by FFmpeg's name of the codec. */
const heldPictures: Readonly<Record<string, number>> = { h264: 8, hevc: 8, vvc: 8, vp9: 8, av1: 8 };
const otherPictures = 3;
/** Bytes a pixel beside the picture: JPEG 2000 keeps a coefficient of 4 bytes for each of three colours. */
const besidePixel: Readonly<Record<string, number>> = { jpeg2000: 12 };

type FilmTurn = PacketTurn & Pick<Turn, 'reserve'>;

/** Turns that hold memory for a film. */
const holding = new WeakSet<object>();

export class FilmMemory {
  readonly #turn: FilmTurn;
  readonly #header: HeaderNeeds;
  #reserved = 0;
  #release: (() => void) | null = null;

  private constructor(header: HeaderNeeds, turn: FilmTurn) {
    this.#header = header;
    this.#turn = turn;
  }

  /**
   * Waits until the index of the file may be made. Errors: FILE_UNREADABLE, TOO_MANY_FILES, NOT_MEDIA for a
   * file that promises more than its bytes can hold, TOO_LARGE, CANCELLED.
   */
  static async ofIndex(path: string, size: number, turn: FilmTurn): Promise<FilmMemory> {
    const film = new FilmMemory(promisedBy(path, size, turn), turn);
    await film.keepIndex();
    return film;
  }

  get hasLongIndex(): boolean {
    return this.#header.memory > ordinary.index;
  }

  /**
   * Waits until FFmpeg may decode a picture of the largest size that the header states. Errors: TOO_LARGE,
   * CANCELLED.
   */
  async forOpening({ streams }: FormatContext): Promise<void> {
    const [largest] = streams.toSorted((a, b) => pixelsOf(b) - pixelsOf(a));
    if (largest) await this.#forPictures(largest, pixelsOf(largest) * unknownPixel);
  }

  /**
   * Waits until the pictures of a stream may be decoded. `further`: how many are held beside those of the
   * decoder. Errors: TOO_LARGE, CANCELLED.
   */
  async forDecoding(video: Stream, further: number): Promise<void> {
    const codec = avGetCodecName(video.codecpar.codecId) ?? '';
    const pictures = (heldPictures[codec] ?? otherPictures) + further;
    const beside = (besidePixel[codec] ?? 0) * pixelsOf(video);
    await this.#forPictures(video, pictures * pictureBytes(video) + beside);
  }

  /** Keeps memory for the index alone. */
  async keepIndex(): Promise<void> {
    await this.#reserve(this.#header, 0);
  }

  release() {
    this.#release?.();
    this.#release = null;
    this.#reserved = 0;
  }

  async #forPictures({ codecpar: { width, height } }: Stream, bytes: number) {
    const needs = pictureOf({ path: this.#header.path, width, height });
    await this.#reserve(needs, bytes > ordinary.pictures ? bytes : 0);
  }

  /**
   * A turn reads some films by several sources. One that waited for more while it holds some might wait for
   * itself: so the sources after the first go without, a few for each of the turns that the budget lets go
   * on, and the first gives back what it has before it waits for more.
   */
  async #reserve(needs: Needs, pictures: number) {
    const bytes = (this.hasLongIndex ? this.#header.memory : 0) + pictures;
    if (bytes === this.#reserved || (this.#release === null && holding.has(this.#turn))) return;
    this.release();
    if (bytes === 0) return;
    const release = await reserveFor(needs, bytes, this.#turn);
    holding.add(this.#turn);
    this.#reserved = bytes;
    this.#release = () => {
      holding.delete(this.#turn);
      release();
    };
  }
}

const pixelsOf = ({ codecpar: { width, height } }: Stream): number => width * height;

function pictureBytes(video: Stream): number {
  const { format, width, height } = video.codecpar;
  const bytes = avImageGetBufferSize(format as Parameters<typeof avImageGetBufferSize>[0], width, height, 32);
  return bytes > 0 ? bytes : pixelsOf(video) * unknownPixel;
}

// Estimates FFmpeg's memory for the header of a film before FFmpeg opens it.

/** FFmpeg reads attached files, copies them into their streams, and copies those to look at the streams. */
const attachedCopies = 3;

export interface HeaderNeeds extends Needs {
  /** Bytes. */
  readonly memory: number;
}

/**
 * Errors: FILE_UNREADABLE, TOO_MANY_FILES, NOT_MEDIA for a file that promises more than its bytes can hold,
 * CANCELLED.
 */
export function promisedBy(path: string, size: number, turn: PacketTurn): HeaderNeeds {
  const file = openForReading(path);
  try {
    const bytes = new FileBytes(size, (into, position) => readSync(file, into, 0, into.length, position));
    if (isMatroska(bytes)) {
      const header = matroskaHeaderBytes(bytes);
      const what = `its header with attached files of ${Math.ceil(header / 1e6)} MB`;
      return { path, what, details: { header }, memory: attachedCopies * header };
    }
    const { samples, memory } = promisedByMp4(bytes, () => turn.throwIfCancelled());
    const what = `the index of the ${samples} samples that it declares`;
    return { path, what, details: { samples }, memory };
  } catch (error) {
    if (!(error instanceof EmptyPromise)) throw error;
    const text = `${path}: it is damaged: it declares ${error.message}, more than fit in its ${size} bytes`;
    throw mediaErrors.NOT_MEDIA(text, { path });
  } finally {
    closeSync(file);
  }
}

function openForReading(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw cannotOpen(path, error as NodeJS.ErrnoException);
  }
}

// Estimates FFmpeg's memory for the header of a file in the MP4 family before FFmpeg opens it. FFmpeg
// allocates an entry for each sample that the header states, and a few bytes can state billions of samples.
// Other memory that a damaged header makes FFmpeg allocate is bounded by the process that probes files.

export interface Promised {
  /** Samples of all tracks and fragments. */
  readonly samples: number;
  /** Bytes of memory that FFmpeg takes for them. */
  readonly memory: number;
}

/** Raised for a header that promises more than the bytes of the file can hold. */
export class EmptyPromise extends Error {}

interface Box {
  readonly type: string;
  /** Where its contents begin and end in the file. */
  readonly start: number;
  readonly end: number;
}

/** Boxes on the way to the tables of samples (ISO/IEC 14496-12, QuickTime). */
const holders = 'moov trak mdia minf stbl edts moof traf'.split(' ');
/** Bytes of FFmpeg's memory for a sample. Measured with FFmpeg 8.1. */
const sampleBytes = 36;

/**
 * `checkpoint`: called between boxes; may throw. Throws EmptyPromise. A file of another kind promises
 * nothing, as does one that is cut off before its header.
 */
export function promisedByMp4(bytes: FileBytes, checkpoint: () => void): Promised {
  let [samples, memory] = [0, 0];
  const readTrack = (box: Box) => {
    const boxes = new Map([...leaves(bytes, box, checkpoint)].map((leaf) => [leaf.type, leaf]));
    const count = statedSamples(bytes, boxes);
    samples += count;
    // An edit list makes FFmpeg keep the samples that it shows once more.
    memory += count * sampleBytes * (boxes.has('elst') ? 2 : 1);
  };
  for (const box of boxesBetween(bytes, 0, bytes.size)) {
    checkpoint();
    if (box.type !== 'moov' && box.type !== 'moof') continue;
    for (const part of boxesBetween(bytes, box.start, box.end)) {
      if (part.type === 'trak') readTrack(part);
      if (part.type !== 'traf') continue;
      for (const leaf of leaves(bytes, part, checkpoint)) {
        if (leaf.type !== 'trun') continue;
        // Each sample of a fragment has a byte at least.
        const count = fits(bytes, leaf.type, bytes.uint(leaf.start + 4), 1);
        samples += count;
        memory += count * sampleBytes;
      }
    }
  }
  return { samples, memory };
}

function statedSamples(bytes: FileBytes, boxes: ReadonlyMap<string, Box>): number {
  const [sizes, compact] = [boxes.get('stsz'), boxes.get('stz2')];
  if (compact) {
    const bits = bytes.uint(compact.start + 7, 1);
    return fits(bytes, 'stz2', bytes.uint(compact.start + 8), bits / 8);
  }
  if (!sizes) return 0;
  const count = bytes.uint(sizes.start + 8);
  const isOneSize = bytes.uint(sizes.start + 4) > 0;
  // FFmpeg makes one entry of many samples where each lasts one tick and is sound.
  if (isOneSize && isPlainSound(bytes, boxes)) return 0;
  return fits(bytes, isOneSize ? 'samples of one size (stsz)' : 'stsz', count, isOneSize ? 1 : 4);
}

function isPlainSound(bytes: FileBytes, boxes: ReadonlyMap<string, Box>): boolean {
  const [handler, times] = [boxes.get('hdlr'), boxes.get('stts')];
  if (!handler || !times) return false;
  const isSound = bytes.at(handler.start + 8, 4).toString('latin1') === 'soun';
  return isSound && bytes.uint(times.start + 4) === 1 && bytes.uint(times.start + 12) === 1;
}

/** The count, where the file has so many bytes for each. */
function fits({ size }: FileBytes, what: string, count: number, bytesEach: number): number {
  if (count * bytesEach <= size) return count;
  throw new EmptyPromise(what.includes(' ') ? `${count} ${what}` : `${count} entries (${what})`);
}

/** The boxes in this one that hold no others. */
function* leaves(bytes: FileBytes, { start, end }: Box, checkpoint: () => void): Generator<Box> {
  for (const box of boxesBetween(bytes, start, end)) {
    checkpoint();
    if (holders.includes(box.type)) yield* leaves(bytes, box, checkpoint);
    else yield box;
  }
}

/**
 * The boxes that follow each other between two places, found where FFmpeg finds them: it takes a box that is
 * longer than what holds it for one that ends there.
 */
function* boxesBetween(bytes: FileBytes, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const type = bytes.at(at + 4, 4).toString('latin1');
    const short = bytes.uint(at);
    const isWide = short === 1 && at + 16 <= to;
    const size = isWide ? bytes.uint64(at + 8) : short === 0 ? to - at : short;
    const head = isWide ? 16 : 8;
    if (size < head) return;
    const end = Math.min(at + size, to);
    yield { type, start: at + head, end };
    at = end;
  }
}

// Measures the parts of a Matroska or WebM file that FFmpeg reads to open it: everything before the first
// cluster, and what the index of the file names behind it (RFC 9559), attached fonts and pictures among them.

const ids = { ebml: 0x1a45dfa3, segment: 0x18538067, cluster: 0x1f43b675, seekHead: 0x114d9b74 };
const seekIds = { seek: 0x4dbb, position: 0x53ac };
/** Elements looked at in one file, at most. */
const mostElements = 1000;

interface Element {
  readonly id: number;
  readonly start: number;
  /** Where the next one begins; the end of the file where the length is unknown. */
  readonly end: number;
}

export function isMatroska(bytes: FileBytes): boolean {
  return bytes.uint(0) === ids.ebml;
}

export function matroskaHeaderBytes(bytes: FileBytes): number {
  const segment = elements(bytes, 0, bytes.size).find(({ id }) => id === ids.segment);
  if (!segment) return 0;
  const read = new Map<number, number>();
  const count = ({ start, end }: Element) => read.set(start, end - start);
  for (const element of elements(bytes, segment.start, segment.end, ids.cluster)) {
    count(element);
    if (element.id !== ids.seekHead) continue;
    for (const position of seekPositions(bytes, element)) {
      const [named] = elements(bytes, segment.start + position, segment.end, ids.cluster, 1);
      if (named) count(named);
    }
  }
  return [...read.values()].reduce((sum, length) => sum + length, 0);
}

/** Bytes from the start of the segment. */
function seekPositions(bytes: FileBytes, { start, end }: Element): number[] {
  return elements(bytes, start, end)
    .filter(({ id }) => id === seekIds.seek)
    .flatMap((seek) => elements(bytes, seek.start, seek.end))
    .filter(({ id }) => id === seekIds.position)
    .map((position) => numberAt(bytes, position.start, Math.min(8, position.end - position.start)));
}

/** Elements between two places, up to the first one of the id `until`. */
function elements(bytes: FileBytes, from: number, to: number, until = 0, most = mostElements): Element[] {
  const siblings: Element[] = [];
  for (let at = from; at < to && siblings.length < most; ) {
    const idLength = lengthAt(bytes, at);
    const sizeLength = lengthAt(bytes, at + idLength);
    if (idLength === 0 || idLength > 4 || sizeLength === 0) break;
    const id = bytes.uint(at, idLength);
    const start = at + idLength + sizeLength;
    const size = numberAt(bytes, at + idLength, sizeLength, 0xff >> sizeLength);
    if (id === until) break;
    // All bits set: the length was not known when the file was written.
    at = size === 2 ** (7 * sizeLength) - 1 ? to : Math.min(to, start + size);
    siblings.push({ id, start, end: at });
  }
  return siblings;
}

/** Bytes of a number whose first byte begins with as many zeros, less one; 0 for none. */
function lengthAt(bytes: FileBytes, at: number): number {
  const first = bytes.uint(at, 1);
  return first === 0 ? 0 : Math.clz32(first) - 23;
}

/** `firstBits`: those of the first byte that belong to the number. */
function numberAt(bytes: FileBytes, at: number, length: number, firstBits = 0xff): number {
  let value = bytes.uint(at, 1) & firstBits;
  for (let i = 1; i < length; i++) value = value * 256 + bytes.uint(at + i, 1);
  return value;
}

// Bytes of an open file, read as they are asked for: what is small and near is read once.

/** Bytes of one read at least, since boxes are small and stand side by side. */
const blockLength = 4096;

export class FileBytes {
  readonly size: number;
  readonly #readAt: (bytes: Buffer, position: number) => number;
  #block = Buffer.alloc(0);
  #blockAt = 0;

  /** `readAt` fills a buffer from a position of the file and answers how many bytes there were. */
  constructor(size: number, readAt: (bytes: Buffer, position: number) => number) {
    this.size = size;
    this.#readAt = readAt;
  }

  /** These bytes, *borrowed until the next call*; fewer where the file ends. */
  at(position: number, length: number): Buffer {
    const end = Math.min(position + length, this.size);
    if (position < this.#blockAt || end > this.#blockAt + this.#block.length) {
      const block = Buffer.alloc(Math.max(0, Math.min(Math.max(length, blockLength), this.size - position)));
      this.#block = block.subarray(0, this.#readAt(block, position));
      this.#blockAt = position;
    }
    const from = position - this.#blockAt;
    return this.#block.subarray(from, Math.max(from, end - this.#blockAt));
  }

  /** An unsigned number of 1 to 4 bytes, big end first; 0 where the file ends. */
  uint(position: number, length = 4): number {
    const bytes = this.at(position, length);
    return bytes.length < length ? 0 : bytes.readUIntBE(0, length);
  }

  uint64(position: number): number {
    return this.uint(position) * 2 ** 32 + this.uint(position + 4);
  }
}
