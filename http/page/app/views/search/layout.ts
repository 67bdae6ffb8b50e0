// Where tiles lie in a grid of any length, which rows are to be drawn, and where arrows lead.
import type { Group } from './groups.ts';

export interface Row {
  readonly kind: 'head' | 'tiles';
  readonly top: number;
  readonly height: number;
  readonly group: number;
  /** Tiles [from, to); of a head those of its group. */
  readonly from: number;
  readonly to: number;
}

export interface Layout {
  readonly columns: number;
  /** px; tiles of a row fill its width. */
  readonly tileWidth: number;
  readonly rows: readonly Row[];
  readonly height: number;
}

export interface Measures {
  /** Of the grid, px. */
  readonly width: number;
  /** A tile is at least so wide, where the grid is. */
  readonly side: number;
}

export const GAP = 8;
export const HEAD = 34;
/** The line of reasons under a picture. */
export const CAPTION = 24;

export function layoutOf(groups: readonly Group[], { width, side }: Measures): Layout {
  const columns = Math.max(1, Math.floor((width + GAP) / (Math.min(side, width) + GAP)));
  const tileWidth = Math.max(1, (width - GAP * (columns - 1)) / columns);
  const tileHeight = Math.round((tileWidth * 9) / 16) + CAPTION;
  const rows: Row[] = [];
  let top = 0;
  for (const [group, { kind, from, to }] of groups.entries()) {
    if (kind !== 'all') {
      rows.push({ kind: 'head', top, height: HEAD, group, from, to });
      top += HEAD + GAP / 2;
    }
    for (let at = from; at < to; at += columns) {
      rows.push({ kind: 'tiles', top, height: tileHeight, group, from: at, to: Math.min(to, at + columns) });
      top += tileHeight + GAP;
    }
  }
  return { columns, tileWidth, rows, height: top };
}

/** Rows [first, last) that touch [top, bottom). */
export function rowsBetween(rows: readonly Row[], top: number, bottom: number): readonly [number, number] {
  const first = firstWhere(rows, (row) => row.top + row.height > top);
  const last = firstWhere(rows, (row) => row.top >= bottom);
  return [first, Math.max(first, last)];
}

/** Of rows that fail and then hold. */
function firstWhere(rows: readonly Row[], holds: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(rows[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function rowOfTile(rows: readonly Row[], tile: number): number {
  const after = firstWhere(rows, (row) => (row.kind === 'head' ? row.from > tile : row.to > tile));
  return rows[after]?.kind === 'head' ? after + 1 : after;
}

export type Direction = 'left' | 'right' | 'up' | 'down' | 'first' | 'last';

/** The tile an arrow leads to; at an edge the same. -1: none is selected, so the first one. */
export function nextTile({ rows }: Layout, tile: number, direction: Direction, count: number): number {
  if (count === 0) return -1;
  if (tile < 0 || direction === 'first') return 0;
  if (direction === 'last') return count - 1;
  if (direction === 'left') return Math.max(0, tile - 1);
  if (direction === 'right') return Math.min(count - 1, tile + 1);
  const at = rowOfTile(rows, tile);
  const step = direction === 'up' ? -1 : 1;
  let next = at + step;
  while (rows[next]?.kind === 'head') next += step;
  const row = rows[next];
  return row ? Math.min(row.to - 1, row.from + tile - rows[at]!.from) : tile;
}
