// Permissions of written files. The program's own files (analyses, tasks, logs) are readable by the user who
// runs it, or by a group; exports get the permissions that other programs of that user would give. Native
// libraries create files too, so all of it is done by the umask of the process.
import { chmodSync, lstatSync } from 'node:fs';
import { codeOf } from '../errors.ts';

export type SharedWith = 'nobody' | 'group';

/**
 * The umask that this program was started with, octal: threads and processes that it starts inherit the
 * variable.
 */
const startedWith = 'FRAMEHOUND_STARTED_UMASK';

/** Permissions that are taken off whatever is kept. */
const takenOff: Readonly<Record<SharedWith, number>> = { nobody: 0o077, group: 0o007 };

/** File systems that keep no permissions. */
const unsupported = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** From now on what this process makes is kept from others. In the main thread only. */
export function keepFromOthers(sharedWith: SharedWith): void {
  if (process.platform === 'win32') return;
  process.env[startedWith] ??= process.umask().toString(8);
  process.umask(takenOff[sharedWith]);
}

/** Gives a file or folder that was just made for a person the permissions that other programs give. */
export function exported(path: string, kind: 'file' | 'folder'): void {
  const umask = process.env[startedWith];
  if (umask === undefined) return;
  chmod(path, (kind === 'file' ? 0o666 : 0o777) & ~Number.parseInt(umask, 8));
}

/** Runs `start`, which starts a program of somebody else, with the umask that this one was started with. */
export function asStarted<T>(start: () => T): T {
  const umask = process.env[startedWith];
  if (umask === undefined) return start();
  const previous = process.umask(Number.parseInt(umask, 8));
  try {
    return start();
  } finally {
    process.umask(previous);
  }
}

/**
 * Existing paths that other users can use. Targets of links are left out, because they may be shared on
 * purpose.
 */
export function openToOthers(paths: readonly string[], sharedWith: SharedWith): string[] {
  if (process.platform === 'win32') return [];
  return paths.filter((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && !stats.isSymbolicLink() && (stats.mode & takenOff[sharedWith]) !== 0;
  });
}

/** Takes these permissions off. Throws the error of the file system, but where it keeps none. */
export function closeToOthers(path: string, sharedWith: SharedWith): void {
  chmod(path, lstatSync(path).mode & 0o7777 & ~takenOff[sharedWith]);
}

function chmod(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!unsupported.includes(codeOf(error))) throw error;
  }
}
