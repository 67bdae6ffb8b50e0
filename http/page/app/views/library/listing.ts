// The folder that is looked at, a page at a time as it comes into sight, and what is chosen in it. Kept while
// another view is shown.
import { type Api, api, isAbort, ServiceError } from '../../api.ts';
import { go } from '../../navigation.ts';
import { createSlice, get } from '../../store.ts';
import { nameOf } from '../../times.ts';
import { attempt } from '../../toasts.ts';
import { failureText } from '../../words/errors.ts';

// The rows of a folder: its folders, then its files, by their number in the whole; which of them are in
// sight, and which pages hold them.

type FolderPage = Awaited<ReturnType<Api['listMedia']>>;
export type FolderFile = FolderPage['files'][number];
type ListedFolder = FolderPage['folders'][number];

export type ListingRow =
  | ({ readonly kind: 'folder' } & ListedFolder)
  | { readonly kind: 'file'; readonly path: string; readonly name: string; readonly file: FolderFile };

function rowsOf({ folders, files }: Pick<FolderPage, 'folders' | 'files'>): ListingRow[] {
  return [
    ...folders.map((folder): ListingRow => ({ kind: 'folder', ...folder })),
    ...files.map((file): ListingRow => ({ kind: 'file', path: file.media_path, name: file.name, file })),
  ];
}

interface Sight {
  readonly top: number;
  /** px that are seen, and that each row has. */
  readonly height: number;
  readonly row: number;
  readonly total: number;
}

/** Drawn above and below what is seen, rows. */
const BEYOND = 6;

/** Rows [first, last) to be drawn. */
export function rowsInSight({ top, height, row, total }: Sight): readonly [number, number] {
  const first = Math.max(0, Math.min(total, Math.floor(top / row) - BEYOND));
  return [first, Math.min(total, Math.ceil((top + height) / row) + BEYOND)];
}

export function pagesOf(first: number, last: number, size: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(first / size); page * size < last; page++) pages.push(page);
  return pages;
}

interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The folders on the way to a path, the topmost first; of either kind of system. */
export function crumbsOf(path: string): Crumb[] {
  const separator = path.includes('/') ? '/' : '\\';
  const names = path.split(separator).filter((name) => name !== '');
  const start = path.startsWith(separator) ? separator : '';
  const crumbs = names.map((name, at) => {
    const whole = start + names.slice(0, at + 1).join(separator);
    // The root of a drive keeps its separator.
    return { name, path: /^[a-z]:$/i.test(whole) ? `${whole}\\` : whole };
  });
  return start === '/' ? [{ name: '/', path: '/' }, ...crumbs] : crumbs;
}

/** The folder a path lies in; null for a root. */
export function folderOf(path: string): string | null {
  return crumbsOf(path).at(-2)?.path ?? null;
}

/** Text of an error without the path shown beside it. `code`: '' if there is none. */
export function reasonOf(
  { code, message }: { readonly code: string; readonly message: string },
  path: string,
): string {
  return failureText(message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message, code);
}

// Selection in a list: one by one, a range, or all.

type Chosen = ReadonlyMap<string, ListingRow>;

export const nothing: Chosen = new Map();

export function toggled(chosen: Chosen, row: ListingRow): Chosen {
  const next = new Map(chosen);
  if (!next.delete(row.path)) next.set(row.path, row);
  return next;
}

/** With these beside those that are. */
export function withRows(chosen: Chosen, rows: readonly ListingRow[]): Chosen {
  return new Map([...chosen, ...rows.map((row) => [row.path, row] as const)]);
}

/** From one row to another, whichever stands first; both among them. */
export function between(a: number, b: number): readonly [from: number, to: number] {
  return [Math.min(a, b), Math.max(a, b) + 1];
}

export const PAGE = 300;

