// A disk in memory with one folder of files, for long random histories.
import { type BigIntStats, Dirent, type Stats } from 'node:fs';
import type { Disk } from '../../../actors/watcher/disk.ts';

export interface FakeFile {
  size: bigint;
  mtimeNs: bigint;
  /** Code of the error that opening it gives. */
  locked: string | null;
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code, syscall: 'x' });
}

function statOf(kind: 'file' | 'folder', { size, mtimeNs }: { size: bigint; mtimeNs: bigint }): BigIntStats {
  const isFile = () => kind === 'file';
  const isDirectory = () => kind === 'folder';
  return { size, mtimeNs, dev: 1n, ino: 2n, isFile, isDirectory } as unknown as BigIntStats;
}

/** `files`: by name, directly in `root`; changed by the test. */
export function fakeDisk(root: string, files: Map<string, FakeFile>): Disk {
  const nameOf = (path: string) => path.slice(root.length + 1);
  const entry = (name: string): Dirent => {
    const type: Partial<Stats> = {
      isFile: () => true,
      isDirectory: () => false,
      isSymbolicLink: () => false,
    };
    return Object.assign(Object.create(Dirent.prototype), type, { name });
  };
  const stat = (path: string) => {
    const file = files.get(nameOf(path));
    if (!file) throw failing('ENOENT');
    return statOf('file', file);
  };
  return {
    list: () => [...files.keys()].map(entry),
    stat,
    reach: async () => statOf('folder', { size: 0n, mtimeNs: 0n }),
    opened: (path) => {
      const file = files.get(nameOf(path));
      if (!file || file.locked !== null) throw failing(file?.locked ?? 'ENOENT');
      return statOf('file', file);
    },
    realpath: (path) => path,
    isPseudo: () => false,
  };
}
