// A page of a folder of the disk: what lies there, looked at now, with what an analysis folder knows of it.
// Files are not read: they are known by path, size and time.
import type { BigIntStats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { engineErrors } from '../../../runtime/errors.ts';
import { linksTooWide } from '../../../runtime/files/folder.ts';
import { exportFolder, homeFolder } from '../../../runtime/files/user-folders.ts';
import { orAborted, sideBySide } from '../../../runtime/sync/shared-work.ts';
import type { Tasks } from '../../analysis/contract.ts';
import { isAnalysis } from '../../analysis/stages/kinds.ts';
import type { TaskSnapshot } from '../../analysis/tasks/contract.ts';
import { mediaErrors, modifiedMs } from '../../decoder/contract.ts';
import { kindByName } from '../../decoder/media-names.ts';
import type { HeldMedia } from '../../index/library/contract.ts';
import { isWithin } from '../../index/store/footage-path.ts';
import type { Failure, FolderPage, FolderRequest, ListedFile } from '../contract.ts';
import { type LibraryParts, TOGETHER } from '../parts.ts';
import {
  type FolderName,
  type ListedFolders,
  type ListingDisk,
  lookAt,
  type Name,
  pathOf,
} from './folder-names.ts';

// The last failure of each file, from the records of tasks. Records that were read are kept while they are
// unchanged.

/** Failures kept, those of the newest tasks first. */
const MOST = 200_000;
/** An end that lies farther ahead was recorded by a clock that was wrong: how far two machines may differ. */
const AHEAD_SECONDS = 300;

interface TaskFailure extends Failure {
  readonly type: string;
  /**
   * Unix seconds; infinite for a task that runs, 0 where the clock was wrong: then whatever is stored came
   * later.
   */
  readonly ended: number;
}

interface ReadTask {
  readonly mark: string;
  /** Number of tasks to read at most; infinite if these are all. */
  readonly most: number;
  readonly failures: readonly (Omit<TaskFailure, 'ended'> & { readonly path: string })[];
}

type Failures = ReadonlyMap<string, readonly TaskFailure[]>;

export class FailedWork {
  readonly #tasks: Pick<Tasks, 'list' | 'failures'>;
  readonly #now: () => number;
  /** Failures of each path, the latest first, by analysis folder; valid while `mark` is the same. */
  readonly #entries = new Map<string, { readonly mark: string; readonly failures: Failures }>();
  /** Tasks of the last collection, by id. */
  #read: ReadonlyMap<string, ReadTask> = new Map();

  /** `now`: Unix ms. */
  constructor(tasks: Pick<Tasks, 'list' | 'failures'>, now: () => number) {
    this.#tasks = tasks;
    this.#now = now;
  }

  async of(cacheDir: string, signal: AbortSignal): Promise<Failures> {
    const ownFolder = await realName(cacheDir);
    const all = await this.#tasks.list();
    const named = await Promise.all(
      [...new Set(all.map(({ request }) => request.cache_dir))].map(
        async (dir) => [dir, await realName(dir)] as const,
      ),
    );
    const isOwn = new Set(named.filter(([, real]) => real === ownFolder).map(([dir]) => dir));
    // A failed clip or proxy of a file is no failure of its analysis.
    const tasks = all.filter(
      ({ request, counts }) => isOwn.has(request.cache_dir) && counts.failed > 0 && isAnalysis(request.types),
    );
    const mark = tasks.map(markOf).join();
    const stored = this.#entries.get(ownFolder);
    if (stored?.mark === mark) return stored.failures;
    const failures = await this.#collect(tasks, signal);
    // One folder is kept: its pages are requested repeatedly.
    this.#entries.clear();
    this.#entries.set(ownFolder, { mark, failures });
    return failures;
  }

  async #collect(tasks: readonly TaskSnapshot[], signal: AbortSignal): Promise<Failures> {
    const failuresByPath = new Map<string, TaskFailure[]>();
    const read = new Map<string, ReadTask>();
    let remaining = MOST;
    const most = this.#now() / 1000 + AHEAD_SECONDS;
    const ends = tasks.map((task) => ({ task, ended: endOf(task, most) }));
    for (const { task, ended } of ends.toSorted((a, b) => b.ended - a.ended)) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      if (remaining <= 0) break;
      const taskFailures = await this.#of(task, remaining, signal);
      read.set(task.task_id, taskFailures);
      for (const { path, ...details } of taskFailures.failures) {
        const failure = { ...details, ended };
        const before = failuresByPath.get(path);
        remaining--;
        if (before === undefined) failuresByPath.set(path, [failure]);
        else if (!before.some(({ type }) => type === failure.type)) before.push(failure);
      }
    }
    // Older tasks are not kept.
    this.#read = read;
    return failuresByPath;
  }

  async #of(task: TaskSnapshot, most: number, signal: AbortSignal): Promise<ReadTask> {
    const { task_id } = task;
    const mark = markOf(task);
    const stored = this.#read.get(task_id);
    if (stored?.mark === mark && stored.most >= most) return stored;
    const results = await this.#tasks.failures(task_id, most, signal);
    const failures = results.flatMap(({ path, type, error, closing }) =>
      error === null || closing ? [] : [{ ...error, path, type, task_id }],
    );
    return { mark, most: results.length < most ? Number.POSITIVE_INFINITY : most, failures };
  }
}