interface Listing {
  /** Null: the top folders. */
  readonly folder: string | null;
  /** Null until it is known. */
  readonly total: number | null;
  readonly pages: ReadonlyMap<number, readonly ListingRow[]>;
  readonly error: unknown;
  readonly chosen: Chosen;
  /** Row that keys go on from. */
  readonly cursor: number;
  /** Row from which a range is chosen. */
  readonly anchor: number;
  /** How often a folder was read, or could not be. */
  readonly round: number;
}

const empty = { total: null, pages: new Map(), error: null, chosen: nothing, cursor: 0, anchor: 0 };
export const listing = createSlice<Listing>('library', { folder: null, round: 0, ...empty });

/** How far it was scrolled; not drawn, so not in the store. */
export const scrolled = { top: 0 };

let aborter = new AbortController();
let requestedPages = new Set<number>();

/** Opens it by its address, so that Back leads to the previous folder. */
export function openFolder(folder: string | null): void {
  go('library', '', folder === null ? '' : new URLSearchParams({ folder }).toString());
}

export function folderIn(params: string): string | null {
  return new URLSearchParams(params).get('folder');
}

export function showFolder(folder: string | null): void {
  aborter.abort();
  aborter = new AbortController();
  requestedPages = new Set();
  scrolled.top = 0;
  listing.update({ folder, ...empty });
  need([0]);
}

/** Reads what is in sight again; what was read before stays until then. */
export function refresh(): void {
  aborter.abort();
  aborter = new AbortController();
  requestedPages = new Set();
  listing.update({ error: null });
  need([0]);
}

export function need(pages: readonly number[]): void {
  if (get().folder.cache_dir === null) return;
  for (const page of pages) if (!requestedPages.has(page)) void read(page, requestedPages, aborter.signal);
}

async function read(page: number, round: Set<number>, signal: AbortSignal): Promise<void> {
  round.add(page);
  try {
    const { folder } = listing.get();
    const { total, rows } = await ask(folder, page * PAGE, PAGE, signal);
    if (signal.aborted) return;
    listing.update(({ pages, cursor, round: before }) => ({
      total,
      round: page === 0 ? before + 1 : before,
      pages: new Map(pages).set(page, rows),
      cursor: Math.max(0, Math.min(cursor, total - 1)),
      error: null,
    }));
  } catch (error) {
    if (signal.aborted || isAbort(error)) return;
    round.delete(page);
    // Without an answer it is asked again when the service is back.
    if (error instanceof ServiceError && error.status === 0) return;
    const nothingLeft = { total: null, pages: new Map(), chosen: nothing };
    listing.update(({ round: before }) => ({
      error,
      round: before + 1,
      ...(isFolderGone(error) && nothingLeft),
    }));
  }
}

export function isFolderGone(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404;
}

async function ask(folder: string | null, offset: number, limit: number, signal?: AbortSignal) {
  const cache_dir = get().folder.cache_dir!;
  const page = await api.listMedia(
    { cache_dir, ...(folder !== null && { folder }), offset, limit },
    { signal },
  );
  return { total: page.total, rows: rowsOf(page) };
}

export function rowAt(pages: Listing['pages'], index: number): ListingRow | undefined {
  return pages.get(Math.floor(index / PAGE))?.[index % PAGE];
}

/** Rows [from, to), also those that were not in sight yet. */
export async function rowsBetween(from: number, to: number): Promise<ListingRow[]> {
  const { pages } = listing.get();
  const isKnown = pagesOf(from, to, PAGE).every((page) => pages.has(page));
  if (isKnown)
    return Array.from({ length: to - from }, (_, at) => rowAt(pages, from + at)).filter(
      (row) => row !== undefined,
    );
  return freshRows(from, to);
}

export async function freshRows(from: number, to: number): Promise<ListingRow[]> {
  const { folder } = listing.get();
  const rows: ListingRow[] = [];
  const most = 10_000;
  for (let at = from; at < to; at += most)
    rows.push(...(await ask(folder, at, Math.min(most, to - at), aborter.signal)).rows);
  return rows;
}

// Choosing rows of the list; those that were not in sight yet are read for it.

