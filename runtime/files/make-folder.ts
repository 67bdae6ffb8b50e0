// Makes a folder and its missing parents. `mkdir` with `recursive` retries for ever where a file system
// refuses new folders with ENOENT (/proc, a link to a disk that is not mounted).
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from './error-code.ts';
import { exported } from './permissions.ts';

/**
 * A folder that exists is left as it is; `mode` is for those that are made. Throws the error of the file
 * system, ENOTDIR when something else has the name.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  made(folder, mode);
}

/** The same for what a person exports. */
export function makeExportFolder(folder: string): void {
  for (const path of made(folder, 0o777)) exported(path, 'folder');
}

/** Those that were not there. */
function made(folder: string, mode: number): string[] {
  const missing: string[] = [];
  for (let path = resolve(folder); !exists(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) {
    try {
      mkdirSync(path, mode);
    } catch (error) {
      // Another process may have made it meanwhile.
      if (codeOf(error) !== 'EEXIST' || !isFolder(path)) throw error;
    }
  }
  if (!isFolder(folder)) {
    throw Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${folder}'`), {
      code: 'ENOTDIR',
      syscall: 'mkdir',
    });
  }
  return missing;
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
    if (!missing || dirname(path) === path) throw error;
    return false;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