/** The latest that was not made good since; `media`: what is stored of the file now. */
export function standing(failures: readonly TaskFailure[], media: HeldMedia | null): Failure | null {
  const latest = failures.find(({ type, ended }) => !isMadeGood(type, ended, media));
  if (latest === undefined) return null;
  const { code, message, task_id } = latest;
  return { code, message, task_id };
}

function isMadeGood(type: string, ended: number, media: HeldMedia | null): boolean {
  const stored = media?.results.filter((result) => result.type === type) ?? [];
  return stored.some(({ stored_ms }) => (stored_ms ?? 0) / 1000 > ended);
}

function endOf({ ended }: TaskSnapshot, most: number): number {
  if (ended === null) return Number.POSITIVE_INFINITY;
  return ended > most ? 0 : ended;
}

function markOf({ task_id, state, started, ended, counts }: TaskSnapshot): string {
  return `${task_id} ${state} ${started} ${ended} ${counts.done} ${counts.failed}`;
}

async function realName(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

export interface ListingParts extends Pick<LibraryParts, 'index'> {
  readonly disk: ListingDisk;
  readonly folders: ListedFolders;
  readonly failed: FailedWork;
}

/** Files of one message: searches come in between. */
const ASKED = 100;

export async function listFolder(
  parts: ListingParts,
  request: FolderRequest,
  signal: AbortSignal,
): Promise<FolderPage> {
  const { cache_dir, folder, offset, limit } = request;
  if (folder === undefined) return topFolders(parts, request, signal);
  const { folders, files } = await parts.folders.names(folder, signal);
  const wantedFolders = folders.slice(offset, offset + limit);
  const before = Math.max(0, offset - folders.length);
  const wantedFiles = files.slice(before, before + limit - wantedFolders.length);
  // Footage may be known by the name of the folder without links.
  const real = await orAborted(realpath(folder), signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return folder;
  });
  return {
    folder,
    real_path: real,
    parent: dirname(folder) === folder ? null : dirname(folder),
    home_folder: homeFolder(),
    export_folder: exportFolder(),
    folders: await listedFolders(parts, cache_dir, { folder, real }, wantedFolders, signal),
    files: await listedFiles(parts, cache_dir, { folder, real }, wantedFiles, signal),
    total: folders.length + files.length,
    offset,
    limit,
  };
}

/** The folders in which known media lie, then that of the person whose service it is. */
async function topFolders(
  { index }: ListingParts,
  { cache_dir, offset, limit }: FolderRequest,
  signal: AbortSignal,
): Promise<FolderPage> {
  const answer = await index.ask('held_folders', { cache_dir }, { signal, lane: 'now' });
  const home = homeFolder();
  const all = answer.folders.map(({ path, analysed }) => ({
    path,
    name: path,
    analysed,
    is_wide_link: false,
  }));
  if (home !== null && !all.some(({ path }) => path === home)) {
    const below = answer.folders.filter(({ path }) => isWithin(path, home));
    const analysed = below.reduce((sum, folder) => sum + folder.analysed, 0);
    all.push({ path: home, name: home, analysed, is_wide_link: false });
  }
  const folders = all.slice(offset, offset + limit);
  return {
    folder: null,
    real_path: null,
    parent: null,
    home_folder: home,
    export_folder: exportFolder(home),
    folders,
    files: [],
    total: all.length,
    offset,
    limit,
  };
}

interface Place {
  readonly folder: string;
  /** Its name without links. */
  readonly real: string;
}

