// The list of a folder. Only the rows in sight are in the page, whatever their number; keys move on from one of them.
import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { chooseAll } from './choosing.ts';
import { listing, need, PAGE, rowAt, scrolled } from './listing.ts';
import { RowView, rowId } from './row-view.ts';
import { pagesOf, type Row, rowsInSight } from './rows.ts';

const HEAD = 30;
/** px; a narrow page has two lines a row. */
const heights = { wide: 34, narrow: 54 } as const;
const NARROW = 720;

export interface TableProps {
  readonly total: number;
  choose(index: number, isRange: boolean): unknown;
  open(row: Row): void;
}

export function Table({ total, choose, open }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { pages, chosen, cursor, folder } = listing.use((state) => state);
  const { top, height, width } = useScroll(scroller, folder);
  const isNarrow = width < NARROW;
  const row = isNarrow ? heights.narrow : heights.wide;
  const [first, last] = rowsInSight({ top, height, row, total });
  useEffect(() => need(pagesOf(first, last, PAGE)));
  useLayoutEffect(() => bringIntoSight(scroller.current!, cursor, row), [cursor, row]);
  const rows = [];
  for (let at = first; at < last; at++)
    rows.push(
      html`<${RowView} key=${at} index=${at} top=${HEAD + at * row} height=${row} row=${rowAt(pages, at)} isCurrent=${at === cursor}
        isChosen=${chosen.has(rowAt(pages, at)?.path ?? '')} choose=${choose} open=${open} />`,
    );
  const isAll = chosen.size > 0 && chosen.size >= total;
  return html`<div class=${`table-scroll ${isNarrow ? 'narrow' : ''}`} ref=${scroller}>
    <div class="table" role="grid" tabindex="0" aria-label=${t(library.list)} aria-rowcount=${total + 1} aria-multiselectable="true"
      aria-activedescendant=${cursor >= first && cursor < last ? rowId(cursor) : undefined} style=${{ height: `${HEAD + total * row}px` }}>
      <div class="table-row table-head" role="row" aria-rowindex="1">
        <span role="columnheader"><input type="checkbox" tabindex="-1" aria-label=${t(library.chooseAll)} checked=${isAll} indeterminate=${chosen.size > 0 && !isAll} onChange=${() => void chooseAll()} /></span>
        <span role="columnheader">${t(library.name)}</span>
        ${(['picture', 'speech', 'faces', 'summaries', 'size'] as const).map((name) => html`<span role="columnheader" class=${`cell ${name}`}>${t(library[name])}</span>`)}
      </div>
      ${rows}
    </div>
  </div>`;
}

type Scroller = { readonly current: HTMLDivElement | null };

function useScroll(scroller: Scroller, folder: string | null) {
  const [seen, setSeen] = useState({ top: scrolled.top, height: 600, width: 1000 });
  useLayoutEffect(() => {
    scroller.current!.scrollTop = scrolled.top;
  }, [folder]);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const look = () => {
      const { scrollTop: top, clientHeight: height, clientWidth: width } = element;
      scrolled.top = top;
      setSeen((before) =>
        before.top === top && before.height === height && before.width === width
          ? before
          : { top, height, width },
      );
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  return seen;
}

function bringIntoSight(element: HTMLElement, index: number, row: number): void {
  const top = index * row;
  const { scrollTop, clientHeight } = element;
  if (top < scrollTop) element.scrollTop = top;
  else if (HEAD + top + row > scrollTop + clientHeight) element.scrollTop = HEAD + top + row - clientHeight;
}
