// The folder that is looked at, a page at a time as it comes into sight, and what is chosen in it. Kept while
// another view is shown.
import { ApiError, api, isAbort } from '../../api.ts';
import { createSlice, get } from '../../store.ts';
import { pagesOf, type Row, rowsOf } from './rows.ts';

// What is chosen in a list: one by one, from one to another, or all.

type Chosen = ReadonlyMap<string, Row>;

export const nothing: Chosen = new Map();

export function toggled(chosen: Chosen, row: Row): Chosen {
  const next = new Map(chosen);
  if (!next.delete(row.path)) next.set(row.path, row);
  return next;
}

/** With these beside those that are. */
export function withRows(chosen: Chosen, rows: readonly Row[]): Chosen {
  return new Map([...chosen, ...rows.map((row) => [row.path, row] as const)]);
}

/** From one row to another, whichever stands first; both among them. */
export function between(a: number, b: number): readonly [from: number, to: number] {
  return [Math.min(a, b), Math.max(a, b) + 1];
}

export const PAGE = 300;

interface Listing {
  /** Null: the roots. */
  readonly folder: string | null;
  /** Null until it is known. */
  readonly total: number | null;
  readonly pages: ReadonlyMap<number, readonly Row[]>;
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
let asked = new Set<number>();

export function openFolder(folder: string | null): void {
  aborter.abort();
  aborter = new AbortController();
  asked = new Set();
  scrolled.top = 0;
  listing.update({ folder, ...empty });
  need([0]);
}

/** Reads what is in sight again; what was read before stays until then. */
export function refresh(): void {
  aborter.abort();
  aborter = new AbortController();
  asked = new Set();
  listing.update({ error: null });
  need([0]);
}

export function need(pages: readonly number[]): void {
  if (get().folder.cache_dir === null) return;
  for (const page of pages) if (!asked.has(page)) void read(page, asked, aborter.signal);
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
    if (error instanceof ApiError && error.status === 0) return;
    const nothingLeft = { total: null, pages: new Map(), chosen: nothing };
    listing.update(({ round: before }) => ({
      error,
      round: before + 1,
      ...(isFolderGone(error) && nothingLeft),
    }));
  }
}

export function isFolderGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

async function ask(folder: string | null, offset: number, limit: number, signal?: AbortSignal) {
  const cache_dir = get().folder.cache_dir!;
  const page = await api.listMedia(
    { cache_dir, ...(folder !== null && { folder }), offset, limit },
    { signal },
  );
  return { total: page.total, rows: rowsOf(page) };
}

export function rowAt(pages: Listing['pages'], index: number): Row | undefined {
  return pages.get(Math.floor(index / PAGE))?.[index % PAGE];
}

/** Rows [from, to), also those that were not in sight yet. */
export async function rowsBetween(from: number, to: number): Promise<Row[]> {
  const { pages } = listing.get();
  const isKnown = pagesOf(from, to, PAGE).every((page) => pages.has(page));
  if (isKnown)
    return Array.from({ length: to - from }, (_, at) => rowAt(pages, from + at)).filter(
      (row) => row !== undefined,
    );
  return freshRows(from, to);
}

/** As they are now. */
export async function freshRows(from: number, to: number): Promise<Row[]> {
  const { folder } = listing.get();
  const rows: Row[] = [];
  const most = 10_000;
  for (let at = from; at < to; at += most)
    rows.push(...(await ask(folder, at, Math.min(most, to - at), aborter.signal)).rows);
  return rows;
}
