// Work of one thread in a pass over the rows: it scores cells of them at 8 bits, by all queries that want
// them, and reports the rows that can be in an answer. The rows, the queries and the output of the kernel are
// in the same shared memory, in which each thread has its own part for output.
import { kernelOver, type ScanKernel } from './kernel.ts';

/** Rows that are asked for or not together. */
export const tileRows = 32;
/** Rows that are scored by one question after the other while they are in the nearest caches. */
export const cellRows = 1024;
const cellTiles = cellRows / tileRows;
/** Query vectors that can be held at once: the readings to rank by and those to exclude. */
export const maxQueries = 64;
/** Queries whose scores of a cell are held at once. */
const mostLanes = 16;

/** Where everything lies in each memory. */
export interface CellLayout {
  readonly padded: number;
  readonly stride: number;
  /** Rows of a memory, whole cells. */
  readonly segmentRows: number;
  /** Bytes from one query to the next: its values of 16 bits and facts, then those of 7 bits. */
  readonly queryBytes: number;
  /** Bytes from the start of a query to its values of 7 bits, and to the facts behind them. */
  readonly coarseAt: number;
  readonly coarseFactsAt: number;
  readonly rowsAt: number;
}

/** The scores of the queries in hand, the indices of those that stand out, and the score of one row. */
const ownBytes = mostLanes * cellRows * 4 + cellRows * 4 + 16;

/** `rows`: those that a memory holds at least. */
export function layoutOf(padded: number, stride: number, rows: number, threads: number): CellLayout {
  const coarseAt = padded * 2 + 16;
  const coarseFactsAt = coarseAt + Math.ceil(padded / 64) * 64;
  const queryBytes = coarseFactsAt + 16;
  const segmentRows = Math.max(1, Math.floor(rows / cellRows)) * cellRows;
  const rowsAt = maxQueries * queryBytes + threads * ownBytes;
  return { padded, stride, segmentRows, queryBytes, coarseAt, coarseFactsAt, rowsAt };
}

/** Queries of a pass, in shared memory. */
export interface Pass {
  readonly firstCell: number;
  /** Bit mask of each tile from the first cell on: one bit for each query that wants it. */
  readonly tiles: Uint16Array;
  /** The queries of each: so many from that one on, of which the nearest counts. */
  readonly questions: readonly { readonly query: number; readonly lanes: number }[];
  /**
   * Score above which a row matters to a query, as the bits of a float32; it rises while rows are scored.
   * Only integers are read atomically while another thread writes them.
   */
  readonly least: Int32Array;
}

/** Cells from the first one on. */
export function passCells({ tiles }: Pass): number {
  return tiles.length / cellTiles;
}

const floatBits = new Float32Array(1);
const intBits = new Int32Array(floatBits.buffer);

/**
 * Rows of a question matter no more that do not reach `least`. The kernel takes a float32 and tells what is
 * above it: that is less by less than a millionth.
 */
export function requireLeast({ least: all }: Pass, question: number, least: number): void {
  floatBits[0] = least - Math.abs(least) * 2 ** -21 - 2 ** -126;
  Atomics.store(all, question, intBits[0]!);
}

function leastOf({ least }: Pass, question: number): number {
  intBits[0] = Atomics.load(least, question);
  return floatBits[0]!;
}

/** `score`: the exact one by the queries of the question is not above it. */
export type HitSink = (question: number, row: number, score: number) => void;

interface Segment {
  readonly kernel: ScanKernel;
  /** View of the part before the rows, which stays in place when the memory grows. */
  readonly ints: Int32Array;
  readonly floats: Float32Array;
}

/** Questions whose queries fit into a thread's part of memory together. */
interface Chunk {
  readonly queries: number[];
  readonly questions: { readonly question: number; readonly lane: number; readonly lanes: number }[];
}

/**
 * Which score a scan gives: 0 that of the 8-bit row, 1 one that the exact score is not above, -1 one that it
 * is not below.
 */
export type BoundKind = -1 | 0 | 1;

export class Cells {
  readonly #layout: CellLayout;
  readonly #scoresAt: number;
  readonly #hitsAt: number;
  readonly #oneAt: number;
  readonly #segments: Segment[] = [];
  #pass: Pass | null = null;
  /** Chunks of the tiles of the pass with these bits. */
  readonly #chunks = new Map<number, readonly Chunk[]>();

  /** `thread`: each has another number below the `threads` of the layout. */
  constructor(layout: CellLayout, thread: number) {
    this.#layout = layout;
    this.#scoresAt = maxQueries * layout.queryBytes + thread * ownBytes;
    this.#hitsAt = this.#scoresAt + mostLanes * cellRows * 4;
    this.#oneAt = this.#hitsAt + cellRows * 4;
  }

