// Rows in WebAssembly memory, in segments of bounded size: one memory addresses 4 GB at most, and growing
// many small ones never copies. Row numbers are global: segment × rows of a segment + row in it.
import { availableParallelism } from 'node:os';
import { noteDropped } from '../../../runtime/heap.ts';
import { type CellLayout, Cells, layoutOf, tileRows } from './cells.ts';
import { type CoarseQuery, coarseQuery, paddedLength, quantize, scoreError8, stride8 } from './quantize.ts';
import { mostThreads, ScanThreads } from './scan-threads.ts';

const pageBytes = 65536;
const defaultSegmentBytes = 1 << 30;
/** Bytes behind the last row that the kernel may read. */
const readBehind = 64;

/** A query as the kernel takes it. */
interface Query {
  readonly values: Int16Array;
  readonly scale: number;
  /** Error of scores, as a multiple of the scale of the row. */
  readonly error: number;
  /** For the first look at each row. */
  readonly coarse: CoarseQuery;
}

interface Segment {
  readonly memory: WebAssembly.Memory;
  used: number;
}

export class RowBank {
  readonly dimensions: number;
  readonly layout: CellLayout;
  /** Cells that this thread scores. */
  readonly cells: Cells;
  /** Threads that help it. */
  readonly threads: ScanThreads;
  /** The largest value of a query with which no product of rows overflows 32 bits. */
  readonly #mostOfQuery: number;
  readonly #segments: Segment[] = [];
  #queries: readonly Query[] = [];
  #expected = 0;
  readonly #free: FreeRows;

  /** `segmentBytes`: of the rows of a segment. `threads`: that score rows at the same time, at most. */
  constructor(
    dimensions: number,
    segmentBytes = defaultSegmentBytes,
    threads = Math.min(mostThreads, availableParallelism()),
  ) {
    this.dimensions = dimensions;
    const [padded, stride] = [paddedLength(dimensions), stride8(dimensions)];
    this.layout = layoutOf(padded, stride, segmentBytes / stride, threads);
    this.cells = new Cells(this.layout, 0);
    this.threads = new ScanThreads(this.layout, threads - 1);
    this.#mostOfQuery = Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * padded)));
    this.#free = new FreeRows(this.segmentRows);
  }

  get stride(): number {
    return this.layout.stride;
  }

  /** Rows of a full segment. */
  get segmentRows(): number {
    return this.layout.segmentRows;
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
    // Tiles are scored whole.
    const whole = (rows: number) => Math.ceil(rows / tileRows) * tileRows;
    const bytesOf = (rows: number) => this.layout.rowsAt + whole(rows) * this.stride + readBehind;
    if (bytesOf(last.used) > last.memory.buffer.byteLength) {
      const ahead = Math.max(0, Math.min(this.#expected - given, this.segmentRows - last.used));
      const missing = bytesOf(last.used + ahead) - last.memory.buffer.byteLength;
      last.memory.grow(Math.ceil(missing / pageBytes));
    }
    this.#expected = Math.max(0, this.#expected - given);
    return { row, count: given };
  }

  #grow(): Segment {
    const { rowsAt } = this.layout;
    const memory = new WebAssembly.Memory({
      initial: Math.ceil(rowsAt / pageBytes),
      maximum: Math.ceil((rowsAt + this.segmentRows * this.stride + readBehind) / pageBytes),
      shared: true,
    });
    const segment = { memory, used: 0 };
    this.#segments.push(segment);
    this.cells.addSegment(memory);
    this.threads.addSegment(memory);
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

  /** The bytes of rows of one segment. *Borrowed*. */
  bytes(row: number, count: number): Uint8Array {
    const segment = this.#segments[Math.floor(row / this.segmentRows)]!;
    const at = this.layout.rowsAt + (row % this.segmentRows) * this.stride;
    return new Uint8Array(segment.memory.buffer, at, count * this.stride);
  }

  /** Rows of one segment, as `write` leaves them in the bytes that it is given. */
  fill<T>(row: number, count: number, write: (bytes: Uint8Array) => T): T {
    const written = write(this.bytes(row, count));
    this.cells.weigh(row, count);
    return written;
  }

  /** Sets the vectors that rows are scored by. `queries`: d each, at most `maxQueries`. *Copied*. */
  setQueries(queries: readonly Float32Array[]): void {
    this.#queries = queries.map((query) => {
      const values = new Int16Array(this.layout.padded);
      const scale = quantize(query, values, this.#mostOfQuery);
      return { values, scale, error: scoreError8(query, scale), coarse: coarseQuery(query) };
    });
    for (const segment of this.#segments) this.#writeQueries(segment);
  }

  #writeQueries({ memory: { buffer } }: Segment): void {
    const { padded, queryBytes, coarseAt, coarseFactsAt } = this.layout;
    for (const [i, { values, scale, error, coarse }] of this.#queries.entries()) {
      const at = i * queryBytes;
      new Int16Array(buffer, at, padded).set(values);
      new Float32Array(buffer, at + padded * 2, 2).set([scale, error]);
      new Uint8Array(buffer, at + coarseAt, coarseFactsAt - coarseAt).fill(0).set(coarse.values);
      new Float32Array(buffer, at + coarseFactsAt, 3).set([coarse.scale, coarse.error, coarse.lost]);
    }
  }

  /** Ends its threads; it can still be read, by whoever still holds it. */
  async close(): Promise<void> {
    await this.threads.close();
    noteDropped(this.memoryBytes);
  }

  /** Bytes of memory that it holds. */
  get memoryBytes(): number {
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
    const rowCount = Math.min(count, last.count);
    this.count -= rowCount;
    if (rowCount < last.count) this.#ranges.push({ row: last.row, count: last.count - rowCount });
    return { row: last.row + last.count - rowCount, count: rowCount };
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

  #touch(range: Range, nextRange: Range): boolean {
    const segment = ({ row }: Range) => Math.floor(row / this.#segmentRows);
    return range.row + range.count === nextRange.row && segment(range) === segment(nextRange);
  }
}
