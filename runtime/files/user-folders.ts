// Folders of the user who runs the program: the home folder, `~` in paths that people type, and the folder
// that clips and other exports go to unless another one is chosen.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Null where the system knows no home folder of the user. */
export function homeFolder(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}

/**
 * `Movies` or `Videos` of the home folder, whichever exists; where neither does, the one that is usual on the
 * system, which an export then creates. Null without a home folder.
 */
export function exportFolder(home = homeFolder(), platform = process.platform): string | null {
  if (home === null) return null;
  const [movies, videos] = [join(home, 'Movies'), join(home, 'Videos')];
  return [movies, videos].find(existsSync) ?? (platform === 'darwin' ? movies : videos);
}

/**
 * Absolute path of what a person typed: relative to the working folder, with `~` for the home folder, which
 * shells leave alone in quotes and after `--out=`.
 */
export function typedPath(path: string, home = homeFolder()): string {
  const below = /^~(?:[/\\](.*))?$/s.exec(path);
  return below && home !== null ? join(home, below[1] ?? '') : resolve(path);
}
