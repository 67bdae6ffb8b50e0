// A folder above what is to be written is there, or may be made.
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './error-code.ts';

export type Refuse = (what: string, cause?: unknown) => Error;

/** The folder that something is written into is there, or may be made. */
export async function expectAbove(path: string, mayMake: boolean, refuse: Refuse): Promise<void> {
  const folder = dirname(path);
  if (mayMake || (await isThere(folder))) return;
  throw refuse(
    `${path} cannot be written: the folder ${folder} does not exist; set create_folders to create it`,
  );
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error) => !['ENOENT', 'ENOTDIR'].includes(codeOf(error)),
  );
}
