// The grid of matches: only the rows in sight are in the page, whatever their number. One tile is selected;
// keys move on from it.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useKeys } from '../../keys.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { putAllAside } from './chosen.ts';
import { Head, type MatchGroup, type Ordered } from './group-head.ts';
import { choose, likeThis, resize, scrolled, search } from './state.ts';
import { open, putAside, Tile, tileId } from './tile.ts';

/** Drawn above and below what is seen, px. */
const BEYOND = 120;
/** After scrolling the address says which match is in sight. */
const SAID_MS = 300;

interface GridProps {
  readonly ordered: Ordered;
  readonly hasMore: boolean;
  more(): void;
  leave(): void;
}

export function Grid({ ordered, hasMore, more, leave }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const side = search.use((state) => state.side);
  const width = useWidth(scroller);
  const caption = search.use((state) => (state.showsNames ? CAPTION_NAMED : CAPTION));
  const layout = useMemo(
    () => layoutOf(ordered.groups, { width, side, caption }),
    [ordered, width, side, caption],
  );
  const [first, last] = useRowsInSight(scroller, layout);
  const drawn = useMemo(() => new Map<number, VNode>(), [ordered, layout]);
  const selected = search.use((state) => state.selected);
  const index = useMemo(
    () => ordered.moments.findIndex(({ moment_id }) => moment_id === selected),
    [ordered, selected],
  );
  useGridKeys({ scroller, ordered, layout, index, leave });
  const rows = [];
  for (let at = first; at < last; at++) {
    const row = layout.rows[at]!;
    const vnode = drawn.get(at) ?? rowOf(row, at, ordered, layout);
    // The same object again: it is not compared.
    drawn.set(at, vnode);
    rows.push(vnode);
  }
  return html`<div class="matches" ref=${scroller}>
    <div class="grid" role="grid" tabindex="0" aria-label=${t(searchWords.matches)} aria-multiselectable="true" aria-rowcount=${layout.rows.length}
      aria-activedescendant=${index >= 0 ? tileId(index) : undefined} style=${{ height: `${layout.height}px` }}>${rows}</div>
    ${hasMore && html`<div class="more"><button onClick=${more}>${t(searchWords.more)}</button></div>`}
  </div>`;
}

function rowOf(row: Row, at: number, ordered: Ordered, { columns, tileWidth }: Layout): VNode {
  const style = {
    transform: `translateY(${row.top}px)`,
    height: `${row.height}px`,
    '--columns': String(columns),
  };
  const tiles = [];
  if (row.kind === 'tiles')
    for (let index = row.from; index < row.to; index++)
      tiles.push(
        html`<${Tile} key=${index} moments=${ordered.moments} index=${index} side=${tileWidth > 240 ? 480 : 320} />`,
      );
  return html`<div key=${at} class="grid-row" role="row" aria-rowindex=${at + 1} style=${style}>
    ${
      row.kind === 'head'
        ? row.groups.map(
            ({ group, columns }) =>
              html`<${Head} key=${group} group=${ordered.groups[group]!} ordered=${ordered} columns=${columns} />`,
          )
        : tiles
    }
  </div>`;
}

type Scroller = { readonly current: HTMLDivElement | null };

function useWidth(scroller: Scroller): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const grid = scroller.current!.firstElementChild as HTMLElement;
    const look = () => setWidth(grid.clientWidth);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(grid);
    return () => observer.disconnect();
  }, []);
  return width;
}

