// Access to the watched file systems, some of which may never answer.
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf, reasonOf } from '../../runtime/errors.ts';
import { type FolderSystem, isTooWide, systemFolders } from '../../runtime/files/folder.ts';
import { orAborted } from '../../runtime/sync/shared-work.ts';
import { type exclusionsOf, isHidden, isWatchedFile, isWatchedFolder } from './exclusions.ts';

/** Errors are those of the file system. */
export interface WatchedDisk extends FolderSystem {
  list(folder: string): Dirent[];
  /** Follows links. */
  stat(path: string): BigIntStats;
  /** The same without stopping the thread while a file system hangs. */
  reach(path: string): Promise<BigIntStats>;
  /** Opens the file for reading, and answers how it stands then. */
  opened(path: string): BigIntStats;
  realpath(path: string): string;
}

/** Not to be kept waiting by a pipe that has the name of a film. */
const reading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export const systemDisk: WatchedDisk = {
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  stat: (path) => statSync(path, { bigint: true }),
  reach: (path) => stat(path, { bigint: true }),
  opened: (path) => {
    const file = openSync(path, reading);
    try {
      return fstatSync(file, { bigint: true });
    } finally {
      closeSync(file);
    }
  },
  realpath: (path) => realpathSync.native(path),
  isPseudo: systemFolders.isPseudo,
};

const answerWithinMs = 5000;

interface Query {
  readonly answer: Promise<unknown>;
  readonly since: number;
}

/**
 * Waits for answers, but not for long. A query that hangs is not asked again, however many want to know:
 * each keeps one of the few threads that wait for disks.
 */
export class PendingQueries {
  readonly #clock: Clock;
  readonly #pending = new Map<string, Query>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Null when it does not answer in time. Rejects as `ask` does, and with CANCELLED. */
  async ask<T>(key: string, ask: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
    const { answer, since } = this.#pending.get(key) ?? this.#begin(key, ask);
    const { promise: limit, resolve } = Promise.withResolvers<null>();
    const wait = since + answerWithinMs - this.#clock.now();
    if (wait <= 0) return null;
    const cancel = this.#clock.after(wait, () => resolve(null));
    try {
      const first = Promise.race([answer as Promise<T>, limit]);
      return await (signal ? orAborted(first, signal) : first);
    } finally {
      cancel();
    }
  }

  #begin(key: string, ask: () => Promise<unknown>): Query {
    const answer = ask().finally(() => this.#pending.delete(key));
    // Nobody may be waiting for it any more.
    answer.catch(() => {});
    const query = { answer, since: this.#clock.now() };
    this.#pending.set(key, query);
    return query;
  }
}

// Lists the media files of a folder and of all folders below it. Calls of the file system are synchronous, so
// it is a generator: between two steps messages can be received and the walk can be given up.

/** Paths are below the root. */
export type DiskEntry =
  | { readonly kind: 'file'; readonly path: string; readonly stat: BigIntStats }
  /** A file that is there, and whose size and time cannot be had. */
  | { readonly kind: 'unknown file'; readonly path: string; readonly message: string }
  /** A folder whose files are not known, or a name that is not text. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly message: string }
  /** A visible name in the root, which is therefore not an empty mount point. */
  | { readonly kind: 'content' };

export interface FolderWalkOptions {
  readonly disk: WatchedDisk;
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
export function* walk(options: FolderWalkOptions): Generator<DiskEntry | null> {
  const { disk, root, skip } = options;
  const prefix = prefixOf(root);
  /** Every folder is entered once, so that links end. */
  const entered = new Set(skip);
  const realRoot = disk.realpath(root);
  const folders: Folder[] = [{ below: '', real: realRoot }];
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
      else {
        const targets = linkedFolder(disk, prefix + path, realRoot);
        links.push(...targets.map((real) => ({ below: path + sep, real })));
      }
    }
  }
}

/** Entries of a folder, or the fact that it cannot be listed; null if it is gone. */
function entriesOf(disk: WatchedDisk, prefix: string, below: string): Dirent[] | DiskEntry | null {
  try {
    return disk.list(prefix + below);
  } catch (error) {
    if (below === '') throw error;
    return unreadable(below.slice(0, -sep.length), error, 'unreadable');
  }
}

function isFileWanted({ exclusions }: FolderWalkOptions, name: string): boolean {
  return isWatchedFile(name) && !exclusions.leavesOutFile(name);
}

function isFolderWanted({ exclusions }: FolderWalkOptions, name: string, path: string): boolean {
  return isWatchedFolder(name) && !exclusions.leavesOutFolder(path.replaceAll(sep, '/'));
}

function fileAt(disk: WatchedDisk, prefix: string, path: string): DiskEntry | null {
  try {
    const stat = disk.stat(prefix + path);
    // Something else may have its name since the folder was listed.
    return stat.isFile() ? { kind: 'file', path, stat } : null;
  } catch (error) {
    return unreadable(path, error, 'unknown file');
  }
}

/** The real path of the folder to which a link leads; none for another link. */
function linkedFolder(disk: WatchedDisk, path: string, root: string): string[] {
  try {
    if (!disk.stat(path).isDirectory()) return [];
    const real = disk.realpath(path);
    return isTooWide(real, root, disk) ? [] : [real];
  } catch {
    return []; // It leads nowhere, or where nobody may look.
  }
}

/** Null for what is gone. A name that is not UTF-8 is found under no text. */
function unreadable(path: string, error: unknown, kind: 'unknown file' | 'unreadable'): DiskEntry | null {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) {
    return { kind, path, message: reasonOf(error) };
  }
  return path.includes('\ufffd') ? { kind: 'unreadable', path, message: 'The name is not UTF-8' } : null;
}
