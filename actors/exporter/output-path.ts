// The path of a file that a request wants written: it is never written over, and what keeps it from being written is told of
// the field.
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { saveNew } from '../../runtime/files/save-new.ts';

export type Refuse = (what: string, cause?: unknown) => Error;

/** The path names the file to write, not a folder to write into. Before there is anything to write. */
export async function expectNoFolder(path: string | null, refuse: Refuse): Promise<void> {
  if (path === null) return;
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    // What keeps it from being written is told by the write.
    () => false,
  );
  if (isFolder) throw refuse(`${path} is a folder; it must name the file to write`);
}

/** The path it got. */
export async function saveAt(path: string, content: Uint8Array, refuse: Refuse): Promise<string> {
  try {
    return await saveNew(dirname(path), basename(path), content);
  } catch (error) {
    throw refuse((error as Error).message, error);
  }
}