  /** In the order of their rows. */
  addSegment(memory: WebAssembly.Memory): void {
    const { buffer } = memory;
    const { rowsAt } = this.#layout;
    this.#segments.push({
      kernel: kernelOver(memory),
      ints: new Int32Array(buffer, 0, rowsAt / 4),
      floats: new Float32Array(buffer, 0, rowsAt / 4),
    });
  }

  /** Called once rows of one segment are written, before they are scored. */
  weigh(row: number, count: number): void {
    const { padded, stride } = this.#layout;
    this.#segmentOf(row).kernel.weigh(this.#at(row), count, stride, padded);
  }

  begin(pass: Pass): void {
    this.#pass = pass;
    this.#chunks.clear();
  }

  /** One cell of the pass. */
  scan(cell: number, hit: HitSink): void {
    const { tiles, firstCell } = this.#pass!;
    const from = (cell - firstCell) * cellTiles;
    for (let tile = 0; tile < cellTiles; ) {
      const asking = tiles[from + tile]!;
      let end = tile + 1;
      while (end < cellTiles && tiles[from + end] === asking) end++;
      if (asking !== 0) this.#rows(asking, cell * cellRows + tile * tileRows, (end - tile) * tileRows, hit);
      tile = end;
    }
  }

  #rows(asking: number, row: number, count: number, hit: HitSink): void {
    const pass = this.#pass!;
    const { kernel, ints } = this.#segmentOf(row);
    for (const { queries, questions } of this.#chunksOf(asking)) {
      this.#score(queries, row, count);
      for (const { question, lane, lanes } of questions) {
        const scores = this.#lane(lane);
        for (let otherLane = 1; otherLane < lanes; otherLane++)
          kernel.larger(scores, this.#lane(lane + otherLane), count);
        const least = leastOf(pass, question);
        const hits = kernel.above(scores, count, least, this.#hitsAt);
        for (let i = 0; i < hits; i++) {
          const at = row + ints[this.#hitsAt / 4 + i]!;
          const score = this.#largest(at, queries, lane, lanes);
          if (score > least) hit(question, at, score);
        }
      }
    }
  }

  /** Upper bound of every exact score of a row by some of the queries. */
  #largest(row: number, queries: readonly number[], lane: number, lanes: number): number {
    let largest = this.one(row, queries[lane]!, 1);
    for (let otherLane = 1; otherLane < lanes; otherLane++)
      largest = Math.max(largest, this.one(row, queries[lane + otherLane]!, 1));
    return largest;
  }

  #chunksOf(asking: number): readonly Chunk[] {
    const cachedChunks = this.#chunks.get(asking);
    if (cachedChunks !== undefined) return cachedChunks;
    const chunks: Chunk[] = [];
    for (const [question, { query, lanes }] of this.#pass!.questions.entries()) {
      if ((asking & (1 << question)) === 0) continue;
      let last = chunks.at(-1);
      if (last === undefined || last.queries.length + lanes > mostLanes) {
        last = { queries: [], questions: [] };
        chunks.push(last);
      }
      last.questions.push({ question, lane: last.queries.length, lanes });
      for (let lane = 0; lane < lanes; lane++) last.queries.push(query + lane);
    }
    this.#chunks.set(asking, chunks);
    return chunks;
  }

  /** Scores by 7 bits. Four queries at a time; one or two remaining ones are cheaper one after the other. */
  #score(queries: readonly number[], row: number, count: number): void {
    const { padded, stride, queryBytes, coarseAt } = this.#layout;
    const { kernel } = this.#segmentOf(row);
    const rows = this.#at(row);
    const places = queries.map((query) => query * queryBytes + coarseAt);
    let lane = 0;
    for (; queries.length - lane > 2; lane += 4) {
      // The fourth of three is the third once more, whose scores nobody reads.
      const [a, b, c, d = c] = places.slice(lane, lane + 4);
      kernel.coarseFour(rows, count, stride, padded, a!, b!, c!, d!, this.#lane(lane), cellRows * 4);
    }
    for (; lane < queries.length; lane++)
      kernel.coarse(rows, count, stride, padded, places[lane]!, this.#lane(lane));
  }

  #one(row: number, count: number, query: number, bound: BoundKind, out: number): Segment {
    const { padded, stride, queryBytes } = this.#layout;
    const segment = this.#segmentOf(row);
    const at = query * queryBytes;
    const facts = (at + padded * 2) / 4;
    const [scale, error] = [segment.floats[facts]!, segment.floats[facts + 1]!];
    segment.kernel.scan(this.#at(row), count, stride, padded, at, out, scale, bound * error);
    return segment;
  }

  one(row: number, query: number, bound: BoundKind): number {
    return this.#one(row, 1, query, bound, this.#oneAt).floats[this.#oneAt / 4]!;
  }

  /**
   * Scores of rows of one segment, at most `cellRows`, by one query. *Borrowed until more rows are scored*.
   */
  block(row: number, count: number, query: number, bound: BoundKind): Float32Array {
    const { floats } = this.#one(row, count, query, bound, this.#scoresAt);
    return floats.subarray(this.#scoresAt / 4, this.#scoresAt / 4 + count);
  }

  #segmentOf(row: number): Segment {
    return this.#segments[Math.floor(row / this.#layout.segmentRows)]!;
  }

  #at(row: number): number {
    const { rowsAt, segmentRows, stride } = this.#layout;
    return rowsAt + (row % segmentRows) * stride;
  }

  #lane(lane: number): number {
    return this.#scoresAt + lane * cellRows * 4;
  }
}
