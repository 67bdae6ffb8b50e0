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
  /** Every folder is entered once, so that links end. */
  const entered = new Set(skip);
  const folders: Folder[] = [{ below: '', real: disk.realpath(root) }];
  // Links wait until the folders themselves were entered: a file is then always found by the same name.
  const links: Folder[] = [];
  for (let folder = folders.pop(); folder; folder = folders.pop() ?? links.pop()) {
    yield null;
    if (entered.has(folder.real)) continue;
    entered.add(folder.real);
    yield* listing(options, folder, { folders, links });
  }
}

function* listing(
  options: WalkOptions,
  { below, real }: Folder,
  found: { readonly folders: Folder[]; readonly links: Folder[] },
): Generator<Sighting> {
  const { disk } = options;
  const prefix = prefixOf(options.root);
  let entries: Dirent[];
  try {
    entries = disk.list(prefix + below);
  } catch (error) {
    if (below === '') throw error;
    yield* unreadable(below.slice(0, -sep.length), error, 'unreadable');
    return;
  }
  if (below === '' && entries.some(({ name }) => !isHidden(name))) yield { kind: 'content' };
  for (const entry of entries) {
    const path = below + entry.name;
    const isLink = entry.isSymbolicLink();
    if ((entry.isFile() || isLink) && isFileWanted(options, entry.name)) {
      yield* fileAt(disk, prefix, path);
    }
    if (!isFolderWanted(options, entry.name, path)) continue;
    const folder = path + sep;
    if (entry.isDirectory()) found.folders.push({ below: folder, real: join(real, entry.name) });
    else if (isLink) {
      const target = linkedFolder(disk, prefix + path);
      if (target !== null) found.links.push({ below: folder, real: target });
    }
  }
}

function isFileWanted({ exclusions }: WalkOptions, name: string): boolean {
  return isWatchedFile(name) && !exclusions.leavesOutFile(name);
}

function isFolderWanted({ exclusions }: WalkOptions, name: string, path: string): boolean {
  return isWatchedFolder(name) && !exclusions.leavesOutFolder(path.replaceAll(sep, '/'));
}

function* fileAt(disk: Disk, prefix: string, path: string): Generator<Sighting> {
  try {
    const stat = disk.stat(prefix + path);
    // Something else may have its name since the folder was listed.
    if (stat.isFile()) yield { kind: 'file', path, stat };
  } catch (error) {
    yield* unreadable(path, error, 'unknown file');
  }
}

/** The real path of the folder to which a link leads; null for another link. */
function linkedFolder(disk: Disk, path: string): string | null {
  try {
    const stat = disk.stat(path);
    return stat.isDirectory() && !disk.isPseudo(path, stat) ? disk.realpath(path) : null;
  } catch {
    return null; // It leads nowhere, or where nobody may look.
  }
}

/** Nothing for what is gone. A name that is not UTF-8 is found under no text. */
function* unreadable(path: string, error: unknown, kind: 'unknown file' | 'unreadable'): Generator<Sighting> {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) {
    yield { kind, path, message: reasonOf(error) };
  } else if (path.includes('\ufffd')) {
    yield { kind: 'unreadable', path, message: 'The name is not UTF-8' };
  }
}
