// Where the footage that an analysis folder knows lies: its topmost folders, and how much is in each. Pure.
import { dirname, sep } from 'node:path';

/** A content at a path; `replaced`: another one lies there by now. */
export interface Placed {
  readonly path: string;
  readonly replaced: boolean;
}

const asFolder = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** Paths in each of the folders that `within` has by these names, at any depth. */
export function countsBelow(known: readonly Placed[], within: string, names: readonly string[]): number[] {
  const prefix = asFolder(within);
  const counts = new Map(names.map((name) => [name, 0]));
  for (const { path, replaced } of known) {
    if (replaced || !path.startsWith(prefix)) continue;
    const end = path.indexOf(sep, prefix.length);
    const name = path.slice(prefix.length, end);
    const before = end < 0 ? undefined : counts.get(name);
    if (before !== undefined) counts.set(name, before + 1);
  }
  return names.map((name) => counts.get(name) ?? 0);
}

/** The folders that hold media themselves, without those below another one; `media` counts all below. Ascending. */
export function rootsOf(known: readonly Placed[]): { path: string; media: number }[] {
  const folders = new Map<string, number>();
  for (const { path, replaced } of known) {
    if (replaced) continue;
    const folder = asFolder(dirname(path));
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const roots: { prefix: string; path: string; media: number }[] = [];
  // With the separator at the end a folder comes right before what lies in it.
  for (const [prefix, media] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = roots.at(-1);
    if (last && prefix.startsWith(last.prefix)) last.media += media;
    else roots.push({ prefix, path: dirname(`${prefix}x`), media });
  }
  return roots.map(({ path, media }) => ({ path, media }));
}
