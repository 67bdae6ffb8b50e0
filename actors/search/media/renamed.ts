// Files that were renamed since they were analysed: found by their content, at a path the folder does not
// know.
import { isAbsolute } from 'node:path';
import type { CallOptions } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/side-by-side.ts';
import { type LocationParts, markOf } from './location.ts';

/** Files that are read for one request; 3 MiB of each. */
const MOST_READ = 16;
const TOGETHER = 4;

/**
 * By path: the hash of what lies there, where the folder knows that. Of many paths the first are looked at.
 */
export async function renamedFiles(
  { identities }: Pick<LocationParts, 'identities'>,
  cache_dir: string,
  paths: readonly string[],
  call: CallOptions,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const looked = paths.filter((path) => isAbsolute(path)).slice(0, MOST_READ);
  await sideBySide(looked.values(), TOGETHER, call.signal, async (path, signal) => {
    const mark = await markOf(path);
    const found = mark && (await identities.find(cache_dir, path, mark, { ...call, signal }));
    if (found?.isKnown) hashes.set(path, found.identity.hash_str);
  });
  return hashes;
}
