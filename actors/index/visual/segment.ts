// Rows in WebAssembly memory, in segments of bounded size: one memory addresses 4 GB at most, and growing many small
// ones never copies. Row numbers are global: segment × rows of a segment + row in it.
import { FreeRows } from './free-rows.ts';
import { type Kernel, kernelOver } from './kernel.ts';
import { paddedLength, quantize8, stride8 } from './quantize.ts';

const pageBytes = 65536;
/** Rows scored at a time; their scores stay in the nearest cache. */
export const blockRows = 4096;
/** Query vectors that can be held at once: the readings to rank by and those to exclude. */
export const maxQueries = 64;
/** Readings of one picture. */
export const mostReadings = 12;
const defaultSegmentBytes = 1 << 30;

interface Segment {
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
  used: number;
}

export class RowBank {
  readonly dimensions: number;
  readonly stride: number;
  /** Rows of a full segment. */
  readonly segmentRows: number;
  readonly #padded: number;
  readonly #hitsAt: number;
  readonly #rowsAt: number;
  readonly #segments: Segment[] = [];
  readonly #scales: number[] = [];
  #queries: Int16Array[] = [];
  #expected = 0;
  readonly #free: FreeRows;

  constructor(dimensions: number, segmentBytes = defaultSegmentBytes) {
    this.dimensions = dimensions;
    this.#padded = paddedLength(dimensions);
    this.stride = stride8(dimensions);
    // Scores of a block, the queries, the indices of the scores that stand out, and then the rows.
    this.#hitsAt = blockRows * 4 + maxQueries * this.#padded * 2;
    this.#rowsAt = this.#hitsAt + blockRows * 4;
    this.segmentRows = Math.max(1, Math.floor((segmentBytes - this.#rowsAt) / this.stride));
    this.#free = new FreeRows(this.segmentRows);
  }

  /** Says how many rows will be allocated next, so that memory grows once: every growth costs as much as reading 4 MB. */
  expect(rows: number): void {
    this.#expected = rows;
  }

  /** Rows that the next `allocate` gives at most. */
  get next(): number {
    return this.#free.next || this.segmentRows;
  }

  /** Room for up to `count` rows in one segment: the first row and how many it really is. The rows hold nothing yet. */
  allocate(count: number): { row: number; count: number } {
    const free = this.#free.take(count);
    if (free === null) return this.#allocateAtEnd(count);
    this.#expected = Math.max(0, this.#expected - free.count);
    return free;
  }

  #allocateAtEnd(count: number): { row: number; count: number } {
    let last = this.#segments.at(-1);
    if (last === undefined || last.used === this.segmentRows) last = this.#grow();
    const row = (this.#segments.length - 1) * this.segmentRows + last.used;
    const given = Math.min(count, this.segmentRows - last.used);
    last.used += given;
    const missing = this.#rowsAt + last.used * this.stride - last.memory.buffer.byteLength;
    if (missing > 0) {
      const ahead = Math.max(0, Math.min(this.#expected - given, this.segmentRows - last.used));
      last.memory.grow(Math.ceil((missing + ahead * this.stride) / pageBytes));
    }
    this.#expected = Math.max(0, this.#expected - given);
    return { row, count: given };
  }

  #grow(): Segment {
    const memory = new WebAssembly.Memory({
      initial: Math.ceil(this.#rowsAt / pageBytes),
      maximum: 65536,
    });
    const segment = { memory, kernel: kernelOver(memory), used: 0 };
    this.#segments.push(segment);
    this.#writeQueries(segment);
    return segment;
  }

  /** Rows in use. */
  get rows(): number {
    const full = Math.max(0, this.#segments.length - 1) * this.segmentRows;
    return full + (this.#segments.at(-1)?.used ?? 0) - this.#free.count;
  }

  /** Gives rows of one segment back, for others to be written there. */
  release(row: number, count: number): void {
    this.#free.give({ row, count });
  }

  segmentOf(row: number): number {
    return Math.floor(row / this.segmentRows);
  }

  /** The bytes of rows of one segment, to be filled or read. *Borrowed until the next `allocate`*, which may move them. */
  bytes(row: number, count: number): Uint8Array {
    const segment = this.#segments[this.segmentOf(row)] as Segment;
    const at = this.#rowsAt + (row % this.segmentRows) * this.stride;
    return new Uint8Array(segment.memory.buffer, at, count * this.stride);
  }

  /** Sets the vectors that `scan` scores against. `queries`: d each, at most `maxQueries`. *Copied*. */
  setQueries(queries: readonly Float32Array[]): void {
    this.#scales.length = 0;
    this.#queries = queries.map((query) => {
      const values = new Int16Array(this.#padded);
      this.#scales.push(quantize8(query, values));
      return values;
    });
    for (const segment of this.#segments) this.#writeQueries(segment);
  }

  #writeQueries(segment: Segment): void {
    const bytes = new Int16Array(segment.memory.buffer, blockRows * 4, maxQueries * this.#padded);
    for (const [i, query] of this.#queries.entries()) bytes.set(query, i * this.#padded);
  }

  /** Scores of rows of one segment, at most `blockRows`, against query `query`. *Borrowed until the next `scan`*. */
  scan(row: number, count: number, query: number): Float32Array {
    const segment = this.#segments[this.segmentOf(row)] as Segment;
    segment.kernel.scan(
      this.#rowsAt + (row % this.segmentRows) * this.stride,
      count,
      this.stride,
      this.#padded,
      blockRows * 4 + query * this.#padded * 2,
      0,
      this.#scales[query] as number,
    );
    return new Float32Array(segment.memory.buffer, 0, count);
  }

  /** Indices of the scores above `least` among those of the last `scan`, which was of this row. *Borrowed until the next `scan`*. */
  above(row: number, count: number, least: number): Int32Array {
    const { kernel, memory } = this.#segments[this.segmentOf(row)] as Segment;
    const hits = kernel.above(0, count, least, this.#hitsAt);
    return new Int32Array(memory.buffer, this.#hitsAt, hits);
  }

  /** Bytes of memory held. */
  get held(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.memory.buffer.byteLength, 0);
  }
}