/** `isRange`: all from the one that was chosen before. */
export async function choose(index: number, isRange: boolean): Promise<void> {
  const { pages, chosen, anchor } = listing.get();
  const row = rowAt(pages, index);
  if (!row) return;
  if (!isRange) return listing.update({ chosen: toggled(chosen, row), anchor: index, cursor: index });
  await attempt(async () => {
    const rows = await rowsBetween(...between(anchor, index));
    listing.update(({ chosen: before }) => ({ chosen: withRows(before, rows), cursor: index }));
  });
}

export async function chooseAll(): Promise<void> {
  const { total, chosen } = listing.get();
  if (total === null) return;
  if (chosen.size >= total) return listing.update({ chosen: nothing });
  await attempt(async () => {
    const rows = await rowsBetween(0, total);
    listing.update({ chosen: withRows(nothing, rows) });
  });
}

// The files that lie in chosen folders: the service takes files, so folders are gone through here, page by
// page.

const WALKED_AT_ONCE = 10_000;
/** More at once than anybody means; a request stays far below what the service takes. */
export const MOST_FILES = 100_000;

export interface Walked {
  readonly files: readonly FolderFile[];
  /** Folders that could not be listed. */
  readonly unreadable: readonly string[];
  /** There are more files than are taken. */
  readonly isCut: boolean;
}

interface WalkOptions {
  readonly cache_dir: string;
  readonly signal: AbortSignal;
  onCount(files: number): void;
}

export async function walk(
  rows: readonly ListingRow[],
  { cache_dir, signal, onCount }: WalkOptions,
): Promise<Walked> {
  const filesByPath = new Map<string, FolderFile>();
  const unreadable: string[] = [];
  const waiting: string[] = [];
  const take = (some: readonly ListingRow[]) => {
    for (const row of some) {
      if (row.kind === 'folder') waiting.push(row.path);
      else filesByPath.set(row.path, row.file);
    }
    onCount(filesByPath.size);
  };
  // A link to a whole volume is meant where nothing else is chosen.
  take(rows.filter((row) => rows.length === 1 || row.kind === 'file' || !row.is_wide_link));
  // Without links, which may lead back to a folder above.
  const visited = new Set<string>();
  for (let folder = waiting.shift(); folder && filesByPath.size < MOST_FILES; folder = waiting.shift()) {
    try {
      for (let offset = 0, total = 1; offset < total; offset += WALKED_AT_ONCE) {
        const page = await api.listMedia({ cache_dir, folder, offset, limit: WALKED_AT_ONCE }, { signal });
        if (offset === 0 && visited.has(page.real_path ?? folder)) break;
        visited.add(page.real_path ?? folder);
        total = page.total;
        const followed = page.folders.filter(({ is_wide_link }) => !is_wide_link);
        take(rowsOf({ ...page, folders: followed }));
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status === 0) throw error;
      unreadable.push(folder);
    }
  }
  const files = [...filesByPath.values()];
  return {
    files: files.slice(0, MOST_FILES),
    unreadable,
    isCut: files.length > MOST_FILES || waiting.length > 0,
  };
}

/** The row of a path that a person named, a folder or a file. Throws what the service says of it. */
export async function lookUp(path: string, cache_dir: string, signal?: AbortSignal): Promise<ListingRow> {
  const name = nameOf(path);
  try {
    await api.listMedia({ cache_dir, folder: path, limit: 0 }, { signal });
    return { kind: 'folder', path, name, analysed: 0, is_wide_link: false };
  } catch (error) {
    const folder = folderOf(path);
    if (!(error instanceof ServiceError) || error.status === 0 || folder === null) throw error;
    for (let offset = 0, total = 1; offset < total; offset += WALKED_AT_ONCE) {
      const page = await api
        .listMedia({ cache_dir, folder, offset, limit: WALKED_AT_ONCE }, { signal })
        .catch(() => null);
      if (page === null) throw error;
      total = page.total;
      const row = rowsOf(page).find((candidate) => candidate.path === path);
      if (row) return row;
    }
    throw error;
  }
}
