// Takes contents out of the records of a folder, and gives paths their new names. What is done in one
// transaction is seen whole or not at all.

import { countChange, noteUpheaval } from './changes.ts';
import type { Environment, Transaction } from './environment.ts';
import { readable } from './faults.ts';
import { everyKind } from './kind.ts';
import { kinds } from './kinds.ts';
import { folderOf, storedRow } from './media.ts';
import { mediaKey, pathKey } from './names.ts';
import { MediaRow } from './records.ts';
import { seal, type Table, type TableFields, type TableRow, unseal } from './table.ts';

/** A path of a content, with its new name. */
export interface PathMove {
  readonly from: string;
  readonly to: string;
  /** Volume of the new path; null if nothing lies there. */
  readonly volume: string | null;
}

type Read = <F extends TableFields>(shape: Table<F>, key: string) => TableRow<F> | null;

/** Null for what is not there, and for what is damaged. */
function reader(writes: Transaction, file: string): Read {
  return (shape, key) => {
    const bytes = writes.get(key);
    return bytes === undefined ? null : readable(() => unseal(shape, key, bytes, file));
  };
}

/** `contents`: all paths of each hash. */
export function removeContents(
  writes: Transaction,
  environment: Environment,
  contents: ReadonlyMap<string, readonly string[]>,
): void {
  const { file, paths: map } = environment;
  const read = reader(writes, file);
  const stored = everyKind(environment, kinds);
  for (const [hash, paths] of contents) {
    for (const kind of kinds) kind.forget?.(writes, environment, hash);
    const keys = stored.flatMap(({ keysOf }) => keysOf(hash));
    for (const key of [...keys, mediaKey(hash)]) writes.remove(key);
    for (const form of paths.flatMap((path) => map.forms(path))) {
      // Another content may have been seen there meanwhile.
      const row = read(MediaRow, pathKey(form));
      if (row === null || row.hash_str === hash) writes.remove(pathKey(form));
    }
  }
  for (const { changesKey } of kinds) if (changesKey) countChange(writes, changesKey, file);
  noteUpheaval(writes, file);
}

/** Answers the paths that stayed, because another content is known at their new name. */
export function movePaths(
  writes: Transaction,
  { file, paths }: Environment,
  moves: readonly PathMove[],
): string[] {
  const read = reader(writes, file);
  const stayed: string[] = [];
  const at = (path: string) => paths.forms(path).find((form) => read(MediaRow, pathKey(form)) !== null);
  for (const { from, to, volume } of moves) {
    if (from === to) continue;
    const fromPath = at(from);
    // Moved by somebody else, or damaged: then the next look at the file writes it anew.
    if (fromPath === undefined) continue;
    const row = read(MediaRow, pathKey(fromPath))!;
    const toPath = at(to);
    const there = toPath === undefined ? null : read(MediaRow, pathKey(toPath));
    if (there !== null && there.hash_str !== row.hash_str) {
      stayed.push(from);
      continue;
    }
    const moved = storedRow({ ...row, path: to, volume: volume ?? '' }, paths);
    // A record of the new name is newer: it was read there.
    if (there === null) writes.put(pathKey(moved.path), seal(MediaRow, pathKey(moved.path), moved));
    for (const form of paths.forms(from)) writes.remove(pathKey(form));
    const key = mediaKey(row.hash_str);
    const content = read(MediaRow, key);
    if (content === null || paths.shown(content.path) === from)
      writes.put(key, seal(MediaRow, key, there ?? moved));
  }
  noteUpheaval(writes, file);
  return stayed;
}

const stepPaths = 500;

/**
 * Stores by roots what was stored by paths that lie in them only now, from the key behind `after` on; answers
 * the last key of the step, null when there is no more. Two records of one path become one.
 */
export function settlePaths(environment: Environment, after: string): string | null {
  const { file, paths } = environment;
  const page = environment.someEntries('path/', after === '' ? null : after, stepPaths);
  const unsettled = page.flatMap(({ key, value }) => {
    const row = readable(() => unseal(MediaRow, key, value, file));
    return row !== null && paths.stored(paths.shown(row.path)) !== row.path ? [row] : [];
  });
  if (unsettled.length > 0) {
    environment.transact((writes) => {
      for (const row of unsettled) settle(writes, environment, row);
      noteUpheaval(writes, file);
    });
  }
  return page.length < stepPaths ? null : page.at(-1)!.key;
}

function settle(writes: Transaction, { file, paths }: Environment, row: MediaRow): void {
  const read = reader(writes, file);
  const path = paths.shown(row.path);
  const settled = storedRow({ ...row, path }, paths);
  writes.remove(pathKey(row.path));
  const content = read(MediaRow, mediaKey(row.hash_str));
  if (content?.path === row.path)
    writes.put(mediaKey(row.hash_str), seal(MediaRow, mediaKey(row.hash_str), settled));
  const otherRow = read(MediaRow, pathKey(settled.path));
  const root = paths.rootOf(path);
  // A record from the root's earlier place is less accurate than one that was read here.
  const isHere = otherRow !== null && root !== null && folderOf(root, otherRow) === root.folder;
  if (!isHere) writes.put(pathKey(settled.path), seal(MediaRow, pathKey(settled.path), settled));
}
