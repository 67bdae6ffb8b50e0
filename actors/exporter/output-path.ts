// The path of a file that a request wants written: it is never written over, and what keeps it from being
// written is told of the field.
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { reasonOf } from '../../runtime/files/error-code.ts';
import { expectAbove, type Refuse } from '../../runtime/files/expect-above.ts';
import { saveNew } from '../../runtime/files/save-new.ts';

/** Of a request that writes one file. */
export interface Output {
  /** Absolute path of the file; left out where the answer has the document itself. */
  readonly output_path?: string | undefined;
  readonly create_folders?: boolean | undefined;
}

/**
 * The path names the file to write, not a folder to write into, and its folder is there. Before there is
 * anything to write.
 */
export async function expectOutput(
  { output_path, create_folders = false }: Output,
  refuse: Refuse,
): Promise<void> {
  if (output_path === undefined) return;
  if (await isFolder(output_path)) throw refuse(`${output_path} is a folder; it must name the file to write`);
  await expectAbove(output_path, create_folders, refuse);
}

/** The path it got. */
export async function saveAt(path: string, content: Uint8Array, refuse: Refuse): Promise<string> {
  return saveNew(dirname(path), basename(path), content).catch((error) => {
    throw refuse(`${path} cannot be written: ${reasonOf(error)}`, error);
  });
}

/** What keeps it from being known is told by the write. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