function useRowsInSight(scroller: Scroller, layout: Layout): readonly [number, number] {
  const [, redraw] = useState(0);
  const { rows } = layout;
  const inSight = () => {
    const top = scroller.current?.scrollTop ?? scrolled.top;
    return rowsBetween(rows, top - BEYOND, top + (scroller.current?.clientHeight ?? 0) + BEYOND);
  };
  const now = inSight();
  const latest = useRef({ now, inSight, rows });
  latest.current = { now, inSight, rows };
  useLayoutEffect(() => {
    if (scrolled.to !== null && rows.length > 0) {
      scrolled.top = scrolled.to === 0 ? 0 : (rows[rowOfTile(rows, scrolled.to)]?.top ?? 0);
      scrolled.to = null;
    }
    scroller.current!.scrollTop = scrolled.top;
    redraw((before) => before + 1);
  }, [layout]);
  useEffect(() => {
    const element = scroller.current!;
    let timer = 0;
    const onScroll = () => {
      scrolled.top = element.scrollTop;
      const { now, inSight, rows } = latest.current;
      const [first, last] = inSight();
      if (first !== now[0] || last !== now[1]) redraw((before) => before + 1);
      clearTimeout(timer);
      timer = window.setTimeout(() => search.update({ at: firstTile(rows, element.scrollTop) }), SAID_MS);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  return now;
}

interface KeyParts extends Pick<GridProps, 'ordered' | 'leave'> {
  readonly scroller: Scroller;
  readonly layout: Layout;
  readonly index: number;
}

function useGridKeys({ scroller, ordered, layout, index, leave }: KeyParts): void {
  const moment = ordered.moments[index];
  const ids = search.use((state) => state.chosen);
  const chosen = ordered.moments.filter(({ moment_id }) => ids.has(moment_id));
  const move = (direction: Direction) => (event: KeyboardEvent) => {
    // In the filters they scroll.
    if (document.activeElement?.closest('.filters')) return false;
    const next = nextTile(layout, index, direction, ordered.moments.length);
    if (event.shiftKey && index >= 0 && next >= 0) choose(ordered.moments, next, true);
    else search.update({ selected: ordered.moments[next]?.moment_id ?? null });
    const row = layout.rows[rowOfTile(layout.rows, next)];
    const element = scroller.current!;
    (element.firstElementChild as HTMLElement).focus({ preventScroll: true });
    if (!row) return true;
    const { scrollTop, clientHeight } = element;
    if (row.top < scrollTop) element.scrollTop = row.top - 40;
    else if (row.top + row.height > scrollTop + clientHeight)
      element.scrollTop = row.top + row.height - clientHeight + 8;
    return true;
  };
  const act = (run: (of: NonNullable<typeof moment>) => void) => () => (moment ? run(moment) : false);
  useKeys({
    tileLeft: move('left'),
    tileRight: move('right'),
    tileUp: move('up'),
    tileDown: move('down'),
    tileFirst: move('first'),
    tileLast: move('last'),
    tileOpen: act(open),
    tileBasket: act((moment) => (chosen.length > 0 ? putAllAside(chosen) : putAside(moment))),
    tileLike: act(likeThis),
    tileChoose: act(() => choose(ordered.moments, index, false)),
    tileAll: () => {
      const ids = ordered.moments.map(({ moment_id }) => moment_id);
      search.update({ chosen: new Set(chosen.length === ids.length ? [] : ids) });
    },
    smaller: () => resize(-30),
    larger: () => resize(30),
    leaveTile: () => (chosen.length > 0 ? search.update({ chosen: new Set() }) : leave()),
  });
}

// Where tiles lie in a grid of any length, which rows are to be drawn, and where arrows lead.

interface Row {
  readonly kind: 'head' | 'tiles';
  readonly top: number;
  readonly height: number;
  /** Groups whose heads share a row; empty for tiles. */
  readonly groups: readonly { readonly group: number; readonly columns: number }[];
  /** Tiles [from, to); of a head those of its groups. */
  readonly from: number;
  readonly to: number;
}

interface Layout {
  readonly columns: number;
  /** px; tiles of a row fill its width. */
  readonly tileWidth: number;
  readonly rows: readonly Row[];
  readonly height: number;
}

interface Measures {
  /** Width of the grid, px. */
  readonly width: number;
  /** A tile is at least so wide, where the grid is. */
  readonly side: number;
  /** Height of what stands below a picture. */
  readonly caption?: number;
}

const GAP = 8;
const HEAD = 34;
/** The line of reasons under a picture, and the name of the file below it. */
const CAPTION = 24;
const CAPTION_NAMED = 42;

export function layoutOf(
  groups: readonly MatchGroup[],
  { width, side, caption = CAPTION }: Measures,
): Layout {
  const columns = Math.max(1, Math.floor((width + GAP) / (Math.min(side, width) + GAP)));
  const tileWidth = Math.max(1, (width - GAP * (columns - 1)) / columns);
  const tileHeight = Math.round((tileWidth * 9) / 16) + caption;
  const rows: Row[] = [];
  let top = 0;
  const add = (row: Omit<Row, 'top'>, gap: number) => {
    rows.push({ ...row, top });
    top += row.height + gap;
  };
  for (const part of partsOf(groups, columns)) {
    const { from } = part[0]!;
    const { to } = part.at(-1)!;
    const heads = part.filter(({ kind }) => kind !== 'all');
    const span = (range: Part) => (part.length === 1 ? columns : range.to - range.from);
    const cells = heads.map((head) => ({ group: head.group, columns: span(head) }));
    if (cells.length > 0) add({ kind: 'head', height: HEAD, groups: cells, from, to }, GAP / 2);
    for (let at = from; at < to; at += columns)
      add({ kind: 'tiles', height: tileHeight, groups: [], from: at, to: Math.min(to, at + columns) }, GAP);
  }
  return { columns, tileWidth, rows, height: top };
}

type Part = MatchGroup & { readonly group: number };

/** Groups that share a row: those that follow each other, as far as their tiles fit beside each other. */
function partsOf(groups: readonly MatchGroup[], columns: number): Part[][] {
  const parts: Part[][] = [];
  for (const [group, head] of groups.entries()) {
    const last = parts.at(-1);
    const fits =
      last && head.to > head.from && last[0]!.to > last[0]!.from && head.to - last[0]!.from <= columns;
    if (fits) last.push({ ...head, group });
    else parts.push([{ ...head, group }]);
  }
  return parts;
}

/** Rows [first, last) that touch [top, bottom). */
export function rowsBetween(rows: readonly Row[], top: number, bottom: number): readonly [number, number] {
  const first = firstWhere(rows, (row) => row.top + row.height > top);
  const last = firstWhere(rows, (row) => row.top >= bottom);
  return [first, Math.max(first, last)];
}

/** Finds the first row that holds; all rows before it fail. */
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

/** The first tile below a place, px; 0 at the top. */
function firstTile(rows: readonly Row[], top: number): number {
  return top <= 0 ? 0 : (rows[firstWhere(rows, (row) => row.top >= top)]?.from ?? 0);
}

type Direction = 'left' | 'right' | 'up' | 'down' | 'first' | 'last';

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
