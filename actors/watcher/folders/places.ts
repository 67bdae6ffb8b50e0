// Where a watch folder and its analysis folder lie: whether they are there, and whether they may be used
// together.
import { sep } from 'node:path';
import { realFolder } from '../../../runtime/files/real-folder.ts';
import type { FolderSettings, RecordedFolder } from './configuration.ts';
import { watchErrors } from './contract.ts';
import type { Look, Looks } from './looks.ts';

export interface Places {
  /** Without links. */
  readonly real_folder: string;
  readonly real_cache_dir: string;
}

export interface Homes {
  /** Home folder and default analysis folder, absolute. */
  readonly home: string;
  readonly cache: string;
}

export function cacheOf({ cache_dir }: Pick<FolderSettings, 'cache_dir'>, { cache }: Homes): string {
  return cache_dir ?? cache;
}

/** WATCH_FOLDER_MISSING, INVALID_WATCH_FOLDER. */
export async function realWatched(looks: Looks, { folder_path }: FolderSettings): Promise<string> {
  const look = await looks.folder(folder_path);
  if (look.kind === 'folder') return look.real;
  if (look.kind === 'pseudo') throw notWatchable(folder_path, look.why);
  throw watchErrors.WATCH_FOLDER_MISSING(`folder_path ${folder_path} ${look.why}`, { field: 'folder_path' });
}

/** The default analysis folder is made when it is first needed. CACHE_DIR_MISSING, CACHE_DIR_NOT_ALLOWED. */
export async function realCache(looks: Looks, { cache_dir }: FolderSettings, homes: Homes): Promise<string> {
  const look = await looks.folder(cache_dir ?? homes.cache);
  if (cache_dir === null) return look.kind === 'folder' ? look.real : homes.cache;
  return usable(look, cache_dir).real;
}

function usable(look: Look, cache_dir: string) {
  const field = { field: 'cache_dir' };
  if (look.kind !== 'folder')
    throw watchErrors.CACHE_DIR_MISSING(`cache_dir ${cache_dir} ${look.why}`, field);
  if (look.writable) return look;
  throw watchErrors.CACHE_DIR_NOT_ALLOWED(`cache_dir ${cache_dir} cannot be written`, field);
}

/**
 * Neither may lie in the other: all that is watched would be left out, or what is written there would be
 * listed with it. CACHE_DIR_NOT_ALLOWED, INVALID_WATCH_FOLDER.
 */
export function expectApart(
  { real_folder, real_cache_dir }: Places,
  homes: Homes,
  others: readonly RecordedFolder[],
): void {
  if (real_folder === '/') {
    throw notWatchable('/', 'is the whole file system: name the folders in it that hold media');
  }
  if (isWithin(real_folder, real_cache_dir)) {
    const what = real_folder === real_cache_dir ? 'is the watched folder' : 'holds the watched folder';
    throw watchErrors.CACHE_DIR_NOT_ALLOWED(`cache_dir ${real_cache_dir} ${what}`, { field: 'cache_dir' });
  }
  const home = realFolder(homes.home);
  if (isWithin(real_folder, home)) throw notWatchable(real_folder, `lies in the home folder ${home}`);
  if (isWithin(home, real_folder)) throw notWatchable(real_folder, `holds the home folder ${home}`);
  const caches = [real_cache_dir, homes.cache, ...others.map((one) => one.real_cache_dir)].map(realFolder);
  const held = caches.find((cache) => isWithin(cache, real_folder));
  if (held !== undefined) throw notWatchable(real_folder, `holds the analysis folder ${held}`);
}

function notWatchable(folder_path: string, why: string) {
  return watchErrors.INVALID_WATCH_FOLDER(`folder_path ${folder_path} ${why}`, { field: 'folder_path' });
}

/** ALREADY_WATCHED when another one watches the same folder for the same analysis folder. */
export function expectOnce({ real_folder, real_cache_dir }: Places, others: readonly RecordedFolder[]): void {
  const same = others.find((one) => one.real_folder === real_folder && one.real_cache_dir === real_cache_dir);
  if (!same) return;
  const { id, folder_path } = same;
  throw watchErrors.ALREADY_WATCHED(`${folder_path} is watched already, as ${id}`, { id });
}

/** Folders that are left out wherever they lie: the program's own, and every analysis folder. */
export function ownFolders(folders: readonly RecordedFolder[], homes: Homes): string[] {
  const named = folders.flatMap(({ cache_dir, real_cache_dir }) => [
    ...(cache_dir === null ? [] : [cache_dir]),
    real_cache_dir,
  ]);
  return [...new Set([homes.home, homes.cache, ...named])];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
