// What the watcher asks of file systems. A test hands in one that hangs, refuses or changes.
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { isPseudoFolder } from '../../runtime/files/pseudo-folder.ts';

/** Errors are those of the file system. */
export interface Disk {
  list(folder: string): Dirent[];
  /** The same names as bytes. */
  listBytes(folder: string): Buffer[];
  /** Follows links; undefined when nothing is there. */
  stat(path: string): BigIntStats | undefined;
  /** The same without stopping the thread while a file system hangs. */
  reach(path: string): Promise<BigIntStats>;
  /** Opens the file for reading, and answers how it stands then. */
  opened(path: string): BigIntStats;
  realpath(path: string): string;
  /** Whether the kernel makes the folder up. */
  isPseudo(folder: string, stat: Pick<BigIntStats, 'dev'>): boolean;
}

const quiet = { bigint: true, throwIfNoEntry: false } as const;

/** Not to be kept waiting by a pipe that has the name of a film. */
const reading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export const systemDisk: Disk = {
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  listBytes: (folder) => readdirSync(folder, { encoding: 'buffer' }),
  stat: (path) => statSync(path, quiet),
  reach: (path) => stat(path, { bigint: true }),
  opened: (path) => {
    const file = openSync(path, reading);
    try {
      return fstatSync(file, { bigint: true });
    } finally {
      closeSync(file);
    }
  },
  realpath: (path) => realpathSync.native(path),
  isPseudo: (folder, { dev }) => isPseudoFolder(statfsSync(folder).type, dev),
};

/** Size and time of a file: another mark means another content. */
export function markOf({ size, mtimeNs }: Pick<BigIntStats, 'size' | 'mtimeNs'>): string {
  return `${size}-${mtimeNs}`;
}
