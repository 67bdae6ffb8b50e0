// Saves a document in a folder, atomically and without overwriting another one.
import { constants } from 'node:fs';
import { copyFile, link, open, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { codeOf } from '../errors.ts';
import { takeName } from './atomic-write.ts';
import { makeExportFolder } from './folder.ts';
import { exported } from './permissions.ts';

/** Names that are tried before giving up. */
const MOST_NAMES = 10_000;

/**
 * The path it got: `name.pdf`, and where that is taken `name-2.pdf`, `name-3.pdf`. Makes the folder. Throws
 * what the system says.
 */
export async function saveNew(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  makeExportFolder(folder);
  const part = join(folder, `.${crypto.randomUUID()}.part`);
  try {
    await writeFile(part, bytes, { flag: 'wx', flush: true });
    exported(part, 'file');
    return await nameNew(part, name, (path) => claim(part, path));
  } finally {
    await rm(part, { force: true });
  }
}

/** As `saveNew`, for a complete file in the folder it stays in, which is flushed and gets the name. */
export async function placeNew(part: string, name: string): Promise<string> {
  const file = await open(part, 'r+');
  await file.sync().finally(() => file.close());
  exported(part, 'file');
  const path = await nameNew(part, name, async (one) => takeName(part, one));
  await rm(part, { force: true });
  return path;
}

/** The first free name that `take` gets. */
async function nameNew(
  part: string,
  name: string,
  take: (path: string) => Promise<boolean>,
): Promise<string> {
  const suffix = extname(name);
  const stem = name.slice(0, name.length - suffix.length);
  for (let number = 1; number <= MOST_NAMES; number++) {
    const path = join(dirname(part), number === 1 ? name : `${stem}-${number}${suffix}`);
    if (await take(path)) return path;
  }
  throw new Error(`${MOST_NAMES} files are already named ${name}`);
}

/**
 * Links the complete file to a name that is free; copies it where the file system has no links. False when it
 * is taken.
 */
async function claim(part: string, path: string): Promise<boolean> {
  try {
    await link(part, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
  }
  try {
    await copyFile(part, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

// A folder above what is to be written is there, or may be made.

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
