// What a picture looked like where text was last looked for, as the brightness of small blocks, and where it is different
// now. A block is as large as a stroke of small letters: a digit that changes changes one.
import type { Picture } from '../../../runtime/picture.ts';

/** Blocks along the longest side of a picture. */
const mostBlocks = 160;
/** Brightness of 255 by which a block differs that is to be looked at again: more than films are coded anew with. */
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

export function blocksOf(picture: Picture): Blocks {
  const { data, width, height } = picture;
  const side = blockSide(picture);
  const columns = Math.ceil(width / side);
  const rows = Math.ceil(height / side);
  const sums = new Uint32Array(columns);
  const values = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    sums.fill(0);
    const bottom = Math.min(height, (row + 1) * side);
    for (let y = row * side; y < bottom; y++) {
      for (let column = 0, at = y * width * 3; column < columns; column++) {
        const end = (y * width + Math.min(width, (column + 1) * side)) * 3;
        let sum = 0;
        // Red, green and blue as bright as they look, in eighths.
        for (; at < end; at += 3) sum += 2 * data[at]! + 5 * data[at + 1]! + data[at + 2]!;
        sums[column]! += sum;
      }
    }
    for (let column = 0; column < columns; column++) {
      const across = Math.min(side, width - column * side);
      const pixels = across * (bottom - row * side);
      values[row * columns + column] = Math.round(sums[column]! / (8 * pixels));
    }
  }
  return { values, columns };
}

/** One byte a block: 1 where it differs. Null for pictures of two sizes. */
export function changedBlocks(before: Blocks, now: Blocks): Uint8Array | null {
  if (before.columns !== now.columns || before.values.length !== now.values.length) return null;
  return now.values.map((value, at) => (Math.abs(value - before.values[at]!) > leastDifference ? 1 : 0));
}

/** Blocks as columns and rows [left, top, right, bottom), the last ones excluded. */
export type BlockRange = readonly [left: number, top: number, right: number, bottom: number];

/** Around all that are marked; null without any. */
export function rangeOf(marks: Uint8Array, columns: number): BlockRange | null {
  let [left, top, right, bottom] = [columns, marks.length, 0, 0];
  for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) {
    const row = Math.floor(at / columns);
    const column = at - row * columns;
    left = Math.min(left, column);
    right = Math.max(right, column + 1);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row + 1);
  }
  return right === 0 ? null : [left, top, right, bottom];
}

export function anyMarked(
  marks: Uint8Array,
  columns: number,
  [left, top, right, bottom]: BlockRange,
): boolean {
  for (let row = top; row < bottom; row++) {
    const begin = row * columns;
    const found = marks.indexOf(1, begin + left);
    if (found >= 0 && found < begin + right) return true;
  }
  return false;
}

/** The blocks as they were, and as they are now where they are marked. */
export function taken(before: Blocks, now: Blocks, marks: Uint8Array): Blocks {
  const values = before.values.map((value, at) => (marks[at] ? now.values[at]! : value));
  return { values, columns: now.columns };
}
