// Folders: made with their parents, known by one name, and told apart from those that the kernel makes up.
import { type BigIntStats, mkdirSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { stat as lookAt, realpath, statfs } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { codeOf } from '../errors.ts';
import { exported } from './permissions.ts';

// Makes a folder and its missing parents. `mkdir` with `recursive` retries forever where a file system
// refuses new folders with ENOENT (/proc, a link to a disk that is not mounted).

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

/** Creates the folder and returns the folders that were missing. */
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

// The one name of an analysis folder, however it was given: two names would be two stores with the lease of
// one process.

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

// Folders that the kernel makes up, as those of /proc, /sys and /dev are: nothing in them is a file that
// somebody put there.

/** `f_type` of Linux. Memory is left out: a person may keep films there. */
const kernelTypes = new Set([
  0x9fa0, // proc
  0x6265_6572, // sysfs
  0x1cd1, // devpts
  0x27_e0eb, // cgroup
  0x6367_7270, // cgroup2
  0x6462_6720, // debugfs
  0x7472_6163, // tracefs
  0x7363_6673, // securityfs
  0xf97c_ff8c, // selinuxfs
  0x6165_676c, // pstorefs
  0xcafe_4a11, // bpf
  0x6265_6570, // configfs
  0x6573_5543, // fusectl
  0x4249_4e4d, // binfmt_misc
  0x1980_0202, // mqueue
  0xde5e_81e4, // efivarfs
  0x6e73_6673, // nsfs
  0x6752_5f63, // rpc_pipefs
]);

/** `type`: what `statfs` says of the folder; `dev`: its device by `stat`. */
export function isPseudoFolder(type: number, dev: bigint): boolean {
  if (process.platform === 'linux' && kernelTypes.has(type >>> 0)) return true;
  // It has the type of memory, or one that differs between systems.
  return dev === deviceFolder();
}

/** Access to the file system that `isTooWide` needs. Errors are those of the file system. */
export interface FolderSystem {
  /** Follows links. */
  stat(path: string): Pick<BigIntStats, 'dev'>;
  /** True for a folder that the kernel generates. */
  isPseudo(folder: string, stat: Pick<BigIntStats, 'dev'>): boolean;
}

export const systemFolders: FolderSystem = {
  stat: (path) => statSync(path, { bigint: true }),
  isPseudo: (folder, { dev }) => isPseudoFolder(statfsSync(folder).type, dev),
};

/**
 * True for a folder that a link below `root` hardly means: one above the root, a whole volume, or one that
 * the kernel generates. A link to `/` leads to every file of the machine. Both paths are absolute and without
 * links.
 */
export function isTooWide(folder: string, root: string, system: FolderSystem): boolean {
  const withEnd = (path: string) => (path.endsWith(sep) ? path : path + sep);
  if (withEnd(root).startsWith(withEnd(folder))) return true;
  const stat = system.stat(folder);
  const parent = dirname(folder);
  const isVolume = parent === folder || system.stat(parent).dev !== stat.dev;
  return isVolume || system.isPseudo(folder, stat);
}

/** `isTooWide` for the folder that the link at `path` leads to. Errors are those of the file system. */
export async function linksTooWide(path: string, root: string): Promise<boolean> {
  const folder = await realpath(path);
  const [stat, above, { type }] = await Promise.all([
    lookAt(folder, { bigint: true }),
    lookAt(dirname(folder), { bigint: true }),
    statfs(folder),
  ]);
  return isTooWide(folder, root, {
    stat: (path) => (path === folder ? stat : above),
    isPseudo: (_, { dev }) => isPseudoFolder(type, dev),
  });
}

/** Device of /dev; null where there is none, or it is no file system of its own. */
function deviceFolder(): bigint | null {
  if (process.platform === 'win32') return null;
  try {
    const [devices, root] = ['/dev', '/'].map((path) => statSync(path, { bigint: true }).dev);
    return devices === undefined || devices === root ? null : devices;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
