// Folders and files: where one is, what is chosen, and what is done with it.
import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { api, messageOf, ServiceError, useAsk } from '../../api.ts';
import { loadFolder } from '../../folder.ts';
import { useKeys } from '../../keys.ts';
import { go } from '../../navigation.ts';
import { Dialog, Empty, Failed, Icon, Loading, useFileDrop } from '../../parts.ts';
import { momentArgument, routeHash } from '../../route.ts';
import { get, useStore } from '../../store.ts';
import { dateText, nameOf, sizeText } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { library } from '../../words/library.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { Samples, SetUpButton } from '../settings/set-up.ts';
import { AnalyseDialog } from './analyse-dialog.ts';
import {
  choose,
  chooseAll,
  type FolderFile,
  folderIn,
  folderOf,
  freshRows,
  isFolderGone,
  type ListingRow,
  listing,
  nothing,
  openFolder,
  PAGE,
  reasonOf,
  refresh,
  rowAt,
  rowsBetween,
  showFolder,
} from './listing.ts';
import { type PathAction, PathBar, PathField, Table } from './table.ts';
import { WatchForm } from './watch-form.ts';

// Losses are shown before anything is forgotten.

const SHOWN_LOSSES = 8;
/** Paths that the service takes at once. */
const MOST_PATHS = 10_000;

interface ForgetDialogProps {
  readonly rows: readonly Pick<ListingRow, 'path'>[];
  close(): void;
}

