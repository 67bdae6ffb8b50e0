// Notices that a file changed while it was read: compares what the file system says of it before and after.
import { stat } from 'node:fs/promises';
import type { EngineError } from '../../../runtime/errors.ts';
import { mediaErrors } from '../contract.ts';

export interface FileStamp {
  readonly size: bigint;
  /** Nanoseconds. */
  readonly modified: bigint;
  readonly inode: bigint;
}

/** Errors: FILE_NOT_FOUND, FILE_UNREADABLE, FILE_EMPTY. */
export async function readFileStamp(path: string): Promise<FileStamp> {
  const stats = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    const missing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    if (!missing) throw cannotOpen(path, error);
    const { FILE_NOT_FOUND } = mediaErrors;
    throw FILE_NOT_FOUND(`${path}: ${FILE_NOT_FOUND.meaning} (${error.code})`, { path }, error);
  });
  if (!stats.isFile()) throw mediaErrors.FILE_UNREADABLE(`${path}: is not a file`, { path });
  if (stats.size === 0n) throw mediaErrors.FILE_EMPTY(`${path}: is empty`, { path });
  return { size: stats.size, modified: stats.mtimeNs, inode: stats.ino };
}

/** FILE_UNREADABLE; TOO_MANY_FILES where nothing is wrong with the file. */
export function cannotOpen(path: string, error: NodeJS.ErrnoException): EngineError {
  const full = error.code === 'EMFILE' || error.code === 'ENFILE';
  const maker = full ? mediaErrors.TOO_MANY_FILES : mediaErrors.FILE_UNREADABLE;
  return maker(`${path}: cannot be opened (${error.code})`, { path }, error);
}

/** Throws FILE_CHANGED when the file no longer has this stamp. */
export async function expectUnchanged(path: string, before: FileStamp): Promise<void> {
  const after = await readFileStamp(path).catch((error: unknown) => {
    if (mediaErrors.TOO_MANY_FILES.is(error)) throw error;
    throw mediaErrors.FILE_CHANGED(`${path}: no longer exists`, { path }, error);
  });
  const same =
    after.size === before.size && after.modified === before.modified && after.inode === before.inode;
  if (!same) throw mediaErrors.FILE_CHANGED(`${path}: changed while it was being read`, { path });
}
