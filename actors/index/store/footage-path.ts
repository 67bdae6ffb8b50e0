// Paths of footage under a folder, and what they become when the folder moves.

import { stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { comparablePath } from '../../../runtime/paths.ts';

export const asFolder = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** The folder itself counts. Whole names only: `/films2` is not in `/films`. */
export function isWithin(path: string, folder: string): boolean {
  if (path === folder || path.startsWith(asFolder(folder))) return true;
  const [pathKey, folderKey] = [comparablePath(path), comparablePath(folder)];
  return pathKey === folderKey || pathKey.startsWith(asFolder(folderKey));
}

/** `path` must lie within `from`. */
export function movedPath(path: string, from: string, to: string): string {
  const names = path.split(sep).slice(asFolder(from).split(sep).length - 1);
  return names.length === 0 ? to : asFolder(to) + names.join(sep);
}

// Which volume a file lies on, by the place it is mounted at: the name of a drive outlives the drive being
// away.

/** Folders in which systems mount drives: what is missing in them is a drive. */
export const mountFolders =
  /^(\/|\/(mnt|media|Volumes|net|run\/media)(\/[^/]+)?|\/(media|run\/media)\/[^/]+\/[^/]+|[A-Za-z]:\\)$/;

/**
 * Null for what is not there, or cannot be looked at. Links are followed, so a link to another drive is such
 * a place too.
 */
async function deviceOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ dev }) => dev,
    () => null,
  );
}

/** The highest folder above `path` on the same device; null when the file is not there. */
export async function volumeOf(path: string): Promise<string | null> {
  const device = await deviceOf(path);
  if (device === null) return null;
  let at = path;
  for (let above = dirname(at); above !== at; above = dirname(at)) {
    if ((await deviceOf(above)) !== device) return at;
    at = above;
  }
  return at;
}

export async function isMounted(volume: string): Promise<boolean> {
  const device = await deviceOf(volume);
  const above = dirname(volume);
  return device !== null && (above === volume || (await deviceOf(above)) !== device);
}
