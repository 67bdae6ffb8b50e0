// Lists the media files of a folder and of all folders below it. Calls of the file system are synchronous, so
// it is a generator: between two steps messages can be received and the walk can be given up.
import type { BigIntStats, Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { codeOf, reasonOf } from '../../runtime/files/error-code.ts';
import type { Disk } from './disk.ts';
import type { exclusionsOf } from './exclusions.ts';
import { isHidden, isWatchedFile, isWatchedFolder } from './names.ts';

/** Paths are below the root. */
export type Sighting =
  | { readonly kind: 'file'; readonly path: string; readonly stat: BigIntStats }
  /** A file that is there, and whose size and time cannot be had. */
  | { readonly kind: 'unknown file'; readonly path: string; readonly message: string }
  /** A folder whose files are not known, or a name that is not text. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly message: string }
  /** A visible name in the root, which is therefore not an empty mount point. */
  | { readonly kind: 'content' };

export interface WalkOptions {
  readonly disk: Disk;
  /** Absolute. */
  readonly root: string;
  readonly exclusions: ReturnType<typeof exclusionsOf>;
  /** Absolute folders without links that are left out. */
  readonly skip: Iterable<string>;
}

interface Folder {
  /** Below the root, with a separator at the end; empty for the root. */
  readonly below: string;
  /** Without links. */
  readonly real: string;
}

/** Names of files below a root begin with this. */
export function prefixOf(root: string): string {
  return root.endsWith(sep) ? root : root + sep;
}

/** Steps without a sighting are null. Throws what the file system says of the root. */
export function* walk(options: WalkOptions): Generator<Sighting | null> {
  const { disk, root, skip } = options;
  const prefix = prefixOf(root);
  /** Every folder is entered once, so that links end. */
  const entered = new Set(skip);
  const folders: Folder[] = [{ below: '', real: disk.realpath(root) }];
  // Links wait until the folders themselves were entered: a file is then always found by the same name.
  const links: Folder[] = [];
  for (let folder = folders.pop(); folder; folder = folders.pop() ?? links.pop()) {
    yield null;
    const { below, real } = folder;
    if (entered.has(real)) continue;
    entered.add(real);
    const entries = entriesOf(disk, prefix, below);
    if (!Array.isArray(entries)) {
      yield entries;
      continue;
    }
    if (below === '' && entries.some(({ name }) => !isHidden(name))) yield { kind: 'content' };
    for (const entry of entries) {
      const path = below + entry.name;
      const isLink = entry.isSymbolicLink();
      if ((isLink || entry.isFile()) && isFileWanted(options, entry.name)) yield fileAt(disk, prefix, path);
      if (!(isLink || entry.isDirectory()) || !isFolderWanted(options, entry.name, path)) continue;
      if (!isLink) folders.push({ below: path + sep, real: join(real, entry.name) });
      else links.push(...linkedFolder(disk, prefix + path).map((to) => ({ below: path + sep, real: to })));
    }
  }
}

/** Those of a folder, or that it cannot be listed; null where it is gone. */
function entriesOf(disk: Disk, prefix: string, below: string): Dirent[] | Sighting | null {
  try {
    return disk.list(prefix + below);
  } catch (error) {
    if (below === '') throw error;
    return unreadable(below.slice(0, -sep.length), error, 'unreadable');
  }
}

function isFileWanted({ exclusions }: WalkOptions, name: string): boolean {
  return isWatchedFile(name) && !exclusions.leavesOutFile(name);
}

function isFolderWanted({ exclusions }: WalkOptions, name: string, path: string): boolean {
  return isWatchedFolder(name) && !exclusions.leavesOutFolder(path.replaceAll(sep, '/'));
}

function fileAt(disk: Disk, prefix: string, path: string): Sighting | null {
  try {
    const stat = disk.stat(prefix + path);
    // Something else may have its name since the folder was listed.
    return stat.isFile() ? { kind: 'file', path, stat } : null;
  } catch (error) {
    return unreadable(path, error, 'unknown file');
  }
}

/** The real path of the folder to which a link leads; none for another link. */
function linkedFolder(disk: Disk, path: string): string[] {
  try {
    const stat = disk.stat(path);
    return stat.isDirectory() && !disk.isPseudo(path, stat) ? [disk.realpath(path)] : [];
  } catch {
    return []; // It leads nowhere, or where nobody may look.
  }
}

/** Null for what is gone. A name that is not UTF-8 is found under no text. */
function unreadable(path: string, error: unknown, kind: 'unknown file' | 'unreadable'): Sighting | null {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) {
    return { kind, path, message: reasonOf(error) };
  }
  return path.includes('\ufffd') ? { kind: 'unreadable', path, message: 'The name is not UTF-8' } : null;
}
