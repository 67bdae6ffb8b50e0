// Removes what killed writers left: the parts of atomic writes, which never got their name.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rm } from './names.ts';

/** Names of parts that `atomic-write.ts` and `save-new.ts` make; downloads have parts of their own. */
const part = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

/**
 * Removes the parts below a folder that were last written before `before`, Unix ms, and answers their paths.
 * Folders in `without` are left out; what cannot be read or removed stays.
 */
export async function sweepParts(
  folder: string,
  before: number,
  { deep = false, without = [] }: { deep?: boolean; without?: readonly string[] } = {},
): Promise<string[]> {
  const removed: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (deep && entry.isDirectory() && !without.includes(path)) {
      removed.push(...(await sweepParts(path, before, { deep, without })));
    }
    if (entry.isFile() && part.test(entry.name) && (await isOlder(path, before))) {
      const done = await rm(path, { force: true }).then(
        () => true,
        () => false,
      );
      if (done) removed.push(path);
    }
  }
  return removed;
}

async function isOlder(path: string, before: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats !== null && stats.mtimeMs < before;
}
