// FFmpeg's memory for one track of a file in the MP4 family: an entry for each sample that the tables of the
// track promise, whether the file has bytes for it or not.
import { addTo } from '../../../../runtime/lists.ts';

/**
 * Bytes of FFmpeg's memory for a sample: its place in the file, and when it is decoded and shown. Measured
 * with FFmpeg 8.1.
 */
export const sampleBytes = 36;
/** FFmpeg makes no more entries for a track. */
export const mostEntries = Math.floor((2 ** 32 - 1) / 24);
/** Samples around an edit that are kept beside those it shows, beyond the keyframes around it. */
const aroundEdit = 16;

/** The number of rows in a table, and where they begin. */
export interface Table {
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

export class Track {
  readonly #bytes: FileBytes;
  readonly #tables = new Map<string, Table[]>();
  #handler = '';
  /** Ticks per second. */
  #timescale = 0;
  /** Samples that are promised without a byte for each, and with one. */
  #alike = 0;
  #sized = 0;
  /** Samples of sound in one entry of memory, at least, where FFmpeg makes one of many. */
  #soundPiece = 1024;

  constructor(bytes: FileBytes) {
    this.#bytes = bytes;
  }

  handler({ start }: Box) {
    // A second one is odd enough to expect the worst of.
    this.#handler = this.#handler === '' ? this.#bytes.at(start + 8, 4).toString('latin1') : 'several';
  }

  mediaHeader(box: Box) {
    this.#timescale = timescaleOf(this.#bytes, box);
  }

