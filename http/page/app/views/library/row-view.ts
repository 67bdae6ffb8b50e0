// One row of the list.
import { html } from 'htm/preact';
import { Icon, type IconName } from '../../parts/icon.ts';
import { get } from '../../store.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { listing } from './listing.ts';
import { type ListedFile, type Row, reasonOf } from './rows.ts';
import { sizeText } from './sizes.ts';

const icons: Readonly<Record<ListedFile['kind'] | 'folder', IconName>> = {
  folder: 'library',
  video: 'play',
  audio: 'speech',
  image: 'picture',
};

export function rowId(index: number): string {
  return `row-${index}`;
}

export interface RowViewProps {
  readonly index: number;
  /** px. */
  readonly top: number;
  readonly height: number;
  /** Undefined while it is read. */
  readonly row: Row | undefined;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  choose(index: number, isRange: boolean): unknown;
  open(row: Row): void;
}

export function RowView({ index, top, height, row, isCurrent, isChosen, choose, open }: RowViewProps) {
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

function Name({ row, open }: Pick<RowViewProps, 'open'> & { readonly row: Row }) {
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

function isAnalysed({ visual, transcript, faces, summaries }: ListedFile): boolean {
  return visual.length > 0 || transcript !== null || faces || summaries > 0;
}

function failureOf({ failure, media_path }: ListedFile): string | null {
  return failure && t(library.failed, { error: reasonOf(failure.message, media_path) });
}

function Cells({ file }: { readonly file: ListedFile }) {
  const { visual, transcript, faces, summaries, size_bytes } = file;
  const size = size_bytes === null ? '' : sizeText(size_bytes, get().language);
  const reason = failureOf(file);
  if (reason !== null && !isAnalysed(file))
    return html`<span role="gridcell" class="cell wide problem cut" title=${reason}><${Icon} name="warning" /> ${reason}</span>
      <span role="gridcell" class="cell size quiet">${size}</span>`;
  const cell = (name: string, text: string) =>
    html`<span role="gridcell" class=${`cell ${name} ${text === '' ? 'nothing' : ''}`} title=${text}><span class="cut">${text === '' ? t(library.none) : text}</span></span>`;
  return html`${cell('picture', visual.join(', '))}${cell('speech', transcript ?? '')}${cell('faces', faces ? t(library.facesDone) : '')}
    ${cell('summaries', summaries > 0 ? String(summaries) : '')}<span role="gridcell" class="cell size quiet">${size}</span>`;
}
