// The coordinator of the library: lists what is stored, forgets media and moves paths, beside the tasks that
// run.

import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reply } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { sideBySide } from '../../runtime/sync/shared-work.ts';
import { counted } from '../../runtime/text.ts';
import type { indexContract } from '../index/contract.ts';
import type { HeldMedia } from '../index/library/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import { isWithin, movedPath, volumeOf } from '../index/store/footage-path.ts';
import { faceRolls, vectorPlaces } from '../index/store/names.ts';
import { mostOfPage, type SummaryName } from '../index/summaries/contract.ts';
import {
  type DiskAnswer,
  type Library,
  type LibraryMedia,
  libraryErrors,
  type MoveAnswer,
  type MoveRequest,
} from './contract.ts';
import { forget, previewBytes, prune, shownResult, unixSeconds } from './forget.ts';
import { ListedFolders, systemDisk } from './listing/folder-names.ts';
import { FailedWork, listFolder } from './listing/list-folder.ts';
import { allHeld, inWork, type LibraryParts, pathsInWork, TOGETHER } from './parts.ts';

export function createLibrary(parts: LibraryParts): Library {
  const failed = new FailedWork(parts.tasks, Date.now);
  const listing = { index: parts.index, disk: systemDisk, folders: new ListedFolders(Date.now), failed };
  return {
    folder: (request, signal) => listFolder(listing, request, signal),
    list: async ({ cache_dir, under = null, offset, limit }, signal) => {
      const request = { cache_dir, under, offset, limit };
      const { total, media } = await parts.index.ask('held_media', request, { signal, lane: 'now' });
      return { total, offset, limit, media: media.map(shown) };
    },
    forget: (request, signal) => forget(parts, request, signal),
    prune: (request, signal) => prune(parts, request, signal),
    disk: (cacheDir, signal) => diskUse(parts, cacheDir, signal),
    move: (request, signal) => move(parts, request, signal),
  };
}

function shown({ path, volume: _, results, ...media }: HeldMedia): LibraryMedia {
  const of = (type: string) => results.filter((result) => result.type === type);
  const [transcript] = of('speech');
  return {
    media_path: path,
    ...media,
    visual: of('video').map(({ model_key, count: frames, stored_ms }) => {
      return { model_key: model_key!, frames, stored: unixSeconds(stored_ms) };
    }),
    faces: of('faces').map(({ model_key, count, stored_ms }) => {
      return { model_key: model_key!, faces: count, stored: unixSeconds(stored_ms) };
    }),
    transcript: transcript?.speech
      ? {
          model_key: transcript.model_key!,
          ...transcript.speech,
          segments: transcript.count,
          stored: unixSeconds(transcript.stored_ms),
        }
      : null,
    summaries: of('summary').length,
    preview_bytes: previewBytes(results),
    results: results.map(shownResult),
  };
}

// Footage has moved: the paths by which media are known get their new names. Some at a time, each time whole:
// cut short, the same move goes on with what is left.

/** Paths of one transaction. */
const PATHS = 256;

interface Move {
  readonly from: string;
  readonly to: string;
  readonly volume: string | null;
}

async function move(
  parts: LibraryParts,
  { cache_dir, from, to, dry_run }: MoveRequest,
  signal: AbortSignal,
): Promise<MoveAnswer> {
  if (from === to) throw libraryErrors.NOT_MOVED(`from and to are the same: ${from}`, { field: 'to' });
  const root = (await parts.roots.list()).find(({ folder }) => isWithin(folder, from));
  if (root !== undefined) {
    throw libraryErrors.NOT_MOVED(
      `${root.folder} is the root ${root.name}. To say where it is now: framehound roots move ${root.name} FOLDER`,
      { field: 'from' },
    );
  }
  const media = (await allHeld(parts, cache_dir, from, signal)).filter(({ replaced }) => !replaced);
  if (media.length === 0) {
    throw libraryErrors.NOT_IN_LIBRARY(`${cache_dir} has no media in ${from}`, { field: 'from' });
  }
  const busy = [...(await pathsInWork(parts, cache_dir))].find((path) => isWithin(path, from));
  if (busy !== undefined) throw inWork(busy);
  const stayed: { media_path: string; reason: string }[] = [];
  const moves: Move[] = [];
  await sideBySide(media.values(), TOGETHER, signal, async ({ path }) => {
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
    `${counted(moved, 'path')} ${dry_run ? 'would be' : moved === 1 ? 'is' : 'are'} moved`,
    ...(missing > 0 ? [`${missing} of them ${missing === 1 ? 'is' : 'are'} not at the new path`] : []),
    ...(stayed.length > 0 ? [`${stayed.length} unchanged`] : []),
  ];
  return { message: said.join(', '), dry_run, moved, missing, stayed };
}

function notMoved(from: string, to: string, moves: number, stayed: number) {
  const what =
    moves === 0
      ? `${stayed === 1 ? 'the footage is still at' : `all ${stayed} files are still in`} ${from}: move the footage first`
      : `the footage of ${from} is not at ${to}`;
  return libraryErrors.NOT_MOVED(`${what}. Nothing was changed`, { field: 'to' });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    // Whatever the reason, it cannot be reached there.
    () => false,
  );
}

