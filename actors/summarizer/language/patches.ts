// Pictures as Qwen3-VL takes them: sides that are multiples of 32, cut into patches of 16 px that lie twice
// behind each other, in the order in which four of them become one token.
import type { Picture, PictureSize } from './picture.ts';

/** Side of a patch, px. */
export const patchSide = 16;
/** Patches of a token along one side. */
export const mergeSide = 2;
/** A still is shown for two frames. */
const frames = 2;
/** Values of a patch. */
export const patchValues = 3 * frames * patchSide * patchSide;
const multiple = patchSide * mergeSide;

/** Sides of a grid of patches. */
export interface PatchGrid {
  readonly rows: number;
  readonly columns: number;
}

/** The size that a picture is brought to: sides rounded to multiples of 32, at most `mostPixels` together. */
export function fittedSize({ width, height }: PictureSize, mostPixels: number): PictureSize {
  const rounded = (side: number) => Math.max(multiple, Math.round(side / multiple) * multiple);
  const size = { width: rounded(width), height: rounded(height) };
  if (size.width * size.height <= mostPixels) return size;
  const shrink = Math.sqrt((width * height) / mostPixels);
  const floored = (side: number) => Math.max(multiple, Math.floor(side / shrink / multiple) * multiple);
  const smaller = { width: floored(width), height: floored(height) };
  // A strip that is one multiple high may still be too long.
  const longest = Math.max(multiple, Math.floor(mostPixels / multiple / multiple) * multiple);
  if (smaller.height === multiple) return { width: Math.min(smaller.width, longest), height: multiple };
  if (smaller.width === multiple) return { width: multiple, height: Math.min(smaller.height, longest) };
  return smaller;
}

export function gridOf({ width, height }: PictureSize): PatchGrid {
  return { rows: height / patchSide, columns: width / patchSide };
}

/** Tokens of a picture in the prompt. */
export function tokensOf({ rows, columns }: PatchGrid): number {
  return (rows / mergeSide) * (columns / mergeSide);
}

/**
 * patches×1536 of values from -1 to 1. Patches go block by block of 2×2, rows of blocks first; the values of
 * a patch are its channels, in each both frames, in each the rows.
 */
export function patchesOf(picture: Picture): Float32Array {
  const { rows, columns } = gridOf(picture);
  const values = new Float32Array(rows * columns * patchValues);
  let at = 0;
  for (let blockRow = 0; blockRow < rows; blockRow += mergeSide)
    for (let blockColumn = 0; blockColumn < columns; blockColumn += mergeSide)
      for (let row = 0; row < mergeSide; row++)
        for (let column = 0; column < mergeSide; column++) {
          writePatch(picture, blockRow + row, blockColumn + column, values.subarray(at, at + patchValues));
          at += patchValues;
        }
  return values;
}

function writePatch({ rgb, width }: Picture, row: number, column: number, into: Float32Array): void {
  const plane = patchSide * patchSide;
  for (let channel = 0; channel < 3; channel++) {
    const start = channel * frames * plane;
    for (let y = 0; y < patchSide; y++)
      for (let x = 0; x < patchSide; x++) {
        const pixel = (row * patchSide + y) * width + column * patchSide + x;
        into[start + y * patchSide + x] = rgb[pixel * 3 + channel]! / 127.5 - 1;
      }
    into.copyWithin(start + plane, start, start + plane);
  }
}
