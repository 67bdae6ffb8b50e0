// Where text has to be looked for in a picture of a film: around what has changed since it was read.
import { blockSide } from '../../../runtime/blocks.ts';
import type { Picture } from '../../../runtime/picture.ts';
import type { TextBox, TextLine } from '../contract.ts';
import { type Area, step } from '../detection/input.ts';

type Size = Pick<Picture, 'width' | 'height'>;

/** The blocks that a box lies in. */
export function blocksOfBox([x, y, w, h]: TextBox, size: Size): BlockRange {
  const side = blockSide(size);
  const at = (share: number, length: number) => (share * length) / side;
  return [
    Math.floor(at(x, size.width)),
    Math.floor(at(y, size.height)),
    Math.max(Math.floor(at(x, size.width)) + 1, Math.ceil(at(x + w, size.width) - 1e-9)),
    Math.max(Math.floor(at(y, size.height)) + 1, Math.ceil(at(y + h, size.height) - 1e-9)),
  ];
}

/**
 * In pixels of the scaled picture, of whole steps: the blocks with a step around them, and all of each line
 * that reaches into that, so that no line is cut.
 */
export function areaOf(blocks: BlockRange, size: Size, scaled: Size, lines: readonly TextLine[]): Area {
  const side = blockSide(size);
  const [scaleX, scaleY] = [scaled.width / size.width, scaled.height / size.height];
  let edges = inSteps(
    [
      blocks[0] * side * scaleX - step,
      blocks[1] * side * scaleY - step,
      blocks[2] * side * scaleX + step,
      blocks[3] * side * scaleY + step,
    ],
    scaled,
  );
  let left = lines;
  for (;;) {
    const reaching = left.filter(({ box }) => meets(edges, box, scaled));
    if (reaching.length === 0) break;
    left = left.filter((line) => !reaching.includes(line));
    for (const { box } of reaching) {
      const [x, y, w, h] = box;
      const { width, height } = scaled;
      edges = inSteps(
        [
          Math.min(edges[0], x * width),
          Math.min(edges[1], y * height),
          Math.max(edges[2], (x + w) * width),
          Math.max(edges[3], (y + h) * height),
        ],
        scaled,
      );
    }
  }
  return { left: edges[0], top: edges[1], width: edges[2] - edges[0], height: edges[3] - edges[1] };
}

type Edges = readonly [left: number, top: number, right: number, bottom: number];

function inSteps([left, top, right, bottom]: Edges, { width, height }: Size): Edges {
  return [
    Math.max(0, Math.floor(left / step) * step),
    Math.max(0, Math.floor(top / step) * step),
    Math.min(width, Math.ceil(right / step) * step),
    Math.min(height, Math.ceil(bottom / step) * step),
  ];
}

function meets([left, top, right, bottom]: Edges, [x, y, w, h]: TextBox, { width, height }: Size): boolean {
  return x * width < right && (x + w) * width > left && y * height < bottom && (y + h) * height > top;
}

// The part of a picture in which blocks are marked.

/** Blocks as columns and rows [left, top, right, bottom), the last ones excluded. */
type BlockRange = readonly [left: number, top: number, right: number, bottom: number];

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
