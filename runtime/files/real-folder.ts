// The one name of an analysis folder, however it was given: two names would be two stores with the lease of
// one process.
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Absolute and without links, also where the last folders are not there yet. */
export function realFolder(folder: string): string {
  const path = resolve(folder);
  const parent = dirname(path);
  try {
    return realpathSync.native(path);
  } catch {
    // Not there, or not to be looked into: what is done with it next gives the reason.
    return parent === path ? path : join(realFolder(parent), basename(path));
  }
}
