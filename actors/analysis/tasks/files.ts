// The checks of a request against the disk: whether there is any media, and whether results can be stored.
// Only `prepareFolder` changes anything.
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { engineErrors } from '../../../runtime/errors.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { isGarbled } from '../../../runtime/files/utf8-name.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { analysisErrors } from '../contract.ts';

/** Files checked at the same time. */
const TOGETHER = 32;

/** Throws NO_VALID_MEDIA when none of the paths is a file; those that are not will fail one by one. */
export async function expectMedia(paths: readonly string[], signal: AbortSignal): Promise<void> {
  for (let at = 0; at < paths.length; at += TOGETHER) {
    if (signal.aborted) throw engineErrors.CANCELLED();
    const areFiles = await Promise.all(paths.slice(at, at + TOGETHER).map(isFile));
    if (areFiles.includes(true)) return;
  }
  const named = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  const garbled = (await Promise.all(paths.slice(0, 5).map(isGarbled))).includes(true);
  const why = garbled ? '. Some files have names that are not valid UTF-8; rename them' : '';
  throw analysisErrors.NO_VALID_MEDIA(
    paths.length === 0
      ? 'The request names no media: none of its fields for media, such as visual_media_paths, has a path'
      : `None of these paths is a file: ${named}${more}${why}`,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    // Whatever the reason: if the file is analysed, it fails with it.
    () => false,
  );
}

/** Reason why each file cannot be used as a small picture; null if it can. */
export function unfit(paths: readonly string[], mostBytes: number): Promise<(string | null)[]> {
  return Promise.all(
    paths.map((path) =>
      stat(path).then(
        (stats) => {
          if (!stats.isFile()) return 'is not a file';
          return stats.size > mostBytes ? `has ${stats.size} bytes, more than ${mostBytes}` : null;
        },
        (error: NodeJS.ErrnoException) => `cannot be read (${error.code})`,
      ),
    ),
  );
}

/**
 * Throws NOT_A_FOLDER when there is something else under the name or above it, STORE_READ_ONLY when the
 * folder, or the one it would be made in, cannot be written. Answers the folder, or the first above it that
 * has to be made: a library that is as empty.
 */
export async function expectWritable(folder: string, field = 'cache_dir'): Promise<string> {
  const nearest = await nearestThing(folder, field);
  if (!nearest.isFolder) throw notAFolder(folder, nearest.path, field);
  await access(nearest.path, constants.W_OK | constants.X_OK).catch((error) => {
    throw unwritable(folder, error, field);
  });
  return nearest.missing ?? folder;
}

/** Makes the folder. Errors as `expectWritable`, and STORE_FULL. */
export function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') throw notAFolder(folder, folder);
    throw unwritable(folder, error as NodeJS.ErrnoException);
  }
}

/** The folder itself, or its nearest ancestor that exists, and what is missing in that. */
async function nearestThing(
  folder: string,
  field: string,
): Promise<{ path: string; isFolder: boolean; missing: string | null }> {
  let missing: string | null = null;
  for (let path = resolve(folder); ; path = dirname(path)) {
    try {
      return { path, isFolder: (await stat(path)).isDirectory(), missing };
    } catch (error) {
      missing = path;
      const { code } = error as NodeJS.ErrnoException;
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
      if (!isMissing || dirname(path) === path) {
        throw unwritable(folder, error as NodeJS.ErrnoException, field);
      }
    }
  }
}

function notAFolder(folder: string, path: string, field = 'cache_dir') {
  const what = path === folder ? 'is not a folder' : `cannot be created: ${path} is not a folder`;
  return analysisErrors.NOT_A_FOLDER(`${field} ${folder} ${what}`, { field, path });
}

function unwritable(folder: string, error: NodeJS.ErrnoException, field = 'cache_dir') {
  const { code = String(error) } = error;
  const named = code === 'ENAMETOOLONG' || code === 'ELOOP' || code === 'EINVAL';
  if (named) {
    return analysisErrors.NOT_A_FOLDER(`${field} ${folder} is not a valid folder path (${code})`, { field });
  }
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const row = full ? storeErrors.STORE_FULL : storeErrors.STORE_READ_ONLY;
  return row(`${field} ${folder}: ${row.meaning.toLowerCase()} (${code})`, { folder }, error);
}
