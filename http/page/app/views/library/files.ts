// Folders and files: where one is, what is chosen, and what is done with it.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { useKeys } from '../../keys.ts';
import { go } from '../../navigation.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { momentArgument } from '../../route.ts';
import { useStore } from '../../store.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { AnalyseDialog } from './analyse-dialog.ts';
import { choose, chooseAll } from './choosing.ts';
import { Details } from './details.ts';
import { DropDialog, useDrop } from './drop.ts';
import { ForgetDialog } from './forget-dialog.ts';
import { GoneFiles } from './gone.ts';
import { Guide } from './guide.ts';
import { listing, openFolder, refresh, rowAt } from './listing.ts';
import { type PathAction, PathBar } from './path-bar.ts';
import { folderOf, type Row } from './rows.ts';
import { Table } from './table.ts';
import { WatchForm } from './watch-form.ts';

export function Files() {
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const returns = useStore((state) => state.returns);
  const { folder, total, pages, error, chosen, cursor } = listing.use((state) => state);
  const [doing, setDoing] = useState<PathAction | null>(null);
  const drop = useDrop();
  useEffect(refresh, [cache_dir, returns]);
  const current = rowAt(pages, cursor);
  const meant = chosen.size > 0 ? [...chosen.values()] : current ? [current] : [];
  const start = (kind: 'analyse' | 'forget') => meant.length > 0 && setDoing({ kind, rows: meant });
  useFileKeys(current, start);
  const close = () => setDoing(null);
  return html`<div class="files" ...${drop.handlers}>
    <${PathBar} folder=${folder} meant=${meant} start=${setDoing} />
    <${Guide} />
    ${
      error !== null && total === null
        ? html`<${Failed} error=${error} again=${refresh} />`
        : total === null
          ? html`<${Loading} />`
          : total === 0
            ? html`<${Empty} icon="library" title=${t(library.emptyFolder)}><p class="quiet">${t(library.emptyFolderHow)}</p>
                <button onClick=${() => openFolder(folder === null ? null : folderOf(folder))}>${t(library.up)}</button><//>`
            : html`<${Table} total=${total} choose=${choose} open=${open} />`
    }
    <${Details} row=${current} open=${open} />
    <${GoneFiles} key=${folder} />
    ${drop.isOver && html`<div class="drop-here">${t(library.dropHere)}</div>`}
    ${drop.dropped !== null && html`<${DropDialog} name=${drop.dropped} close=${drop.close} start=${setDoing} />`}
    ${doing?.kind === 'analyse' && html`<${AnalyseDialog} rows=${doing.rows} close=${close} />`}
    ${doing?.kind === 'forget' && html`<${ForgetDialog} rows=${doing.rows} close=${close} />`}
    ${doing?.kind === 'watch' && html`<${WatchForm} folder=${null} path=${doing.rows[0]?.path ?? ''} close=${close} />`}
  </div>`;
}

/** A folder is gone into; an analysed file is played. */
function open(row: Row): void {
  if (row.kind === 'folder') openFolder(row.path);
  else if (row.file.hash_str !== null)
    go('player', momentArgument({ hash_str: row.file.hash_str, seconds: 0 }));
}

function useFileKeys(current: Row | undefined, start: (kind: 'analyse' | 'forget') => unknown): void {
  const move = (by: number) => (event: KeyboardEvent) => {
    const { cursor, total } = listing.get();
    if (!total) return false;
    const next = Math.max(0, Math.min(total - 1, cursor + by));
    if (event.shiftKey) {
      if (listing.get().chosen.size === 0) listing.update({ anchor: cursor });
      void choose(next, true);
    } else listing.update({ cursor: next });
    document.querySelector<HTMLElement>('.view-library .table')?.focus({ preventScroll: true });
    return true;
  };
  useKeys({
    rowUp: move(-1),
    rowDown: move(1),
    rowPageUp: move(-15),
    rowPageDown: move(15),
    rowFirst: move(-Number.MAX_SAFE_INTEGER),
    rowLast: move(Number.MAX_SAFE_INTEGER),
    rowOpen: () => (current ? open(current) : false),
    rowChoose: (event) => void choose(listing.get().cursor, event.shiftKey),
    rowAll: () => void chooseAll(),
    rowAbove: () => {
      const { folder } = listing.get();
      if (folder !== null) openFolder(folderOf(folder));
    },
    rowAnalyse: () => start('analyse'),
    rowForget: () => start('forget'),
  });
}
