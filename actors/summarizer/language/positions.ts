// Where tokens stand for a decoder. Qwen's has three axes: text moves along all of them at once, a picture
// stands still in time and spreads over rows and columns, and what follows goes on behind its longer side.
import type { PatchGrid } from './patches.ts';
import { mergeSide } from './patches.ts';

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
