// Forgets media: what is stored of their content, under every path it is known by.
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sideBySide } from '../../runtime/sync/shared-work.ts';
import { isMediaError } from '../decoder/contract.ts';
import type { HeldMedia, HeldResult } from '../index/library/contract.ts';
import { tidyInSteps } from '../index/store/compact-in-steps.ts';
import { nameContent } from '../index/store/content-name.ts';
import { storeErrors } from '../index/store/contract.ts';
import { isMounted, isWithin, mountFolders } from '../index/store/footage-path.ts';
import {
  type ForgetAnswer,
  type ForgetRequest,
  type Forgotten,
  type LibraryResult,
  libraryErrors,
  type PruneAnswer,
} from './contract.ts';
import { allHeld, inWork, type LibraryParts, pathsInWork, TOGETHER } from './parts.ts';

/** Contents of one message: each is one transaction, between which searches are answered. */
const FORGOTTEN_TOGETHER = 64;

/** A content with every path it is known by. */
export type Contents = ReadonlyMap<string, readonly HeldMedia[]>;

export async function forget(
  parts: LibraryParts,
  { cache_dir, media_paths, dry_run }: ForgetRequest,
  signal: AbortSignal,
): Promise<ForgetAnswer> {
  const busy = await pathsInWork(parts, cache_dir);
  const named = [...busy].find((path) => media_paths.some((chosenPath) => isWithin(path, chosenPath)));
  if (named !== undefined) throw inWork(named);
  const paths = [...new Set(media_paths)];
  const { by_path } = await parts.index.ask('find', { cache_dir, paths, hashes: [] }, { signal });
  const chosenHashes = new Set<string>();
  const unknown: string[] = [];
  for (const [i, path] of paths.entries()) {
    const knownHash = by_path[i]?.identity.hash_str;
    const hashes = knownHash === undefined ? await hashesOf(parts, cache_dir, path, signal) : [knownHash];
    for (const hash of hashes) chosenHashes.add(hash);
    if (hashes.length === 0) unknown.push(path);
  }
  if (chosenHashes.size === 0) {
    const named = unknown.slice(0, 5).join(', ');
    throw libraryErrors.NOT_IN_LIBRARY(`${cache_dir} has no analysis of ${named}`, { field: 'media_paths' });
  }
  const contents = await pathsOf(parts, cache_dir, chosenHashes, signal);
  const hindered = await contentsInWork(parts, cache_dir, busy, signal);
  for (const [hash, copies] of contents) {
    const path = copies.find((copy) => busy.has(copy.path))?.path ?? hindered.get(hash);
    if (path !== undefined) throw inWork(path);
  }
  const { forgotten, clusterings } = await remove(parts, cache_dir, contents, dry_run, signal);
  return {
    message: forgottenText(forgotten, unknown.length, dry_run),
    dry_run,
    forgotten,
    unknown,
    clusterings_gone: clusterings,
  };
}

/** Hashes of a folder, of the target of a link, and of the content of a file at that path. */
async function hashesOf(
  parts: LibraryParts,
  cacheDir: string,
  path: string,
  signal: AbortSignal,
): Promise<string[]> {
  const given = await allHeld(parts, cacheDir, path, signal);
  if (given.length > 0) return given.map(({ hash_str }) => hash_str);
  const real = await realpath(path).catch(() => null);
  if (real === null) return [];
  const linked = real === path ? [] : await allHeld(parts, cacheDir, real, signal);
  if (linked.length > 0) return linked.map(({ hash_str }) => hash_str);
  if (!(await stat(real)).isFile()) return [];
  const call = { signal };
  const naming = { decoder: parts.prober, index: parts.index, cache_dir: cacheDir, call };
  try {
    // Which of several contents of the same hash it is.
    const identity = await parts.prober.ask('identify', { path: real }, call);
    const named = await nameContent(naming, real, identity);
    return named.isKnown ? [named.identity.hash_str] : [];
  } catch (error) {
    // An unreadable file has no content to find it by.
    if (isMediaError(error)) return [];
    throw error;
  }
}

