// Where the media of an answer lies now. The same content may be known under several paths, and some may be gone.
import { access } from 'node:fs/promises';
import type { RankedMatch } from '../../index/visual/contract.ts';

/** A match in a media, and where that was last. */
export type LocatedMatch = Pick<RankedMatch, 'hash_str' | 'path'>;

export interface MatchLocations {
  /** Path to show for a hash. */
  pathOf(match: LocatedMatch): string;
  /** Paths of which no copy is there any more. */
  readonly gone: readonly string[];
}

/**
 * A path the caller named wins, then one that is there, then the last one known. `asked`: hash to the path the caller
 * named. `knownPaths`: all paths of each of these contents, asked for only when a file is not where it was.
 */
export async function locateMatches(
  matches: readonly LocatedMatch[],
  asked: ReadonlyMap<string, string>,
  knownPaths: (hashes: string[]) => Promise<readonly (readonly string[])[]>,
  exists: (path: string) => Promise<boolean> = isThere,
): Promise<MatchLocations> {
  const paths = new Map(matches.map(({ hash_str, path }) => [hash_str, asked.get(hash_str) ?? path]));
  const there = await Promise.all(
    [...paths].map(async ([hash, path]) => [hash, path, await exists(path)] as const),
  );
  const moved = there.filter(([, , found]) => !found);
  const known = moved.length > 0 ? await knownPaths(moved.map(([hash]) => hash)) : [];
  const gone: string[] = [];
  for (const [i, [hash, path]] of moved.entries()) {
    const others = (known[i] ?? []).filter((other) => other !== path);
    const found = await Promise.all(others.map(exists));
    const other = others.find((_, i) => found[i]);
    if (other) paths.set(hash, other);
    else gone.push(path);
  }
  return { pathOf: ({ hash_str, path }) => paths.get(hash_str) ?? path, gone };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    // Whatever the reason, the file cannot be reached at this path.
    () => false,
  );
}
