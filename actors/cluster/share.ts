// The folder that all nodes share: whose it is, and how fast it is for this machine.
import { randomBytes, randomUUID } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { reasonOf } from '../../runtime/errors.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { readJsonNow } from '../../runtime/files/json-file.ts';
import { rm } from '../../runtime/files/names.ts';
import { clusterErrors, type FolderFacts } from './contract.ts';

/** In the shared folder: whose it is. */
export const markFile = 'framehound-cluster.json';
const Mark = Type.Object({ version: Type.Literal(1), library: Type.String() });

/** The library whose folder it is; null where it is nobody's. */
export function ownerOf(shared: string): string | null {
  return readJsonNow(Mark, join(shared, markFile))?.library ?? null;
}

const PIECE = randomBytes(1 << 20);
/** Pieces of the large file, and ms after which it is large enough. */
const [PIECES, LONGEST] = [32, 3_000];
/** Number of small files. */
const SMALL = 5;

/** SHARED_FOLDER. */
export async function tryFolder(shared: string): Promise<FolderFacts> {
  const path = join(shared, `framehound-doctor-${randomUUID()}`);
  try {
    const megabytes_per_second = await speedOf(path);
    const since = performance.now();
    for (let at = 0; at < SMALL; at++) replaceFile(path, `${at}`, { flush: true });
    const milliseconds = (performance.now() - since) / SMALL;
    return { megabytes_per_second, milliseconds, library: ownerOf(shared) };
  } catch (error) {
    if (clusterErrors.SHARED_FOLDER.is(error)) throw error;
    throw clusterErrors.SHARED_FOLDER(
      `${shared} cannot be used: ${reasonOf(error)}`,
      { folder: shared },
      error,
    );
  } finally {
    await rm(path, { force: true }).catch(() => {
      // Where it cannot be written nothing was.
    });
  }
}

/** Megabytes a second that reach the disk, and are there afterwards. */
async function speedOf(path: string): Promise<number> {
  const since = performance.now();
  let pieces = 0;
  const file = await open(path, 'wx');
  try {
    while (pieces < PIECES && performance.now() - since < LONGEST) {
      await file.writeFile(PIECE);
      pieces++;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  const seconds = (performance.now() - since) / 1000;
  const read = await readFile(path);
  for (let at = 0; at < pieces; at++) {
    if (!PIECE.equals(read.subarray(at * PIECE.length, (at + 1) * PIECE.length)))
      throw clusterErrors.SHARED_FOLDER(`${path} is not what was written`, { path });
  }
  return (pieces * PIECE.length) / 1e6 / seconds;
}
