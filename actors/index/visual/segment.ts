// Rows in WebAssembly memory, in segments of bounded size: one memory addresses 4 GB at most, and growing
// many small ones never copies. Row numbers are global: segment × rows of a segment + row in it.
import { type Kernel, kernelOver } from './kernel.ts';
import { paddedLength, quantize, scoreError8, stride8 } from './quantize.ts';

const pageBytes = 65536;
/** Rows scored at a time; their scores stay in the nearest cache. */
export const blockRows = 4096;
/** Query vectors that can be held at once: the readings to rank by and those to exclude. */
export const maxQueries = 64;
/** Readings of one picture. */
export const mostReadings = 12;
const defaultSegmentBytes = 1 << 30;

/**
 * Which score a scan gives: 0 that of the 8-bit row, 1 one that the exact score is not above, -1 one that it
 * is not below.
 */
export type Bound = -1 | 0 | 1;

/** A query as the kernel takes it. */
interface Query {
  readonly values: Int16Array;
  readonly scale: number;
  /** Of scores, as a multiple of the scale of the row. */
  readonly error: number;
}

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
  readonly #oneAt: number;
  readonly #rowsAt: number;
  /** The largest value of a query with which no product of rows overflows 32 bits. */
  readonly #mostOfQuery: number;
  readonly #segments: Segment[] = [];
  #queries: readonly Query[] = [];
  #expected = 0;
  readonly #free: FreeRows;

  constructor(dimensions: number, segmentBytes = defaultSegmentBytes) {
    this.dimensions = dimensions;
    this.#padded = paddedLength(dimensions);
    this.stride = stride8(dimensions);
    this.#mostOfQuery = Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * this.#padded)));
    // Scores of a block, the queries, the indices of the scores that stand out, the score of one row, and
    // then the rows.
    this.#hitsAt = blockRows * 4 + maxQueries * this.#padded * 2;
    this.#oneAt = this.#hitsAt + blockRows * 4;
    this.#rowsAt = this.#oneAt + 16;
    this.segmentRows = Math.max(1, Math.floor((segmentBytes - this.#rowsAt) / this.stride));
    this.#free = new FreeRows(this.segmentRows);
  }

  /**
   * Says how many rows will be allocated next, so that memory grows once: every growth costs as much as
   * reading 4 MB.
   */
  expect(rows: number): void {
    this.#expected = rows;
  }

  /** Rows that the next `allocate` gives at most. */
  get next(): number {
    return this.#free.next || this.segmentRows;
  }

  /**
   * Room for up to `count` rows in one segment: the first row and how many it really is. The rows hold
   * nothing yet.
   */
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

  /**
   * The bytes of rows of one segment, to be filled or read. *Borrowed until the next `allocate`*, which may
   * move them.
   */
  bytes(row: number, count: number): Uint8Array {
    const segment = this.#segments[this.segmentOf(row)] as Segment;
    const at = this.#rowsAt + (row % this.segmentRows) * this.stride;
    return new Uint8Array(segment.memory.buffer, at, count * this.stride);
  }

  /** Sets the vectors that `scan` scores against. `queries`: d each, at most `maxQueries`. *Copied*. */
  setQueries(queries: readonly Float32Array[]): void {
    this.#queries = queries.map((query) => {
      const values = new Int16Array(this.#padded);
      const scale = quantize(query, values, this.#mostOfQuery);
      return { values, scale, error: scoreError8(query, scale) };
    });
    for (const segment of this.#segments) this.#writeQueries(segment);
  }

  #writeQueries(segment: Segment): void {
    const bytes = new Int16Array(segment.memory.buffer, blockRows * 4, maxQueries * this.#padded);
    for (const [i, { values }] of this.#queries.entries()) bytes.set(values, i * this.#padded);
  }

  /**
   * Scores of rows of one segment, at most `blockRows`, against query `query`. *Borrowed until the next
   * `scan`*.
   */
  scan(row: number, count: number, query: number, bound: Bound): Float32Array {
    return new Float32Array(this.#scan(row, count, query, bound, 0), 0, count);
  }

  /** The same of one row; leaves what was scanned before as it is. */
  one(row: number, query: number, bound: Bound): number {
    return new Float32Array(this.#scan(row, 1, query, bound, this.#oneAt), this.#oneAt, 1)[0] as number;
  }

  #scan(row: number, count: number, query: number, bound: Bound, out: number): ArrayBuffer {
    const { kernel, memory } = this.#segments[this.segmentOf(row)] as Segment;
    const { scale, error } = this.#queries[query] as Query;
    const rows = this.#rowsAt + (row % this.segmentRows) * this.stride;
    const queryAt = blockRows * 4 + query * this.#padded * 2;
    kernel.scan(rows, count, this.stride, this.#padded, queryAt, out, scale, bound * error);
    return memory.buffer;
  }

  /**
   * Indices of the scores that reach `least`, among those of the last `scan`, which was of this row; and of
   * some that fall short of it by less than a millionth. *Borrowed until the next `scan`*.
   */
  reaching(row: number, count: number, least: number): Int32Array {
    const { kernel, memory } = this.#segments[this.segmentOf(row)] as Segment;
    // The kernel takes a float32, and tells what is above it.
    const below = least - Math.abs(least) * 2 ** -21 - 2 ** -126;
    const hits = kernel.above(0, count, below, this.#hitsAt);
    return new Int32Array(memory.buffer, this.#hitsAt, hits);
  }

  /** Bytes of memory held. */
  get held(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.memory.buffer.byteLength, 0);
  }
}

// Rows in memory that were given back, so that vectors that are analysed again take the place of the old
// ones.

interface Range {
  readonly row: number;
  readonly count: number;
}

class FreeRows {
  readonly #segmentRows: number;
  /** Ascending; neighbours in one segment are one. */
  readonly #ranges: Range[] = [];
  count = 0;

  /** No range goes across a multiple of `segmentRows`. */
  constructor(segmentRows: number) {
    this.#segmentRows = segmentRows;
  }

  /** Rows that the next `take` gives at most; 0 when there are none. */
  get next(): number {
    return this.#ranges.at(-1)?.count ?? 0;
  }

  /** Up to `count` rows that follow each other; null when there are none. */
  take(count: number): Range | null {
    const last = this.#ranges.pop();
    if (last === undefined) return null;
    const taken = Math.min(count, last.count);
    this.count -= taken;
    if (taken < last.count) this.#ranges.push({ row: last.row, count: last.count - taken });
    return { row: last.row + last.count - taken, count: taken };
  }

  /** `given` lies in one segment, and none of it is free. */
  give(given: Range): void {
    if (given.count === 0) return;
    this.count += given.count;
    const at = this.#behind(given.row);
    const [before, after] = [this.#ranges[at - 1], this.#ranges[at]];
    const parts = [given];
    if (before !== undefined && this.#touch(before, given)) parts.unshift(before);
    if (after !== undefined && this.#touch(given, after)) parts.push(after);
    const joined = {
      row: (parts[0] as Range).row,
      count: parts.reduce((sum, { count }) => sum + count, 0),
    };
    this.#ranges.splice(at - (parts[0] === before ? 1 : 0), parts.length - 1, joined);
  }

  /** Index of the first range behind a row: there may be one for every still of a library. */
  #behind(row: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle] as Range).row > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #touch(one: Range, other: Range): boolean {
    const segment = ({ row }: Range) => Math.floor(row / this.#segmentRows);
    return one.row + one.count === other.row && segment(one) === segment(other);
  }
}
