// Saves a document in a folder, atomically and without overwriting what another program wrote.
import { open, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { codeOf } from '../errors.ts';
import { takeName } from './atomic-write.ts';
import { makeExportFolder } from './folder.ts';
import { discard, rename } from './names.ts';
import { exported } from './permissions.ts';
import { sweepParts } from './sweep.ts';

/** Writing a document takes seconds; a part that was untouched for an hour has no writer, ms. */
const ABANDONED_MS = 3_600_000;

/** Names that are tried before giving up. */
const MOST_NAMES = 10_000;

/**
 * The path it got: `name.pdf`, and where that is taken `name-2.pdf`, `name-3.pdf`. Makes the folder. Throws
 * what the system says.
 */
export async function saveNew(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  makeExportFolder(folder);
  await sweepParts(folder, Date.now() - ABANDONED_MS);
  const part = join(folder, `.${crypto.randomUUID()}.part`);
  try {
    await writeFile(part, bytes, { flag: 'wx', flush: true });
    exported(part, 'file');
    return nameNew(part, name);
  } finally {
    await discard(part);
  }
}

/**
 * Saves under exactly this path, making the folder. A file that is there is replaced where `mayReplace` says
 * so of it; false, and nothing changed, where it does not. Throws what the system says.
 */
export async function saveAs(
  path: string,
  bytes: Uint8Array,
  mayReplace: (path: string) => Promise<boolean>,
): Promise<boolean> {
  const folder = dirname(path);
  makeExportFolder(folder);
  await sweepParts(folder, Date.now() - ABANDONED_MS);
  const part = join(folder, `.${crypto.randomUUID()}.part`);
  try {
    await writeFile(part, bytes, { flag: 'wx', flush: true });
    exported(part, 'file');
    if (takeName(part, path)) return true;
    if (!(await mayReplace(path))) return false;
    await rename(part, path);
    return true;
  } finally {
    await discard(part);
  }
}

/** Like `saveNew`, for a complete file that stays in its folder: it is flushed and renamed. */
export async function placeNew(part: string, name: string): Promise<string> {
  const file = await open(part, 'r+');
  await file.sync().finally(() => file.close());
  exported(part, 'file');
  const path = nameNew(part, name);
  await discard(part);
  return path;
}

/** Gives the complete file the first name that is free. */
function nameNew(part: string, name: string): string {
  const suffix = extname(name);
  const stem = name.slice(0, name.length - suffix.length);
  for (let number = 1; number <= MOST_NAMES; number++) {
    const path = join(dirname(part), number === 1 ? name : `${stem}-${number}${suffix}`);
    if (takeName(part, path)) return path;
  }
  throw new Error(`${MOST_NAMES} files are already named ${name}`);
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
