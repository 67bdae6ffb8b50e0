// The part of a picture in which blocks are marked.

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
