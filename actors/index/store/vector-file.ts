// Where the rows of vectors lie in a bundle. They are written as they come, in chunks of some rows: first the
// 8-bit rows of a chunk, which are loaded together, then its 16-bit rows. The first chunks are small, so a
// short film does not take the room of a long one; a place depends on the number of the row alone.
import { stride8, stride16 } from '../visual/quantize.ts';

const firstChunk = 16;
const largestChunk = 512;

interface Chunk {
  /** The number of its first row. */
  readonly first: number;
  readonly rows: number;
}

/** The chunk of a row. */
export function chunkOf(row: number): Chunk {
  let [first, rows] = [0, firstChunk];
  while (row >= first + rows && rows < largestChunk) {
    first += rows;
    rows *= 2;
  }
  return { first: first + Math.floor((row - first) / rows) * rows, rows };
}

/** Rows that lie together. */
export interface RowPlace {
  /** Of the first of them among those that were asked for. */
  readonly index: number;
  readonly rows: number;
  /** Bytes behind the head of the file. */
  readonly at8: number;
  readonly at16: number;
}

/** Where `count` rows from `from` on lie. */
export function* rowPlaces(dimensions: number, from: number, count: number): Generator<RowPlace> {
  const [eight, sixteen] = [stride8(dimensions), stride16(dimensions)];
  for (let row = from; row < from + count; ) {
    const chunk = chunkOf(row);
    const rows = Math.min(from + count, chunk.first + chunk.rows) - row;
    const start = chunk.first * (eight + sixteen);
    const within = row - chunk.first;
    const at16 = start + chunk.rows * eight + within * sixteen;
    yield { index: row - from, rows, at8: start + within * eight, at16 };
    row += rows;
  }
}

/** Behind the last of `rows` rows. */
export function endOfRows(dimensions: number, rows: number): number {
  if (rows === 0) return 0;
  const { first, rows: most } = chunkOf(rows - 1);
  const [eight, sixteen] = [stride8(dimensions), stride16(dimensions)];
  return first * (eight + sixteen) + most * eight + (rows - first) * sixteen;
}
