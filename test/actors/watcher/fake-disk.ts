// A disk in memory whose folders have files only.
import { type BigIntStats, Dirent, type Stats } from 'node:fs';
import type { WatchedDisk } from '../../../actors/watcher/disk.ts';

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
  return { size, mtimeNs, ctimeNs: mtimeNs, dev: 1n, ino: 2n, isFile, isDirectory } as unknown as BigIntStats;
}

/** `files`: by path below `root`; changed by the test. Every other path is a folder. */
export function fakeDisk(root: string, files: Map<string, FakeFile>): WatchedDisk {
  const below = (path: string) => path.slice(root.length + 1);
  const entry = (name: string): Dirent => {
    const type: Partial<Stats> = {
      isFile: () => true,
      isDirectory: () => false,
      isSymbolicLink: () => false,
    };
    return Object.assign(Object.create(Dirent.prototype), type, { name });
  };
  return {
    list: (folder) => {
      const prefix = below(folder);
      const names = Array.from(files.keys(), (path) =>
        path.startsWith(prefix) ? path.slice(prefix.length) : '/',
      );
      return names.filter((name) => !name.includes('/')).map(entry);
    },
    stat: (path) => {
      const file = files.get(below(path));
      if (!file) throw failing('ENOENT');
      return statOf('file', file);
    },
    reach: async () => statOf('folder', { size: 0n, mtimeNs: 0n }),
    opened: (path) => {
      const file = files.get(below(path));
      if (!file || file.locked !== null) throw failing(file?.locked ?? 'ENOENT');
      return statOf('file', file);
    },
    realpath: (path) => path,
    isPseudo: () => false,
  };
}