export function ForgetDialog({ rows, close }: ForgetDialogProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const body = {
    cache_dir: get().folder.cache_dir!,
    media_paths: rows.slice(0, MOST_PATHS).map(({ path }) => path),
  };
  const losses = useAsk((signal) => forgetting(body, signal), [rows]);
  const forget = async () => {
    setBusy(true);
    try {
      const { forgotten } = await api.forgetMedia({ ...body, dry_run: false });
      toast(t(library.forgotten, { n: forgotten.length }));
      listing.update({ chosen: nothing });
      refresh();
      void loadFolder();
      close();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const n = losses.value?.forgotten.length ?? 0;
  const isReady = losses.value !== null;
  return html`<${Dialog} title=${t(library.forgetTitle)} onClose=${close}>
    ${!isReady && (losses.state === 'failed' ? html`<${Failed} error=${losses.error} again=${losses.again} />` : html`<${Loading} label=${t(library.forgetLooking)} />`)}
    ${isReady && (n === 0 ? html`<p>${t(library.nothingToForget)}</p>` : html`<${Losses} losses=${losses.value!} />`)}
    <p class="problem" role="alert">${problem}</p>
    <div class="row wrap">${n > 0 && html`<button class="primary danger" disabled=${isBusy} onClick=${forget}>${t(library.forgetDo)}</button>`}
      <button autofocus onClick=${close}>${t(n > 0 ? shell.cancel : shell.close)}</button></div>
  <//>`;
}

type Losses = Pick<Awaited<ReturnType<typeof api.forgetMedia>>, 'forgotten' | 'clusterings_gone'>;

/** Nothing, where the folder knows none of them. */
async function forgetting(
  body: { readonly cache_dir: string; readonly media_paths: readonly string[] },
  signal: AbortSignal,
): Promise<Losses> {
  try {
    return await api.forgetMedia({ ...body, dry_run: true }, { signal });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return { forgotten: [], clusterings_gone: [] };
    throw error;
  }
}

export function Losses({ losses: { forgotten, clusterings_gone } }: { readonly losses: Losses }) {
  const sum = (of: (content: Losses['forgotten'][number]) => number) =>
    forgotten.reduce((all, content) => all + of(content), 0);
  const bytes = sum(({ preview_bytes }) => preview_bytes);
  const parts = [
    [library.forgetFrames, sum(({ frames }) => frames)],
    [library.forgetTranscripts, sum(({ transcript }) => (transcript ? 1 : 0))],
    [library.forgetFaces, sum(({ faces }) => faces)],
    [library.forgetSummaries, sum(({ summaries }) => summaries)],
  ] as const;
  const texts = parts.filter(([, n]) => n > 0).map(([words, n]) => t(words, { n }));
  if (bytes > 0) texts.push(t(library.forgetPreviews, { size: sizeText(bytes, get().language) }));
  const n = forgotten.length;
  return html`<p>${t(library.forgetSure, { n })}</p><p>${texts.join(', ')}</p>
    <ul class="quiet-list">${forgotten.slice(0, SHOWN_LOSSES).map(({ media_paths }) => html`<li class="cut" title=${media_paths.join('\n')}>${media_paths.map(nameOf).join(', ')}</li>`)}
      ${n > SHOWN_LOSSES && html`<li>${t(library.moreMedia, { n: n - SHOWN_LOSSES })}</li>`}</ul>
    ${forgotten.some(({ media_paths }) => media_paths.length > 1) && html`<p class="quiet">${t(library.forgetCopies)}</p>`}
    ${clusterings_gone.length > 0 && html`<p class="problem">${t(library.clusteringsGone, { names: clusterings_gone.join(', ') })}</p>`}`;
}

export function Files({ params }: { readonly params: string }) {
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const returns = useStore((state) => state.returns);
  const { folder, total, pages, error, chosen, cursor } = listing.use((state) => state);
  const [doing, setDoing] = useState<PathAction | null>(null);
  const drop = useDrop();
  useLayoutEffect(() => {
    const linkedFolder = folderIn(params);
    if (linkedFolder !== listing.get().folder) showFolder(linkedFolder);
  }, [params]);
  useEffect(refresh, [cache_dir, returns]);
  const current = rowAt(pages, cursor);
  const selection = chosen.size > 0 ? [...chosen.values()] : current ? [current] : [];
  const start = (kind: 'analyse' | 'forget') => selection.length > 0 && setDoing({ kind, rows: selection });
  useFileKeys(current, start);
  const close = () => setDoing(null);
  return html`<div class="files" ...${drop.handlers}>
    <${PathBar} folder=${folder} selection=${selection} start=${setDoing} />
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
function open(row: ListingRow): void {
  if (row.kind === 'folder') openFolder(row.path);
  else if (row.file.hash_str !== null)
    go('player', momentArgument({ hash_str: row.file.hash_str, seconds: 0 }));
}

function useFileKeys(current: ListingRow | undefined, start: (kind: 'analyse' | 'forget') => unknown): void {
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

// First steps, shown until something is analysed.

function Guide() {
  const isEmpty = useStore(
    ({ folder, tasks }) =>
      folder.state === 'ready' && folder.loaded.media + folder.loaded.transcripts === 0 && tasks.length === 0,
  );
  if (!isEmpty) return null;
  const steps = [library.guideOpen, library.guideChoose, library.guideSearch];
  return html`<section class="guide panel">
    <h2>${t(library.guide)}</h2>
    <ol>${steps.map((words) => html`<li>${t(words)}</li>`)}</ol>
    <p><${SetUpButton} /> <a href=${routeHash({ view: 'settings', argument: '' })}>${t(library.guideModels)}</a></p>
    <${Samples} />
  </section>`;
}

// Drop target of the list. A browser does not reveal the path of a dropped file, so the page explains how to
// copy it; a path as text is accepted.

function useDrop() {
  const [dropped, setDropped] = useState<string | null>(null);
  const drop = useFileDrop(({ files }) => setDropped(files[0]?.name ?? ''));
  return { ...drop, dropped, close: () => setDropped(null) };
}

interface DropDialogProps {
  readonly name: string;
  close(): void;
  start(doing: PathAction): void;
}

function DropDialog({ name, close, start }: DropDialogProps) {
  return html`<${Dialog} title=${t(library.dropped, { name })} onClose=${close}>
    <p>${t(library.droppedWhy)}</p>
    <${PathField} isFocused start=${start} done=${close} />
    <ul class="quiet-list">${[library.droppedWindows, library.droppedMac, library.droppedLinux].map((words) => html`<li>${t(words)}</li>`)}</ul>
  <//>`;
}

// Below the list: the row in question with its whole path, what is known of it, and why it failed.

interface DetailsProps {
  readonly row: ListingRow | undefined;
  open(row: ListingRow): void;
}

function Details({ row, open }: DetailsProps) {
  if (!row) return null;
  const isPlayable = row.kind === 'file' && row.file.hash_str !== null;
  return html`<section class="details" aria-live="polite">
    <div class="grow">
      <p class="whole-path">${row.path}</p>
      ${row.kind === 'folder' ? html`<p class="quiet">${row.analysed > 0 ? t(library.analysed, { n: row.analysed }) : t(library.notAnalysed)}</p>` : html`<${OfFile} file=${row.file} />`}
    </div>
    ${(row.kind === 'folder' || isPlayable) && html`<button onClick=${() => open(row)}>${t(isPlayable ? library.open : library.openFolder)}</button>`}
  </section>`;
}

function OfFile({ file }: { readonly file: FolderFile }) {
  const { visual, transcript, faces, summaries, failure, size_bytes, modified_at } = file;
  const { language } = get();
  const results = [
    ...(visual.length > 0 ? [`${t(library.picture)}: ${visual.join(', ')}`] : []),
    ...(transcript !== null ? [`${t(library.speech)}: ${transcript}`] : []),
    ...(faces ? [`${t(library.faces)}: ${t(library.facesDone)}`] : []),
    ...(summaries > 0 ? [`${t(library.summaries)}: ${summaries}`] : []),
  ];
  const measures = [
    ...(size_bytes !== null ? [sizeText(size_bytes, language)] : []),
    ...(modified_at ? [dateText(modified_at, language)] : []),
  ];
  const texts = [...(results.length > 0 ? results : [t(library.notAnalysed)]), ...measures];
  return html`<p class="quiet">${texts.join(' · ')}</p>
    ${failure && html`<p class="problem"><${Icon} name="warning" /> ${t(library.failed, { error: reasonOf(failure, file.media_path) })} <span class="quiet">(${failure.code})</span></p>`}`;
}

// Below the list: known files that do not lie in the folder any more. What is stored of them is still found
// and looked at.

/** Known files below a folder that are compared with what lies there; above it nothing is said. */
const MOST = 5000;
const SHOWN = 100;

/** Missing files of the listed folder, once it is listed. */
function useGone() {
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const { folder, round, total, error } = listing.use((state) => state);
  const isFolder = !isFolderGone(error);
  const isListed = !isFolder || (total !== null && error === null);
  const ask = async (signal: AbortSignal) => {
    const { total: knownCount, media } = await api.listLibrary(
      { cache_dir: cache_dir!, under: folder!, limit: MOST },
      { signal },
    );
    if (knownCount > MOST) return [];
    const all = isFolder ? total! : 0;
    // The first page was read just now.
    const rows = await (all > PAGE ? freshRows(0, all) : rowsBetween(0, all));
    return goneFrom(
      folder!,
      media,
      rows.map(({ name }) => name),
    );
  };
  const isAsked = cache_dir !== null && folder !== null && isListed;
  return useAsk(isAsked ? ask : null, [cache_dir, folder, round, isListed]);
}

function GoneFiles() {
  const goneFiles = useGone().value ?? [];
  const n = goneFiles.length;
  if (n === 0) return null;
  return html`<details class="gone"><summary>${t(library.gone, { n })}</summary>
    <div class="row wrap"><p class="quiet grow">${t(library.goneHow)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: 'disk' })}>${t(library.toGone)}</a></div>
    <ul>${goneFiles.slice(0, SHOWN).map(({ hash_str, path, name }) => html`<li class="row"><span class="grow cut" title=${path}>${name}</span><button aria-label=${t(library.openGone, { name })} onClick=${() => go('player', momentArgument({ hash_str, seconds: 0 }))}>${t(library.open)}</button></li>`)}
      ${n > SHOWN && html`<li class="quiet">${t(library.moreMedia, { n: n - SHOWN })}</li>`}</ul>
  </details>`;
}

// Which known files do not lie in a folder any more.

interface Known {
  readonly media_path: string;
  readonly hash_str: string;
}

interface GoneFile {
  readonly path: string;
  readonly hash_str: string;
  /** From the folder on. */
  readonly name: string;
}

/**
 * `knownFiles`: files of the library, in any spelling of their paths. `names`: what lies in the
 * folder. A hidden name is not listed, so nothing is known of it.
 */
export function goneFrom(folder: string, knownFiles: readonly Known[], names: readonly string[]): GoneFile[] {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  const start = folder.endsWith(separator) ? folder : folder + separator;
  const there = new Set(names.map((name) => name.normalize()));
  return knownFiles.flatMap(({ media_path: path, hash_str }) => {
    if (!path.startsWith(start)) return [];
    const name = path.slice(start.length);
    const [first = ''] = name.split(separator);
    return first.startsWith('.') || there.has(first.normalize()) ? [] : [{ path, hash_str, name }];
  });
}
