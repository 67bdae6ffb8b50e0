// Which watch folder a word of a command means: its path, its id, or the beginning of one.
import { resolve } from 'node:path';
import { type WatchFolder, watchErrors } from '../../actors/watch-folders/contract.ts';
import { suggestion } from '../../runtime/nearest.ts';
import { printable } from '../terminal.ts';

type FolderName = Pick<WatchFolder, 'id' | 'folder_path'>;

/** Letters of an id that are shown, at least. */
const SHOWN = 8;

/** As much of the id as names this folder alone. */
export function shortId(id: string, all: readonly FolderName[]): string {
  for (let length = SHOWN; length < id.length; length++) {
    const short = id.slice(0, length);
    if (all.every((one) => one.id === id || !one.id.startsWith(short))) return short;
  }
  return id;
}

/** Throws WATCH_FOLDER_UNKNOWN with what was probably meant, also for a word that means several. */
export function folderMeant<F extends FolderName>(all: readonly F[], word: string): F {
  const exact = all.find(({ id }) => id === word);
  if (exact) return exact;
  const path = resolve(word);
  const here = all.filter(({ folder_path }) => folder_path === path);
  const found = here.length > 0 ? here : all.filter(({ id }) => word !== '' && id.startsWith(word));
  const [first, ...others] = found;
  if (first === undefined) throw watchErrors.WATCH_FOLDER_UNKNOWN(unknown(all, word, path));
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => shortId(id, all)).join(', ');
  throw watchErrors.WATCH_FOLDER_UNKNOWN(
    `${printable(word)} matches ${found.length} watch folders; use one of their ids: ${ids}`,
  );
}

function unknown(all: readonly FolderName[], word: string, path: string): string {
  if (all.length === 0)
    return `${printable(word)} is not watched; there are no watch folders. To add one: framehound watch add FOLDER`;
  const paths = all.map(({ folder_path }) => folder_path);
  const meant = suggestion(path, paths) || suggestion(word, paths) || '; see: framehound watch list';
  return `${printable(word)} is not watched${printable(meant)}`;
}
