// Compares pictures by the brightness of small blocks. A block is as large as a stroke of small letters, so a
// changed digit changes one. Sums of rows are made by blocks.wasm, assembled from blocks.wat, in a tenth of
// the time of a loop in JavaScript.
import { readFileSync } from 'node:fs';
import type { Picture } from './picture.ts';

/** Blocks along the longest side of a picture. */
const mostBlocks = 160;
/**
 * Brightness of 255 by which a block differs that is to be looked at again: more than films are coded anew
 * with.
 */
const leastDifference = 8;

export interface Blocks {
  /** One byte a block, in rows. */
  readonly values: Uint8Array<ArrayBuffer>;
  readonly columns: number;
}

/** Side of a block, px; those at the right and lower edge may be smaller. */
export function blockSide({ width, height }: Pick<Picture, 'width' | 'height'>): number {
  return Math.ceil(Math.max(width, height) / mostBlocks);
}

/** Sums `rows` rows of `count` bytes each, from byte `from` on, into 16 bits each at `to`. */
type Sums = (from: number, count: number, rows: number, to: number) => void;

const pageBytes = 65_536;
/** The kernel touches so much behind a row, at most. */
const slackBytes = 32;
const memory = new WebAssembly.Memory({ initial: 1 });
const compiled = new WebAssembly.Module(readFileSync(new URL('./blocks.wasm', import.meta.url)));
const { exports } = new WebAssembly.Instance(compiled, { pictures: { memory } });
const sumRows = exports['sums'] as Sums;

export function blocksOf(picture: Picture): Blocks {
  const { width, height } = picture;
  const side = blockSide(picture);
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)];
  const values = new Uint8Array(columns * rows);
  const length = width * 3;
  const pixels = 2 * length + slackBytes;
  const more = Math.ceil((pixels + length * height + slackBytes - memory.buffer.byteLength) / pageBytes);
  if (more > 0) memory.grow(more);
  new Uint8Array(memory.buffer, pixels).set(picture.data.subarray(0, length * height));
  const sums = new Uint16Array(memory.buffer, 0, length);
  for (let row = 0; row < rows; row++) {
    const down = Math.min(side, height - row * side);
    sumRows(pixels + row * side * length, length, down, 0);
    for (let column = 0, at = 0; column < columns; column++) {
      const across = Math.min(side, width - column * side);
      const end = at + across * 3;
      let sum = 0;
      // Red, green and blue as bright as they look, in eighths.
      for (; at < end; at += 3) sum += 2 * sums[at]! + 5 * sums[at + 1]! + sums[at + 2]!;
      values[row * columns + column] = Math.round(sum / (8 * across * down));
    }
  }
  return { values, columns };
}

/** One byte a block: 1 where it differs. Null for pictures of two sizes. */
export function changedBlocks(before: Blocks, now: Blocks): Uint8Array | null {
  if (before.columns !== now.columns || before.values.length !== now.values.length) return null;
  return now.values.map((value, at) => (Math.abs(value - before.values[at]!) > leastDifference ? 1 : 0));
}

/** The blocks as they were, and as they are now where they are marked. */
export function taken(before: Blocks, now: Blocks, marks: Uint8Array): Blocks {
  const values = before.values.map((value, at) => (marks[at] ? now.values[at]! : value));
  return { values, columns: now.columns };
}
