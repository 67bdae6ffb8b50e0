// Small private files that are there whole or not at all: written beside their place, flushed, then put there at once.
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../runtime/files/make-folder.ts';

/** For the owner's eyes: mode 0600 in a folder of mode 0700. Throws the error of the file system. */
export function writeWhole(path: string, text: string): void {
  place(path, text, renameSync);
}

/** What file systems say that know no second name for a file, as on some memory cards and network shares. */
const withoutLinks: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** The same, unless the file is there already: of several writers the first wins. True when this one did. */
export function writeFirst(path: string, text: string): boolean {
  let first = true;
  place(path, text, (part) => {
    try {
      linkSync(part, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' && !withoutLinks.includes(codeOf(error))) throw error;
      first = codeOf(error) !== 'EEXIST' && !existsSync(path);
      // There is nothing better where files have one name only: of two writers at the same moment the second wins.
      if (first) renameSync(part, path);
    }
    rmSync(part, { force: true });
  });
  return first;
}

function place(path: string, text: string, put: (part: string, path: string) => void): void {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  const part = `${path}.${randomUUID()}.part`;
  try {
    const file = openSync(part, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    put(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  flushFolder(folder);
}

/** A name is on the disk when its folder is. Windows opens no folder, and needs no such flush. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
