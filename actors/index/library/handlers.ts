// Handlers about the library as a whole: its content, removals, moves.

import { dirname, sep } from 'node:path';
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import { asFolder } from '../store/footage-path.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { libraryMessages } from './contract.ts';

export function libraryHandlers({ folders }: StoreParts): Handlers<Contract<typeof libraryMessages>> {
  return {
    held_media: ({ cache_dir, ...page }, turn) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return store.inventory.list(page, () => turn.throwIfCancelled());
      }),
    held_files: ({ cache_dir, files }, turn) =>
      folders.with(cache_dir, (store) => ({
        files: store.inventory.files(files, () => turn.throwIfCancelled()),
      })),
    held_below: ({ cache_dir, within, names }, turn) =>
      folders.with(cache_dir, (store) => {
        const contents = store.paths.all(() => turn.throwIfCancelled());
        const isAnalysed = store.inventory.isAnalysed(() => turn.throwIfCancelled());
        return { counts: countsBelow(contents, within, names, isAnalysed) };
      }),
    held_folders: ({ cache_dir }, turn) =>
      folders.with(cache_dir, (store) => {
        const pause = () => turn.throwIfCancelled();
        return { folders: topFolders(store.paths.all(pause), store.inventory.isAnalysed(pause)) };
      }),
    held_models: ({ cache_dir }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return { models: store.inventory.models(), face_models: store.inventory.faceModels() };
      }),
    remove_media: ({ cache_dir, hashes }, turn) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return { clusterings: store.remove(hashes, () => turn.throwIfCancelled()) };
      }),
    move_paths: ({ cache_dir, moves }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return { stayed: store.move(moves) };
      }),
    settle_paths: ({ cache_dir, after }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return { after: store.settlePaths(after) };
      }),
  };
}

// Where the footage that an analysis folder knows lies: its topmost folders, and how much of it is analysed
// in each.

/** A content at a path; `replaced`: another one lies there by now. */
interface Placed {
  readonly path: string;
  readonly hash: string;
  readonly replaced: boolean;
}

type IsAnalysed = (hash: string) => boolean;

/** Analysed files in each of the folders that `within` has by these names, at any depth. */
function countsBelow(
  contents: readonly Placed[],
  within: string,
  names: readonly string[],
  isAnalysed: IsAnalysed,
): number[] {
  const prefix = asFolder(within);
  const counts = new Map(names.map((name) => [name, 0]));
  for (const { path, hash, replaced } of contents) {
    if (replaced || !path.startsWith(prefix)) continue;
    const end = path.indexOf(sep, prefix.length);
    const name = path.slice(prefix.length, end);
    const before = end < 0 ? undefined : counts.get(name);
    if (before !== undefined && isAnalysed(hash)) counts.set(name, before + 1);
  }
  return names.map((name) => counts.get(name) ?? 0);
}

/**
 * The folders that hold known media themselves, without those below another one; `analysed` counts all below.
 * Ascending.
 */
function topFolders(
  contents: readonly Placed[],
  isAnalysed: IsAnalysed,
): { path: string; analysed: number }[] {
  const folders = new Map<string, number>();
  for (const { path, hash, replaced } of contents) {
    if (replaced) continue;
    const folder = asFolder(dirname(path));
    folders.set(folder, (folders.get(folder) ?? 0) + (isAnalysed(hash) ? 1 : 0));
  }
  const top: { prefix: string; path: string; analysed: number }[] = [];
  // With the separator at the end a folder comes right before what lies in it.
  for (const [prefix, analysed] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = top.at(-1);
    if (last && prefix.startsWith(last.prefix)) last.analysed += analysed;
    else top.push({ prefix, path: dirname(`${prefix}x`), analysed });
  }
  return top.map(({ path, analysed }) => ({ path, analysed }));
}
