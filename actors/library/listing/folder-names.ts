// Names in a folder of the disk, in natural order. They are read once for all pages, and again when the
// folder has changed.
import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { codeOf, engineErrors } from '../../../runtime/errors.ts';
import { isGarbled, nameOf } from '../../../runtime/files/utf8-name.ts';
import { inSteps, type Steps } from '../../../runtime/sync/checkpoint.ts';
import { orAborted, SharedWork, sideBySide } from '../../../runtime/sync/shared-work.ts';
import { isWatchedFile, isWatchedFolder } from '../../watcher/exclusions.ts';
import { libraryErrors } from '../contract.ts';
import { TOGETHER } from '../parts.ts';

/** Errors are those of the file system. */
export interface ListingDisk {
  list(folder: string): Promise<Dirent<Buffer>[]>;
  /** Follows links. */
  stat(path: string | Buffer): Promise<BigIntStats>;
}

export const systemDisk: ListingDisk = {
  list: (folder) =>
    readdir(folder, { withFileTypes: true, encoding: 'buffer' }) as unknown as Promise<Dirent<Buffer>[]>,
  stat: (path) => stat(path, { bigint: true }),
};

export interface Name {
  /** Name as text, with replacement characters if it is not UTF-8. */
  readonly name: string;
  /** Bytes of a name that is not UTF-8, by which alone the file can be opened. */
  readonly bytes: Buffer | null;
}

export interface FolderName extends Name {
  readonly isLink: boolean;
}

export interface FolderNames {
  readonly folders: readonly FolderName[];
  readonly files: readonly Name[];
}

interface Kept extends FolderNames {
  readonly mark: string;
}

/** Folders whose names are kept, and names of all of them. */
const MOST_FOLDERS = 8;
const MOST_NAMES = 500_000;
/** A folder that was changed so shortly before may change again without its time telling. */
const UNSURE_MS = 3000;

export class ListedFolders {
  readonly #disk: ListingDisk;
  /** Milliseconds since 1970. */
  readonly #now: () => number;
  readonly #reading = new SharedWork<FolderNames>();
  readonly #folders = new Map<string, Kept>();

  constructor(now: () => number, disk: ListingDisk = systemDisk) {
    this.#now = now;
    this.#disk = disk;
  }

  /** FOLDER_GONE, FOLDER_NOT_LISTED. A folder that does not answer is asked once, however many wait. */
  names(folder: string, signal: AbortSignal): Promise<FolderNames> {
    return this.#reading.run(folder, signal, async (until) => {
      try {
        return await this.#names(folder, until);
      } catch (error) {
        throw until.aborted ? engineErrors.CANCELLED() : await notListed(folder, error);
      }
    });
  }

  async #names(folder: string, signal: AbortSignal): Promise<FolderNames> {
    const stats = await this.#disk.stat(folder);
    const mark = `${stats.dev}-${stats.ino}-${stats.mtimeNs}-${stats.ctimeNs}`;
    const before = this.#folders.get(folder);
    if (before?.mark === mark) return before;
    const began = this.#now();
    const names = await this.#read(folder, signal);
    this.#folders.delete(folder);
    if (began - Number(stats.mtimeMs) >= UNSURE_MS) this.#folders.set(folder, { ...names, mark });
    this.#drop();
    return names;
  }

  async #read(folder: string, signal: AbortSignal): Promise<FolderNames> {
    const pause = async () => {
      await eventLoopTurn();
      if (signal.aborted) throw engineErrors.CANCELLED();
    };
    const folders: FolderName[] = [];
    const files: Name[] = [];
    const links: Name[] = [];
    for (const [i, entry] of (await this.#disk.list(folder)).entries()) {
      if (i % 1024 === 0) await pause();
      const text = nameOf(entry.name);
      const name = { name: text ?? entry.name.toString(), bytes: text === null ? entry.name : null };
      if (entry.isDirectory()) folders.push({ ...name, isLink: false });
      else if (entry.isFile()) files.push(name);
      else if (entry.isSymbolicLink()) links.push(name);
    }
    const shown = links.filter(({ name }) => isWatchedFile(name) || isWatchedFolder(name));
    await sideBySide(shown.values(), TOGETHER, signal, async (name) => {
      // One that leads nowhere, or round in a circle, is left out.
      const target = await this.#disk.stat(pathOf(folder, name)).catch(() => null);
      if (target?.isDirectory()) folders.push({ ...name, isLink: true });
      else if (target?.isFile()) files.push(name);
    });
    return {
      folders: await inSteps(inNaturalOrder(folders.filter(({ name }) => isWatchedFolder(name))), pause),
      files: await inSteps(inNaturalOrder(files.filter(({ name }) => isWatchedFile(name))), pause),
    };
  }

  #drop(): void {
    const count = ({ folders, files }: FolderNames) => folders.length + files.length;
    let names = [...this.#folders.values()].reduce((sum, folder) => sum + count(folder), 0);
    for (const [path, folder] of this.#folders) {
      if (this.#folders.size <= MOST_FOLDERS && names <= MOST_NAMES) return;
      this.#folders.delete(path);
      names -= count(folder);
    }
  }
}

/** Path in the form that the file system takes. */
export function pathOf(folder: string, { name, bytes }: Name): string | Buffer {
  return bytes === null
    ? join(folder, name)
    : Buffer.concat([Buffer.from(join(folder, 'x')).subarray(0, -1), bytes]);
}

async function notListed(folder: string, error: unknown): Promise<Error> {
  const code = codeOf(error);
  const about = { field: 'folder', path: folder };
  if (code === 'ENOTDIR')
    return libraryErrors.FOLDER_NOT_LISTED(`folder: ${folder} is not a folder`, about, error);
  if (code !== 'ENOENT') {
    const what = `folder: ${folder} cannot be read (${code || String(error)})`;
    return libraryErrors.FOLDER_NOT_LISTED(what, about, error);
  }
  const why = (await isGarbled(folder)) ? 'has a name that is not valid UTF-8; rename it' : 'does not exist';
  return libraryErrors.FOLDER_GONE(`folder: ${folder} ${why}`, about, error);
}

/**
 * How a file stands; null when it is gone or no file any more, the code of the error when it cannot be looked
 * at.
 */
export async function lookAt(
  disk: ListingDisk,
  path: string | Buffer,
  signal: AbortSignal,
): Promise<BigIntStats | string | null> {
  try {
    const stats = await orAborted(disk.stat(path), signal);
    return stats.isFile() ? stats : null;
  } catch (error) {
    const code = codeOf(error);
    if (signal.aborted) throw engineErrors.CANCELLED();
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : code || String(error);
  }
}

// The order in which people expect names: `take 2` before `take 10`, whatever the case. In steps, because a
// folder may hold very many.

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Names that differ only in case or accents have an order too, so that pages fit together. */
export function naturalOrder(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Sorted and merged between two pauses. */
const together = 1024;

export function* inNaturalOrder<T extends { readonly name: string }>(items: readonly T[]): Steps<T[]> {
  const order = (a: T, b: T) => naturalOrder(a.name, b.name);
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += together) {
    runs.push(items.slice(at, at + together).sort(order));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergedRuns(runs[at]!, runs[at + 1] ?? [], order));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedRuns<T>(left: readonly T[], right: readonly T[], order: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  for (let [l, r] = [0, 0]; l < left.length || r < right.length; ) {
    const takesLeft = r === right.length || (l < left.length && order(left[l]!, right[r]!) <= 0);
    merged.push(takesLeft ? left[l++]! : right[r++]!);
    if (merged.length % together === 0) yield;
  }
  return merged;
}
