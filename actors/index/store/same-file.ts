// Whether a file that is open is still the one of its name. A folder can be deleted, swapped or mounted anew
// while its files are open: they go on taking reads and writes, and nobody finds again what was written.
import { fstatSync, statSync } from 'node:fs';

/** Device and inode: another file has another identity for as long as this one is open. */
export interface FileMark {
  readonly identity: string;
  readonly size: number;
  readonly changed: bigint;
}

interface Stats {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

const markOf = ({ dev, ino, size, mtimeNs }: Stats): FileMark => ({
  identity: `${dev}:${ino}`,
  size: Number(size),
  changed: mtimeNs,
});

/**
 * Null when nothing lies there, or the folder is gone. Throws what else the file system says, a lost share
 * for one.
 */
export function markAt(path: string): FileMark | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : markOf(stats);
}

export function isSameFile(fd: number, path: string): boolean {
  return markAt(path)?.identity === markOf(fstatSync(fd, { bigint: true })).identity;
}
