// Where tokens stand for a decoder. Qwen's has three axes: text moves along all of them at once, a picture
// stands still in time and spreads over rows and columns, and what follows goes on behind its longer side.

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export interface Picture extends PictureSize {
  /** width×height×3. */
  readonly rgb: Uint8Array;
}

/** Tokens of text, or a picture with its grid of patches. */
export type Stretch = { readonly tokens: number } | { readonly grid: PatchGrid };

export interface Positions {
  /** axes×length. */
  readonly ids: BigInt64Array;
  /** Position of the token that follows, on every axis. */
  readonly next: number;
}

/** 3×length: time, row and column of every token. */
export function gridPositions(stretches: readonly Stretch[]): Positions {
  const axes: [number[], number[], number[]] = [[], [], []];
  let next = 0;
  for (const stretch of stretches) {
    if ('tokens' in stretch) {
      for (let i = 0; i < stretch.tokens; i++) for (const axis of axes) axis.push(next + i);
      next += stretch.tokens;
      continue;
    }
    const rows = stretch.grid.rows / mergeSide;
    const columns = stretch.grid.columns / mergeSide;
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        axes[0].push(next);
        axes[1].push(next + row);
        axes[2].push(next + column);
      }
    next += Math.max(rows, columns);
  }
  return { ids: BigInt64Array.from(axes.flat(), BigInt), next };
}

/** 0, 1, 2, … */
export function plainPositions(length: number): Positions {
  return { ids: BigInt64Array.from({ length }, (_, at) => BigInt(at)), next: length };
}

// Pictures as Qwen3-VL takes them: sides that are multiples of 32, cut into patches of 16 px that lie twice
// behind each other, in the order in which four of them become one token.

/** Side of a patch, px. */
const patchSide = 16;
/** Patches of a token along one side. */
const mergeSide = 2;
/** A still is shown for two frames. */
const frames = 2;
/** Values of a patch. */
export const patchValues = 3 * frames * patchSide * patchSide;
const multiple = patchSide * mergeSide;

/** Sides of a grid of patches. */
interface PatchGrid {
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
