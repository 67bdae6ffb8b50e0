// Footage has moved: the paths by which media are known get their new names. Some at a time, each time whole: cut short,
// the same move goes on with what is left.
import { stat } from 'node:fs/promises';
import { sideBySide } from '../../runtime/sync/side-by-side.ts';
import { isWithin, movedPath } from '../index/store/footage-path.ts';
import { volumeOf } from '../index/store/volume.ts';
import { libraryErrors, type MoveAnswer, type MoveRequest } from './contract.ts';
import { allHeld, inWork, type LibraryParts, pathsInWork, TOGETHER } from './parts.ts';

/** Paths of one transaction. */
const PATHS = 256;

interface Move {
  readonly from: string;
  readonly to: string;
  readonly volume: string | null;
}

export async function move(
  parts: LibraryParts,
  { cache_dir, from, to, dry_run }: MoveRequest,
  signal: AbortSignal,
): Promise<MoveAnswer> {
  if (from === to) throw libraryErrors.NOT_MOVED(`from and to are the same: ${from}`, { field: 'to' });
  const held = (await allHeld(parts, cache_dir, from, signal)).filter(({ replaced }) => !replaced);
  if (held.length === 0) {
    throw libraryErrors.NOT_IN_LIBRARY(`${cache_dir} has no media in ${from}`, { field: 'from' });
  }
  const busy = [...(await pathsInWork(parts, cache_dir))].find((path) => isWithin(path, from));
  if (busy !== undefined) throw inWork(busy);
  const stayed: { media_path: string; reason: string }[] = [];
  const moves: Move[] = [];
  await sideBySide(held.values(), TOGETHER, signal, async ({ path }) => {
    const target = movedPath(path, from, to);
    const volume = await volumeOf(target);
    // A part of the folder may have been moved before, or is not moved yet.
    if (volume === null && (await isThere(path)))
      stayed.push({ media_path: path, reason: 'the file is still at its old path' });
    else moves.push({ from: path, to: target, volume });
  });
  const missing = moves.filter(({ volume }) => volume === null).length;
  if (missing === moves.length) throw notMoved(from, to, moves.length, stayed.length);
  moves.sort((a, b) => (a.from < b.from ? -1 : 1));
  for (let at = 0; at < moves.length && !dry_run; at += PATHS) {
    const some = moves.slice(at, at + PATHS);
    const refused = await parts.index.ask('move_paths', { cache_dir, moves: some }, { signal });
    const reason = 'another file is already known at the new path';
    stayed.push(...refused.stayed.map((media_path) => ({ media_path, reason })));
  }
  const others = stayed.filter(({ reason }) => reason !== 'the file is still at its old path').length;
  const moved = moves.length - others;
  const said = [
    `${moved} ${moved === 1 ? 'path' : 'paths'} ${dry_run ? 'would be' : moved === 1 ? 'is' : 'are'} moved`,
    ...(missing > 0 ? [`${missing} of them ${missing === 1 ? 'is' : 'are'} not at the new path`] : []),
    ...(stayed.length > 0 ? [`${stayed.length} unchanged`] : []),
  ];
  return { message: said.join(', '), dry_run, moved, missing, stayed };
}

function notMoved(from: string, to: string, moves: number, stayed: number) {
  const what =
    moves === 0
      ? `all ${stayed} media are still in ${from}: move the footage first`
      : `none of the ${moves + stayed} media of ${from} is in ${to}`;
  return libraryErrors.NOT_MOVED(`${what}. Nothing was changed`, { field: 'to' });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    // Whatever the reason, it cannot be reached there.
    () => false,
  );
}