async function pathsOf(
  parts: LibraryParts,
  cacheDir: string,
  hashes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Contents> {
  const all = await allHeld(parts, cacheDir, null, signal);
  return Map.groupBy(
    all.filter(({ hash_str }) => hashes.has(hash_str)),
    ({ hash_str }) => hash_str,
  );
}

/** Contents that are known at the paths in work, by hash. */
async function contentsInWork(
  { index }: LibraryParts,
  cache_dir: string,
  busy: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (busy.size === 0) return new Map();
  const paths = [...busy];
  const { by_path } = await index.ask('find', { cache_dir, paths, hashes: [] }, { signal });
  return new Map(by_path.flatMap((media) => (media ? [[media.identity.hash_str, media.path] as const] : [])));
}

export interface ForgetResult {
  readonly forgotten: Forgotten[];
  /** Face clusterings of which nothing is left. */
  readonly clusterings: string[];
}

/** Removes contents, or says only what would go. */
export async function remove(
  { index, proxies }: LibraryParts,
  cache_dir: string,
  contents: Contents,
  dry_run: boolean,
  signal: AbortSignal,
): Promise<ForgetResult> {
  const all = [...contents.keys()];
  const clusterings: string[] = dry_run ? await emptied(index, cache_dir, new Set(all), signal) : [];
  let together = FORGOTTEN_TOGETHER;
  for (let at = 0; at < all.length && !dry_run; ) {
    const hashes = all.slice(at, at + together);
    const removal = await index.ask('remove_media', { cache_dir, hashes }, { signal }).catch((error) => {
      if (!storeErrors.STORE_FULL.is(error) || together === 1) throw error;
      return null;
    });
    if (removal === null) {
      // There may be room for one at a time, and each may free some.
      together = 1;
      continue;
    }
    at += hashes.length;
    clusterings.push(...removal.clusterings);
    // At once: whoever cancels the rest has no name any more for what is forgotten.
    await proxies.remove(cache_dir, hashes);
  }
  if (all.length > 0 && !dry_run) {
    await tidyInSteps(index, cache_dir, signal).catch((error) => {
      // The removal itself is complete. Compaction needs space for a while, and is retried after the next
      // task or removal.
      if (!storeErrors.STORE_FULL.is(error)) throw error;
    });
  }
  const forgotten = [...contents].map(([hash_str, copies]) => {
    const { results } = copies[0]!;
    const of = (type: string) => results.filter((result) => result.type === type);
    return {
      media_paths: copies.map(({ path }) => path),
      hash_str,
      frames: of('video').reduce((sum, { count }) => sum + count, 0),
      transcript: of('speech').length > 0,
      // The same faces may be found by several pairs of models.
      faces: Math.max(0, ...of('faces').map(({ count }) => count)),
      summaries: of('summary').length,
      preview_bytes: previewBytes(results),
      results: results.map(shownResult),
    };
  });
  return { forgotten, clusterings };
}

export const previewBytes = (results: readonly HeldResult[]): number =>
  results.reduce((sum, { bytes = 0 }) => sum + bytes, 0);

export function shownResult({ type, model_key, count, stored_ms }: HeldResult): LibraryResult {
  return { type, model_key, count, stored: unixSeconds(stored_ms) };
}

export function unixSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

/** Clusterings of which nothing would be left. */
async function emptied(
  index: LibraryParts['index'],
  cache_dir: string,
  hashes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const { jobs } = await index.ask('cluster_jobs', { cache_dir }, { signal });
  const isGone = ({ media_hashes }: (typeof jobs)[number]) => media_hashes.every((hash) => hashes.has(hash));
  return jobs.filter(isGone).map(({ name }) => name);
}

function forgottenText(forgotten: readonly Forgotten[], unknown: number, dryRun: boolean): string {
  const said = [
    `${forgotten.length} media ${dryRun ? 'would be ' : ''}forgotten`,
    ...(unknown > 0 ? [`${unknown} not found`] : []),
  ];
  return said.join(', ');
}

// Forgets media whose file is gone. What is only out of reach stays, and is told.

/** Paths of one message. */
const PATHS = 256;

export async function prune(
  parts: LibraryParts,
  { cache_dir, dry_run }: { readonly cache_dir: string; readonly dry_run: boolean },
  signal: AbortSignal,
): Promise<PruneAnswer> {
  const all = await allHeld(parts, cache_dir, null, signal);
  const presence = await presenceOfAll(parts, all, await pathsInWork(parts, cache_dir), signal);
  const skipped = new Map<string, { count: number; example: string }>();
  const missing = new Map<string, HeldMedia[]>();
  const deadPaths: { from: string; to: string; volume: string | null }[] = [];
  for (const [hash, copies] of Map.groupBy(all, ({ hash_str }) => hash_str)) {
    const states = copies.map((copy) => presence.get(copy) as Presence);
    const there = copies.find((_, i) => states[i] === 'there');
    const unsure = copies.flatMap((copy, i) => {
      const state = states[i]!;
      return typeof state === 'object' ? [{ path: copy.path, reason: state.unknown }] : [];
    });
    for (const { path, reason } of unsure) {
      const entry = skipped.get(reason);
      skipped.set(reason, { count: (entry?.count ?? 0) + 1, example: entry?.example ?? path });
    }
    if (there) {
      const dead = copies.filter((_, i) => states[i] === 'gone');
      deadPaths.push(...dead.map(({ path }) => ({ from: path, to: there.path, volume: there.volume })));
    } else if (unsure.length === 0) missing.set(hash, copies);
  }
  const { forgotten, clusterings } = await remove(parts, cache_dir, missing, dry_run, signal);
  for (let at = 0; at < deadPaths.length && !dry_run; at += PATHS) {
    const moves = deadPaths.slice(at, at + PATHS);
    await parts.index.ask('move_paths', { cache_dir, moves }, { signal });
  }
  const leftOut = [...skipped].map(([reason, entry]) => ({ reason, ...entry }));
  return {
    message: prunedText(all.length, forgotten.length, leftOut, dry_run),
    dry_run,
    looked_at: all.length,
    forgotten,
    clusterings_gone: clusterings,
    paths_gone: deadPaths.map(({ from }) => from),
    skipped: leftOut,
  };
}

async function presenceOfAll(
  { roots }: Pick<LibraryParts, 'roots'>,
  all: readonly HeldMedia[],
  busy: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<HeldMedia, Presence>> {
  const presence = new Map<HeldMedia, Presence>();
  const witnesses = new Set<number>();
  const missing: HeldMedia[] = [];
  await sideBySide(all.values(), TOGETHER, signal, async (media) => {
    // A file lies at its path, but it is another one.
    if (media.replaced) presence.set(media, 'gone');
    else if (busy.has(media.path)) presence.set(media, { unknown: 'a task is working on it' });
    else {
      const device = await deviceAt(media.path).catch(() => null);
      if (device === null) missing.push(media);
      else {
        witnesses.add(device);
        presence.set(media, 'there');
      }
    }
  });
  await sideBySide(missing.values(), TOGETHER, signal, async (media) => {
    const away = await roots.awayOf(media.path);
    const unknown = away && `root ${away.name} is away: ${away.folder} ${away.away}`;
    presence.set(media, unknown ? { unknown } : await presenceOf(media.path, media.volume, witnesses));
  });
  return presence;
}

function prunedText(
  looked: number,
  missing: number,
  skipped: PruneAnswer['skipped'],
  dryRun: boolean,
): string {
  const leftOut = skipped.reduce((sum, { count }) => sum + count, 0);
  const said = [
    `${looked} media checked`,
    `${missing} ${missing === 1 ? 'is' : 'are'} gone${missing === 0 ? '' : dryRun ? ' and would be forgotten' : ' and forgotten'}`,
    ...(leftOut > 0 ? [`${leftOut} ${leftOut === 1 ? 'is' : 'are'} missing but kept`] : []),
  ];
  return said.join(', ');
}

// Tells a deleted file from one that is out of reach: footage on a drive that is away must not look deleted.

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

/** Records of earlier versions do not name the volume, so only certain cases count as gone. */
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
