// Paths of footage under a folder, and what they become when the folder moves.
import { sep } from 'node:path';

const asFolder = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** The folder itself counts. Whole names only: `/films2` is not in `/films`. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(asFolder(folder));
}

/** `path` must lie within `from`. */
export function movedPath(path: string, from: string, to: string): string {
  return path === from ? to : asFolder(to) + path.slice(asFolder(from).length);
}
