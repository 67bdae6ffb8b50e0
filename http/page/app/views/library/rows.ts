// The rows of a folder: its folders, then its files, by their number in the whole; which of them are in
// sight, and which pages hold them.
import type { Api } from '../../api.ts';

export type FolderPage = Awaited<ReturnType<Api['listMedia']>>;
export type ListedFile = FolderPage['files'][number];
export type ListedFolder = FolderPage['folders'][number];

export type Row =
  | ({ readonly kind: 'folder' } & ListedFolder)
  | { readonly kind: 'file'; readonly path: string; readonly name: string; readonly file: ListedFile };

export function rowsOf({ folders, files }: Pick<FolderPage, 'folders' | 'files'>): Row[] {
  return [
    ...folders.map((folder): Row => ({ kind: 'folder', ...folder })),
    ...files.map((file): Row => ({ kind: 'file', path: file.media_path, name: file.name, file })),
  ];
}

export interface Sight {
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

/** Numbers of the pages that hold rows [first, last). */
export function pagesOf(first: number, last: number, size: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(first / size); page * size < last; page++) pages.push(page);
  return pages;
}

export interface Crumb {
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

/** A pasted path: in quotes, as a `file:` address, with spaces around it. Null for relative ones. */
export function pastedPath(text: string): string | null {
  const bare = text
    .trim()
    .split(/\r?\n/)[0]!
    .replace(/^(["'])(.*)\1$/, '$2');
  const path = bare.startsWith('file://') ? decoded(bare.slice('file://'.length)) : bare;
  const plain = /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
  const isAbsolute = plain.startsWith('/') || /^[a-z]:[\\/]/i.test(plain) || plain.startsWith('\\\\');
  if (!isAbsolute) return null;
  return plain.length > 1 && !/^[a-z]:[\\/]$/i.test(plain) ? plain.replace(/[\\/]+$/, '') || plain : plain;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What an error says without the path that stands beside it anyway. */
export function reasonOf(message: string, path: string): string {
  return message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
}