// Disk space of an analysis folder and of the models, by kind.

interface FileSize {
  /** From the folder that was looked at, with `/`. */
  readonly name: string;
  readonly bytes: number;
}

async function diskUse(
  { index, modelsFolder }: LibraryParts,
  cache_dir: string,
  signal: AbortSignal,
): Promise<DiskAnswer> {
  const { models, face_models } = await index.ask('held_models', { cache_dir }, { signal });
  const summaries = await summaryUse(index, cache_dir, signal);
  const ownFolders = ['vectors', 'previews', 'people', 'peaks', 'proxies', 'open'];
  const nested = await Promise.all(ownFolders.map((name) => sizesIn(cache_dir, signal, name)));
  const files = [...(await recordFiles(cache_dir)), ...nested.flat()];
  const sum = (isCounted: (name: string) => boolean) =>
    files.reduce((total, { name, bytes }) => (isCounted(name) ? total + bytes : total), 0);
  const { bavail, bsize } = await statfs(cache_dir).catch(unreadable(cache_dir));
  const downloaded = await sizesIn(modelsFolder, signal);
  return {
    analysis: {
      folder: cache_dir,
      bytes: sum(() => true),
      records_bytes: sum((name) => name.startsWith('records.mdb')),
      vectors_bytes: sum((name) => name.startsWith('vectors/')),
      people_bytes: sum((name) => name.startsWith('people/')),
      previews_bytes: sum((name) => name.startsWith('previews/')),
      peaks_bytes: sum((name) => name.startsWith('peaks/')),
      proxies_bytes: sum((name) => name.startsWith('proxies/')),
      unfinished_bytes: sum((name) => name.startsWith('open/')),
      models: models.map(({ model_key, rows, dead }) => {
        const bytes = sum((name) => name.startsWith(vectorPlaces(model_key)));
        return { model_key, vectors: rows, dead_vectors: dead, bytes };
      }),
      face_models: face_models.map(({ model_key, rows, dead }) => {
        const bytes = sum((name) => name.startsWith(faceRolls(model_key)));
        return { model_key, faces: rows, dead_faces: dead, bytes };
      }),
      summaries,
    },
    models: {
      folder: modelsFolder,
      bytes: downloaded.reduce((total, { bytes }) => total + bytes, 0),
    },
    free_bytes: bavail * bsize,
  };
}

/** Added up a page at a time, so that a search comes in between. */
async function summaryUse(
  index: LibraryParts['index'],
  cache_dir: string,
  signal: AbortSignal,
): Promise<DiskAnswer['analysis']['summaries']> {
  const total = { count: 0, nodes: 0, bytes: 0 };
  let after: SummaryName | null = null;
  do {
    const page: Reply<typeof indexContract, 'count_summaries'> = await index.ask(
      'count_summaries',
      { cache_dir, after, limit: mostOfPage },
      { signal },
    );
    total.count += page.summaries;
    total.nodes += page.nodes;
    total.bytes += page.bytes;
    after = page.next;
  } while (after !== null);
  return total;
}

async function recordFiles(folder: string): Promise<FileSize[]> {
  const names = ['records.mdb', 'records.mdb-lock', 'records.mdb-spare'];
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  return names.flatMap((name, i) => {
    const bytes = sizes[i];
    return typeof bytes === 'number' ? [{ name, bytes }] : [];
  });
}

/** Every file of a folder, links not followed; none of a folder that is not there. */
async function sizesIn(folder: string, signal: AbortSignal, below = ''): Promise<FileSize[]> {
  if (signal.aborted) throw engineErrors.CANCELLED();
  const within = join(folder, below);
  const entries = await readdir(within, { withFileTypes: true }).catch(absent([])).catch(unreadable(within));
  const sizes: FileSize[] = [];
  for (const entry of entries) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) sizes.push(...(await sizesIn(folder, signal, name)));
    else if (entry.isFile()) {
      const bytes = await sizeOf(join(folder, name));
      if (bytes !== null) sizes.push({ name, bytes });
    }
  }
  return sizes;
}

/** Null when it is not there: a writer may have replaced it since it was listed. */
async function sizeOf(file: string): Promise<number | null> {
  return stat(file)
    .then(({ size }) => size)
    .catch(absent(null))
    .catch(unreadable(file));
}

function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return value;
  };
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw storeErrors.STORE_UNAVAILABLE(`${path} cannot be read (${reason})`, { path }, error);
  };
}
