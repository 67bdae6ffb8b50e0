// The list of a folder. Only the rows in sight are in the page, whatever their number; keys move on from one
// of them.
import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../../api.ts';
import { Icon, type IconName } from '../../parts.ts';
import { typedPath } from '../../paths.ts';
import { get } from '../../store.ts';
import { sizeText } from '../../times.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import {
  chooseAll,
  crumbsOf,
  type FolderFile,
  folderOf,
  type ListingRow,
  listing,
  lookUp,
  need,
  nothing,
  openFolder,
  PAGE,
  pagesOf,
  reasonOf,
  refresh,
  rowAt,
  rowsInSight,
  scrolled,
} from './listing.ts';

const HEAD = 30;
/** px; a narrow page has two lines a row. */
const heights = { wide: 34, narrow: 54 } as const;
const NARROW = 720;

interface TableProps {
  readonly total: number;
  choose(index: number, isRange: boolean): unknown;
  open(row: ListingRow): void;
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
  const [viewport, setViewport] = useState({ top: scrolled.top, height: 600, width: 1000 });
  useLayoutEffect(() => {
    scroller.current!.scrollTop = scrolled.top;
  }, [folder]);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const look = () => {
      const { scrollTop: top, clientHeight: height, clientWidth: width } = element;
      scrolled.top = top;
      setViewport((before) =>
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
  return viewport;
}

function bringIntoSight(element: HTMLElement, index: number, row: number): void {
  const top = index * row;
  const { scrollTop, clientHeight } = element;
  if (top < scrollTop) element.scrollTop = top;
  else if (HEAD + top + row > scrollTop + clientHeight) element.scrollTop = HEAD + top + row - clientHeight;
}

// One row of the list.

const icons: Readonly<Record<FolderFile['kind'] | 'folder', IconName>> = {
  folder: 'library',
  video: 'play',
  audio: 'speech',
  image: 'picture',
};

function rowId(index: number): string {
  return `row-${index}`;
}

interface RowViewProps {
  readonly index: number;
  /** px. */
  readonly top: number;
  readonly height: number;
  /** Undefined while it is read. */
  readonly row: ListingRow | undefined;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  choose(index: number, isRange: boolean): unknown;
  open(row: ListingRow): void;
}

function RowView({ index, top, height, row, isCurrent, isChosen, choose, open }: RowViewProps) {
  const style = { transform: `translateY(${top}px)`, height: `${height}px` };
  const frame = { id: rowId(index), role: 'row', 'aria-rowindex': index + 2, style };
  if (!row)
    return html`<div class="table-row" ...${frame}><span role="gridcell"></span><span role="gridcell" class="quiet">…</span></div>`;
  const onClick = (event: MouseEvent) => {
    if (event.target instanceof HTMLInputElement) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) choose(index, event.shiftKey);
    else listing.update({ cursor: index });
  };
  const onCheck = (event: MouseEvent) => {
    event.preventDefault();
    choose(index, event.shiftKey);
  };
  return html`<div class=${`table-row ${isCurrent ? 'current' : ''} ${isChosen ? 'chosen' : ''}`} ...${frame} aria-selected=${isChosen}
    onClick=${onClick} onDblClick=${() => open(row)}>
    <span role="gridcell"><input type="checkbox" tabindex="-1" checked=${isChosen} aria-label=${t(library.choose, { name: row.name })} onClick=${onCheck} /></span>
    <${Name} row=${row} open=${open} />
    ${row.kind === 'folder' ? html`<span role="gridcell" class="cell wide quiet">${row.analysed > 0 ? t(library.analysed, { n: row.analysed }) : ''}</span>` : html`<${Cells} file=${row.file} />`}
  </div>`;
}

function Name({ row, open }: Pick<RowViewProps, 'open'> & { readonly row: ListingRow }) {
  const go = (event: Event) => {
    event.preventDefault();
    open(row);
  };
  if (row.kind === 'folder')
    return html`<span role="gridcell" class="name"><${Icon} name=${icons.folder} /><a tabindex="-1" class="cut" href="#/library" title=${row.path} onClick=${go}>${row.name}</a></span>`;
  const reason = failureOf(row.file);
  return html`<span role="gridcell" class="name"><${Icon} name=${icons[row.file.kind]} /><span class="cut" title=${row.path}>${row.name}</span>
    ${reason !== null && isAnalysed(row.file) && html`<span class="problem" title=${reason}><${Icon} name="warning" /><span class="unseen">${reason}</span></span>`}</span>`;
}

function isAnalysed({ visual, transcript, faces, summaries }: FolderFile): boolean {
  return visual.length > 0 || transcript !== null || faces || summaries > 0;
}

function failureOf({ failure, media_path }: FolderFile): string | null {
  return failure && t(library.failed, { error: reasonOf(failure, media_path) });
}

function Cells({ file }: { readonly file: FolderFile }) {
  const { visual, transcript, faces, summaries, size_bytes } = file;
  const size = size_bytes === null ? '' : sizeText(size_bytes, get().language);
  const reason = failureOf(file);
  if (reason !== null && !isAnalysed(file))
    return html`<span role="gridcell" class="cell wide problem cut" title=${reason}><${Icon} name="warning" /> ${reason}</span>
      <span role="gridcell" class="cell size quiet">${size}</span>`;
  const cell = (name: string, text: string) =>
    html`<span role="gridcell" class=${`cell ${name} ${text === '' ? 'nothing' : ''}`} title=${text}><span class="cut">${text === '' ? '–' : text}</span></span>`;
  return html`${cell('picture', visual.join(', '))}${cell('speech', transcript ?? '')}${cell('faces', faces ? t(library.facesDone) : '')}
    ${cell('summaries', summaries > 0 ? String(summaries) : '')}<span role="gridcell" class="cell size quiet">${size}</span>`;
}

// Above the list: the way to the folder, a field for a path, and what is done with what is chosen.

export interface PathAction {
  readonly kind: 'analyse' | 'forget' | 'watch';
  readonly rows: readonly ListingRow[];
}

interface PathBarProps {
  readonly folder: string | null;
  /** Selected rows, or the row under the menu. */
  readonly selection: readonly ListingRow[];
  start(doing: PathAction): void;
}

export function PathBar({ folder, selection, start }: PathBarProps) {
  const total = listing.use((state) => state.total);
  const chosen = listing.use((state) => state.chosen.size);
  return html`<div class="path-bar">
    <div class="row">
      <nav class="crumbs grow" aria-label=${t(library.where)}>
        <button class="quiet" aria-current=${folder === null ? 'location' : undefined} onClick=${() => openFolder(null)}>${t(library.top)}</button>
        ${folder !== null && crumbsOf(folder).map(({ name, path }) => html`<span aria-hidden="true">›</span><button class="quiet" aria-current=${path === folder ? 'location' : undefined} onClick=${() => openFolder(path)}>${name}</button>`)}
      </nav>
      <button class="quiet" onClick=${refresh}>${t(library.refresh)}</button>
    </div>
    <${PathField} start=${start} />
    <div class="row wrap">
      <button class="primary" disabled=${selection.length === 0} onClick=${() => start({ kind: 'analyse', rows: selection })}>${t(library.analyse)}</button>
      <button disabled=${selection.length === 0} onClick=${() => start({ kind: 'forget', rows: selection })}>${t(library.forget)}</button>
      <p class="quiet grow" role="status">${chosen > 0 ? t(library.chosen, { n: chosen }) : total !== null ? t(library.total, { n: total }) : ''}</p>
      ${chosen > 0 && html`<button class="quiet" onClick=${() => listing.update({ chosen: nothing })}>${t(library.clear)}</button>`}
    </div>
  </div>`;
}

interface PathFieldProps {
  readonly isFocused?: boolean;
  start(doing: PathAction): void;
  /** After something was done with the path. */
  done?(): void;
}

export function PathField({ start, done, isFocused = false }: PathFieldProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (work: (row: ListingRow) => void) => {
    const { cache_dir } = get().folder;
    try {
      const path = cache_dir && (await typedPath(text, cache_dir));
      if (path === null) return setProblem(t(library.badPath));
      work(await lookUp(path, cache_dir!));
      setProblem(null);
      setText('');
      done?.();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const show = (row: ListingRow) => openFolder(row.kind === 'folder' ? row.path : folderOf(row.path));
  const begin = (kind: PathAction['kind']) => () => void run((row) => start({ kind, rows: [row] }));
  const submit = (event: Event) => {
    event.preventDefault();
    void run(show);
  };
  return html`<form class="path-field" onSubmit=${submit}>
    <div class="row wrap">
      <${Icon} name="library" />
      <input class="grow" aria-label=${t(library.path)} placeholder=${t(library.pathHint)} autofocus=${isFocused} spellcheck=${false} autocomplete="off"
        aria-invalid=${problem !== null} value=${text} onInput=${(event: Event) => setText((event.target as HTMLInputElement).value)} />
      <div class="row"><button type="submit" disabled=${text === ''}>${t(library.show)}</button>
        <button type="button" disabled=${text === ''} onClick=${begin('analyse')}>${t(library.analyse)}</button>
        <button type="button" disabled=${text === ''} onClick=${begin('watch')}>${t(library.watchThis)}</button></div>
    </div>
    <p class="problem" role="alert">${problem}</p>
  </form>`;
}
