// Atomic writes of small files: the data is written to a temporary file in the same folder, which then gets
// the name. A reader, and a crash at any moment, finds the old file or the whole new one. Errors are those of
// the file system.
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../errors.ts';
import { makeFolder } from './folder.ts';
import { discardSync, linkSync, renameSync, reserveSync } from './names.ts';
import { exported } from './permissions.ts';

export interface WriteOptions {
  /**
   * File and name survive a power cut once the call returns. Costs an fsync of the file and one of its
   * folder.
   */
  readonly flush: boolean;
  /** Permissions of the file; the umask is taken off. */
  readonly mode?: number;
  /** Makes the missing folders, with these permissions. When left out, a missing folder is an error. */
  readonly folderMode?: number;
  /** It is for a person, not kept by the program. */
  readonly isExport?: boolean;
}

/** For secrets: only the owner can read the file or list its folder. */
export const privateFile: WriteOptions = { flush: true, mode: 0o600, folderMode: 0o700 };

export function replaceFile(path: string, data: string | Uint8Array, options: WriteOptions): void {
  place(path, data, options, (part) => renameSync(part, path));
}

/** False, and nothing changed, when the file exists already: of several writers exactly one gets true. */
export function createFile(path: string, data: string | Uint8Array, options: WriteOptions): boolean {
  let created = false;
  place(path, data, options, (part) => {
    created = takeName(part, path);
    discardSync(part);
  });
  return created;
}

/**
 * Makes new and renamed entries of a folder survive a power cut. Windows opens no folders, and needs no such
 * flush.
 */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function place(
  path: string,
  data: string | Uint8Array,
  { flush, mode = 0o666, folderMode, isExport = false }: WriteOptions,
  put: (part: string) => void,
): void {
  const folder = dirname(path);
  if (folderMode !== undefined) makeFolder(folder, folderMode);
  // Several threads and processes may write the same file at once.
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, data, { flag: 'wx', mode, flush });
    if (isExport) exported(part, 'file');
    put(part);
  } catch (error) {
    discardSync(part);
    throw error;
  }
  if (flush) flushFolder(folder);
}

/** False when the name is taken: links fail then. The part keeps its own name too, where there are links. */
export function takeName(part: string, path: string): boolean {
  try {
    linkSync(part, path);
    return true;
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? false : takeNameWithoutLinks(part, path);
  }
}

/**
 * Some memory cards and network shares have no links: there an empty file reserves the name until the rename.
 */
function takeNameWithoutLinks(part: string, path: string): boolean {
  try {
    reserveSync(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    renameSync(part, path);
  } catch (error) {
    discardSync(path);
    throw error;
  }
  return true;
}