async function listedFolders(
  { index }: ListingParts,
  cache_dir: string,
  { folder, real }: Place,
  requestedNames: readonly FolderName[],
  signal: AbortSignal,
): Promise<FolderPage['folders']> {
  if (requestedNames.length === 0) return [];
  const names = requestedNames.map(({ name }) => name);
  const count = async (within: string) =>
    (await index.ask('held_below', { cache_dir, within, names }, { signal, lane: 'now' })).counts;
  const given = await count(folder);
  const linked = real === folder ? given : await count(real);
  const wide = names.map(() => false);
  await sideBySide(requestedNames.entries(), TOGETHER, signal, async ([i, { name, isLink }]) => {
    // A link that leads nowhere by now says so when it is listed.
    if (isLink) wide[i] = await linksTooWide(join(folder, name), real).catch(() => false);
  });
  return names.map((name, i) => ({
    path: join(folder, name),
    name,
    analysed: Math.max(given[i] ?? 0, linked[i] ?? 0),
    is_wide_link: wide[i]!,
  }));
}

interface Looked {
  readonly name: Name;
  /** The code of the error when it cannot be looked at. */
  readonly state: BigIntStats | string;
}

async function listedFiles(
  parts: ListingParts,
  cache_dir: string,
  place: Place,
  names: readonly Name[],
  signal: AbortSignal,
): Promise<ListedFile[]> {
  const states: (BigIntStats | string | null)[] = names.map(() => null);
  await sideBySide(names.entries(), TOGETHER, signal, async ([i, name]) => {
    states[i] = await lookAt(parts.disk, pathOf(place.folder, name), signal);
  });
  // Files removed since the names were read are left out.
  const looked = names.flatMap((name, i): Looked[] =>
    states[i] === null ? [] : [{ name, state: states[i]! }],
  );
  const media = await heldFiles(parts, cache_dir, place, looked, signal);
  const failures = looked.length === 0 ? new Map() : await parts.failed.of(cache_dir, signal);
  return looked.map((file, i) => {
    const path = join(place.folder, file.name.name);
    const ownFailures = failures.get(path) ?? failures.get(join(place.real, file.name.name)) ?? [];
    return listed(path, file, media[i] ?? null, standing(ownFailures, media[i] ?? null));
  });
}

/** Stored files by the displayed path, or by the path without links. */
async function heldFiles(
  { index }: ListingParts,
  cache_dir: string,
  { folder, real }: Place,
  looked: readonly Looked[],
  signal: AbortSignal,
): Promise<(HeldMedia | null)[]> {
  const media: (HeldMedia | null)[] = looked.map(() => null);
  for (const within of new Set([folder, real])) {
    const unknown = looked.flatMap(({ name, state }, i) =>
      media[i] !== null || typeof state === 'string' || name.bytes !== null ? [] : [{ i, name, state }],
    );
    for (let at = 0; at < unknown.length; at += ASKED) {
      const some = unknown.slice(at, at + ASKED);
      const files = some.map(({ name, state }) => ({
        path: join(within, name.name),
        size_bytes: Number(state.size),
        mtime_ms: modifiedMs(state),
        inode: String(state.ino),
      }));
      const answer = await index.ask('held_files', { cache_dir, files }, { signal, lane: 'now' });
      for (const [j, { i }] of some.entries()) media[i] = answer.files[j] ?? null;
    }
  }
  return media;
}

function listed(
  media_path: string,
  { name: { name, bytes }, state }: Looked,
  media: HeldMedia | null,
  failure: Failure | null,
): ListedFile {
  const kind = (media?.kind ?? kindByName(name) ?? 'video') as ListedFile['kind'];
  const isThere = typeof state !== 'string';
  const of = (type: string) => media?.results.filter((result) => result.type === type) ?? [];
  return {
    media_path,
    name,
    kind,
    size_bytes: isThere ? Number(state.size) : null,
    modified_at: isThere ? modifiedMs(state) / 1000 : null,
    hash_str: media?.hash_str ?? null,
    visual: of('video').map(({ model_key }) => model_key!),
    transcript: of('speech')[0]?.model_key ?? null,
    faces: of('faces').length > 0,
    summaries: of('summary').length,
    failure: bytes !== null ? unnamed(media_path) : isThere ? failure : unread(media_path, state),
  };
}

function unnamed(path: string): Failure {
  const { code, meaning } = mediaErrors.NAME_NOT_UTF8;
  return { code, message: `${path}: ${meaning}`, task_id: null };
}

function unread(path: string, why: string): Failure {
  const { code, meaning } = mediaErrors.FILE_UNREADABLE;
  return { code, message: `${path}: ${meaning} (${why})`, task_id: null };
}
