// The folder that a command writes its exports to.
import { exportFolder, typedPath } from '../runtime/files/user-folders.ts';
import { usageErrors } from './context.ts';

/** Absolute. `out`: value of `--out`; without it, the folder of exports in the home folder. */
export function outputFolder(out?: string): string {
  const folder = out === undefined ? exportFolder() : typedPath(out);
  if (folder === null) throw usageErrors.USAGE('there is no home folder to write to: add --out DIR');
  return folder;
}