  sampleSizes({ start }: Box, count: number, isCompact: boolean) {
    if (!isCompact && this.#bytes.uint(start + 4) > 0) this.#alike += count;
    else this.#sized += count;
  }

  table(type: string, table: Table) {
    addTo(this.#tables, type, table);
  }

  /**
   * Descriptions of sound say how many samples are coded together (QuickTime File Format, sound sample
   * description).
   */
  sampleDescriptions({ start }: Box) {
    const together = this.#bytes.uint(start + 24, 2) === 1 ? this.#bytes.uint(start + 44) : 1;
    const isGsm = this.#bytes.at(start + 12, 4).toString('latin1') === 'agsm';
    if (this.#bytes.uint(start + 4) !== 1 || isGsm || together >= 160) this.#soundPiece = 160;
    else if (together > 1) this.#soundPiece = 512;
  }

  /** Samples of one size, which take no byte of the header each. */
  get alikeSamples(): number {
    return this.#isPieces ? this.#pieces() : this.#alike;
  }

  get samples(): number {
    return this.#isPieces ? this.#pieces() : Math.min(mostEntries, this.#alike + this.#sized);
  }

  /** `movieTimescale`: of the durations of edits. */
  memory(movieTimescale: number): number {
    const kept = this.samples + this.#edited(movieTimescale);
    return kept * sampleBytes + this.#groupedMemory();
  }

  /** FFmpeg makes one entry of many samples where each lasts one tick and is sound. */
  get #isPieces(): boolean {
    const times = this.#tables.get('stts') ?? [];
    const [table] = times;
    return (
      this.#handler === 'soun' &&
      times.length === 1 &&
      table!.count === 1 &&
      this.#bytes.uint(table!.start + 4) === 1
    );
  }

  #pieces(): number {
    const chunks = this.#count('stco') + this.#count('co64');
    let pieces = 0;
    let before: readonly number[] | null = null;
    const add = (row: readonly number[], until: number) => {
      pieces += Math.max(0, until - row[0]!) * Math.ceil(row[1]! / this.#soundPiece);
    };
    for (const row of this.#rows('stsc', 3)) {
      if (before) add(before, row[0]!);
      before = row;
    }
    if (before) add(before, chunks + 1);
    return Math.min(mostEntries, pieces);
  }

  /** Samples that are kept once more because of edits; each edit has its own. */
  #edited(movieTimescale: number): number {
    const edits = this.#tables.get('elst') ?? [];
    const { samples } = this;
    const count = edits.reduce((sum, table) => sum + table.count, 0);
    if (count <= 1) return count * samples;
    const gap = 3 * this.#keyframeGap() + aroundEdit;
    const tick = this.#shortest();
    let kept = 0;
    for (const table of edits) {
      const isWide = this.#bytes.uint(table.start - 8, 1) === 1;
      for (let i = 0; i < table.count; i++) {
        const at = table.start + i * (isWide ? 20 : 12);
        const duration = isWide ? this.#bytes.uint64(at) : this.#bytes.uint(at);
        const shown = movieTimescale > 0 ? (duration / movieTimescale) * this.#timescale : 0;
        kept += Math.min(samples, tick > 0 ? Math.ceil(shown / tick) + gap : samples);
        if (kept > mostEntries) return mostEntries;
      }
    }
    return kept;
  }

  /** Ticks of the shortest sample; 0 where one has none. */
  #shortest(): number {
    let shortest = Infinity;
    for (const [, ticks] of this.#rows('stts', 2)) shortest = Math.min(shortest, ticks!);
    return Number.isFinite(shortest) ? shortest : 0;
  }

  /** Most samples from one keyframe to the next. */
  #keyframeGap(): number {
    const tables = this.#tables.get('stss');
    if (!tables || this.#handler === 'soun') return 1;
    let gap = 0;
    let before = 1;
    for (const [keyframe] of this.#rows('stss', 1)) {
      gap = Math.max(gap, keyframe! - before);
      before = keyframe!;
    }
    return Math.max(gap, this.samples + 1 - before);
  }

  /**
   * For files with groups of keyframes FFmpeg expands the composition time of each sample, and each sample of
   * a group.
   */
  #groupedMemory(): number {
    if (!this.#tables.has('sbgp')) return 0;
    const times = this.#runs('ctts');
    return 4 * (times + this.#runs('sbgp'));
  }

  /** Rows that hold a number of samples first. */
  #runs(type: string): number {
    let sum = 0;
    for (const [count] of this.#rows(type, 2)) sum = Math.min(2 ** 31, sum + count!);
    return sum;
  }

  *#rows(type: string, numbers: number): Generator<number[]> {
    for (const { start, end, count } of this.#tables.get(type) ?? [])
      yield* rows(this.#bytes, start, { count, numbers, end });
  }

  #count(type: string): number {
    return (this.#tables.get(type) ?? []).reduce((sum, table) => sum + table.count, 0);
  }
}

/** Timescale in the header of a movie or of the media of a track. */
export function timescaleOf(bytes: FileBytes, { start }: Box): number {
  return bytes.uint(start + (bytes.uint(start, 1) === 1 ? 20 : 12));
}

// The boxes of a file in the MP4 family (ISO/IEC 14496-12, QuickTime), found where FFmpeg finds them: it
// takes a box that is longer than what holds it for one that ends there.

export interface Box {
  readonly type: string;
  /** Where its contents begin and end in the file. */
  readonly start: number;
  readonly end: number;
}

/** The boxes that follow each other between two places. */
export function* boxesBetween(bytes: FileBytes, from: number, to: number): Generator<Box> {
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

/** Rows of numbers of 4 bytes that follow each other, as many as are promised and there. */
function* rows(
  bytes: FileBytes,
  start: number,
  { count, numbers, end }: { readonly count: number; readonly numbers: number; readonly end: number },
): Generator<number[]> {
  for (let row = 0, at = start; row < count && at + 4 * numbers <= end; row++, at += 4 * numbers)
    yield Array.from({ length: numbers }, (_, i) => bytes.uint(at + 4 * i));
}

// Bytes of an open file, or of a part of it in memory, read as they are asked for: what is small and near is
// read once.

/** One read brings so much, since boxes are small and stand side by side. */
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

  static inMemory(bytes: Buffer): FileBytes {
    return new FileBytes(bytes.length, (into, position) => {
      const part = bytes.subarray(position, position + into.length);
      into.set(part);
      return part.length;
    });
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

  /** An unsigned number of 8 bytes. */
  uint64(position: number): number {
    return this.uint(position) * 2 ** 32 + this.uint(position + 4);
  }
}
