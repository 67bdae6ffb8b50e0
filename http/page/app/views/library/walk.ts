// The files that lie in chosen folders: the service takes files, so folders are gone through here, page by
// page.
import { ApiError, api } from '../../api.ts';
import { nameOf } from '../../times.ts';
import { folderOf, type ListedFile, type Row, rowsOf } from './rows.ts';

const PAGE = 10_000;
/** More at once than anybody means; a request stays far below what the service takes. */
export const MOST_FILES = 100_000;
const DEEPEST = 60;

export interface Walked {
  readonly files: readonly ListedFile[];
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
  rows: readonly Row[],
  { cache_dir, signal, onCount }: WalkOptions,
): Promise<Walked> {
  const found = new Map<string, ListedFile>();
  const unreadable: string[] = [];
  const waiting: { readonly path: string; readonly depth: number }[] = [];
  const take = (some: readonly Row[], depth: number) => {
    for (const row of some) {
      if (row.kind === 'folder') waiting.push({ path: row.path, depth });
      else found.set(row.path, row.file);
    }
    onCount(found.size);
  };
  take(rows, 0);
  for (let next = waiting.shift(); next && found.size < MOST_FILES; next = waiting.shift()) {
    const { path: folder, depth } = next;
    if (depth > DEEPEST) continue;
    try {
      for (let offset = 0, total = 1; offset < total; offset += PAGE) {
        const page = await api.listMedia({ cache_dir, folder, offset, limit: PAGE }, { signal });
        total = page.total;
        take(rowsOf(page), depth + 1);
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0) throw error;
      unreadable.push(folder);
    }
  }
  const files = [...found.values()];
  return {
    files: files.slice(0, MOST_FILES),
    unreadable,
    isCut: files.length > MOST_FILES || waiting.length > 0,
  };
}

/** The row of a path that a person named, a folder or a file. Throws what the service says of it. */
export async function lookUp(path: string, cache_dir: string, signal?: AbortSignal): Promise<Row> {
  const name = nameOf(path);
  try {
    await api.listMedia({ cache_dir, folder: path, limit: 0 }, { signal });
    return { kind: 'folder', path, name, analysed: 0 };
  } catch (error) {
    const folder = folderOf(path);
    if (!(error instanceof ApiError) || error.status === 0 || folder === null) throw error;
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const page = await api
        .listMedia({ cache_dir, folder, offset, limit: PAGE }, { signal })
        .catch(() => null);
      if (page === null) throw error;
      total = page.total;
      const row = rowsOf(page).find((one) => one.path === path);
      if (row) return row;
    }
    throw error;
  }
}
