// Forgets media whose file is gone. What is only out of reach stays, and is told.

import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sideBySide } from '../../runtime/sync/side-by-side.ts';
import type { HeldMedia } from '../index/library/contract.ts';
import { isMounted, mountFolders } from '../index/store/volume.ts';
import type { PruneAnswer } from './contract.ts';
import { remove } from './forget.ts';
import { allHeld, type LibraryParts, pathsInWork, TOGETHER } from './parts.ts';

/** Paths of one message. */
const PATHS = 256;

export async function prune(
  parts: LibraryParts,
  { cache_dir, dry_run }: { readonly cache_dir: string; readonly dry_run: boolean },
  signal: AbortSignal,
): Promise<PruneAnswer> {
  const all = await allHeld(parts, cache_dir, null, signal);
  const presence = await presenceOfAll(all, await pathsInWork(parts, cache_dir), signal);
  const skipped = new Map<string, { count: number; example: string }>();
  const missing = new Map<string, HeldMedia[]>();
  const deadPaths: { from: string; to: string; volume: string | null }[] = [];
  for (const [hash, held] of Map.groupBy(all, ({ hash_str }) => hash_str)) {
    const states = held.map((one) => presence.get(one) as Presence);
    const there = held.find((_, i) => states[i] === 'there');
    const unsure = held.flatMap((one, i) => {
      const state = states[i]!;
      return typeof state === 'object' ? [{ path: one.path, reason: state.unknown }] : [];
    });
    for (const { path, reason } of unsure) {
      const known = skipped.get(reason);
      skipped.set(reason, { count: (known?.count ?? 0) + 1, example: known?.example ?? path });
    }
    if (there) {
      const dead = held.filter((_, i) => states[i] === 'gone');
      deadPaths.push(...dead.map(({ path }) => ({ from: path, to: there.path, volume: there.volume })));
    } else if (unsure.length === 0) missing.set(hash, held);
  }
  const { forgotten, clusterings } = await remove(parts, cache_dir, missing, dry_run, signal);
  for (let at = 0; at < deadPaths.length && !dry_run; at += PATHS) {
    const moves = deadPaths.slice(at, at + PATHS);
    await parts.index.ask('move_paths', { cache_dir, moves }, { signal });
  }
  const left = [...skipped].map(([reason, known]) => ({ reason, ...known }));
  return {
    message: summaryText(all.length, forgotten.length, left, dry_run),
    dry_run,
    looked_at: all.length,
    forgotten,
    clusterings_gone: clusterings,
    paths_gone: deadPaths.map(({ from }) => from),
    skipped: left,
  };
}

async function presenceOfAll(
  all: readonly HeldMedia[],
  busy: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<HeldMedia, Presence>> {
  const found = new Map<HeldMedia, Presence>();
  const witnesses = new Set<number>();
  const missing: HeldMedia[] = [];
  await sideBySide(all.values(), TOGETHER, signal, async (one) => {
    // A file lies at its path, but it is another one.
    if (one.replaced) found.set(one, 'gone');
    else if (busy.has(one.path)) found.set(one, { unknown: 'a task is working on it' });
    else {
      const device = await deviceAt(one.path).catch(() => null);
      if (device === null) missing.push(one);
      else {
        witnesses.add(device);
        found.set(one, 'there');
      }
    }
  });
  await sideBySide(missing.values(), TOGETHER, signal, async (one) => {
    found.set(one, await presenceOf(one.path, one.volume, witnesses));
  });
  return found;
}

function summaryText(
  looked: number,
  missing: number,
  skipped: PruneAnswer['skipped'],
  dryRun: boolean,
): string {
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  const said = [
    `${looked} media checked`,
    `${missing} ${missing === 1 ? 'is' : 'are'} gone${missing === 0 ? '' : dryRun ? ' and would be forgotten' : ' and forgotten'}`,
    ...(left > 0 ? [`${left} ${left === 1 ? 'is' : 'are'} missing but kept`] : []),
  ];
  return said.join(', ');
}

// Whether a file is gone, or only out of reach: a drive that is away must not look like footage that was
// deleted.

/** `there`, `missing`, or why nobody can tell. */
type Presence = 'there' | 'gone' | { readonly unknown: string };

/** Devices of files that are there, for paths of which no volume is known. */
type Witnesses = ReadonlySet<number>;

/** The device of a file; null when it is not there. Any other reason is thrown. */
async function deviceAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).dev;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** `volume`: where its volume was mounted when the file was last seen; null when that is not known. */
async function presenceOf(path: string, volume: string | null, witnesses: Witnesses): Promise<Presence> {
  try {
    if ((await deviceAt(path)) !== null) return 'there';
    if (volume !== null) {
      return (await isMounted(volume)) ? 'gone' : { unknown: `the volume ${volume} is not mounted` };
    }
    return await withoutVolume(path, witnesses);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return { unknown: `it cannot be accessed (${code})` };
  }
}

/** What an earlier version stored says nothing of volumes: then only what is certain counts as gone. */
async function withoutVolume(path: string, witnesses: Witnesses): Promise<Presence> {
  const folder = await nearestFolder(path);
  if (folder === null || mountFolders.test(folder)) {
    return { unknown: `its drive may be disconnected: only ${folder ?? path} exists of its path` };
  }
  if ((await readdir(folder)).length === 0) {
    return { unknown: `its drive may be disconnected: ${folder} is empty` };
  }
  const device = await deviceAt(folder);
  if (device !== null && witnesses.has(device)) return 'gone';
  return {
    unknown: `its drive may be disconnected: no other file of the library is on the disk of ${folder}`,
  };
}

async function nearestFolder(path: string): Promise<string | null> {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((await deviceAt(at)) !== null) return at;
    if (dirname(at) === at) return null;
  }
}
