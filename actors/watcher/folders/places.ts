// Where a watch folder and its analysis folder lie: whether they are there, and whether they may be used
// together. They may lie on a share that does not answer.
import { access, constants, realpath, stat, statfs } from 'node:fs/promises';
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf } from '../../../runtime/errors.ts';
import { isPseudoFolder, realFolder } from '../../../runtime/files/folder.ts';
import { isWithin } from '../../index/store/footage-path.ts';
import { databaseFile } from '../../index/store/names.ts';
import { PendingQueries } from '../disk.ts';
import type { FolderSettings, RecordedFolder } from './configuration.ts';
import { watchErrors } from './contract.ts';

/** Home folder and default analysis folder, absolute. */
export interface Homes {
  readonly home: string;
  readonly cache: string;
}

/** Both without links. */
export type RealFolders = Pick<RecordedFolder, 'real_folder' | 'real_cache_dir'>;

interface Place {
  /** Why it is no folder; null for one. */
  readonly fault: string | null;
  /** Its name without links. */
  readonly real: string;
  readonly isWritable: boolean;
  /** The system makes it up. */
  readonly isPseudo: boolean;
  /** Names the store in it, wherever it lies; null while it holds none. */
  readonly store: string | null;
}

export class WatchedPlaces {
  readonly #homes: Homes;
  readonly #queries: PendingQueries;
  readonly #look: (path: string) => Promise<Place>;

  constructor(homes: Homes, clock: Clock, look: (path: string) => Promise<Place> = placeAt) {
    this.#homes = homes;
    this.#queries = new PendingQueries(clock);
    this.#look = look;
  }

  async #place(path: string): Promise<Place> {
    return (await this.#queries.ask(path, () => this.#look(path))) ?? noFolder('does not answer');
  }

  /** The real path of a folder to watch. WATCH_FOLDER_MISSING, INVALID_WATCH_FOLDER. */
  async folder({ folder_path }: Pick<FolderSettings, 'folder_path'>): Promise<string> {
    const { fault, real, isPseudo } = await this.#place(folder_path);
    if (isPseudo) throw notWatchable(folder_path, 'is made up by the system and holds no media');
    if (fault === null) return real;
    throw watchErrors.WATCH_FOLDER_MISSING(`folder_path ${folder_path} ${fault}`, { field: 'folder_path' });
  }

  /**
   * The real path of an analysis folder; the default one is made when it is first needed. CACHE_DIR_MISSING,
   * CACHE_DIR_NOT_ALLOWED.
   */
  async cache({ cache_dir }: Pick<FolderSettings, 'cache_dir'>): Promise<string> {
    const { fault, real, isWritable } = await this.#place(cache_dir ?? this.#homes.cache);
    if (cache_dir === null) return fault === null ? real : this.#homes.cache;
    if (fault !== null) throw cacheMissing(cache_dir, fault);
    if (isWritable) return real;
    throw notAllowed(cache_dir, 'cannot be written');
  }

  /** Names the store of an analysis folder. CACHE_DIR_MISSING for one that is away: it only seems empty. */
  async store({ cache_dir }: Pick<FolderSettings, 'cache_dir'>): Promise<string | null> {
    const path = cache_dir ?? this.#homes.cache;
    const { fault, store } = await this.#place(path);
    if (fault !== null && (cache_dir !== null || fault !== MISSING)) throw cacheMissing(path, fault);
    return store;
  }

  /**
   * Neither may lie in the other: all that is watched would be left out, or what is written there would be
   * listed with it. CACHE_DIR_NOT_ALLOWED, INVALID_WATCH_FOLDER.
   */
  expectApart({ real_folder, real_cache_dir }: RealFolders, others: readonly RecordedFolder[]): void {
    if (real_folder === '/') {
      throw notWatchable('/', 'is the whole file system: name the folders in it that hold media');
    }
    if (isWithin(real_folder, real_cache_dir)) {
      const what = real_folder === real_cache_dir ? 'is the watched folder' : 'holds the watched folder';
      throw notAllowed(real_cache_dir, what);
    }
    const [home, cache] = [this.#homes.home, this.#homes.cache].map(realFolder) as [string, string];
    if (isWithin(real_folder, home)) throw notWatchable(real_folder, `lies in the home folder ${home}`);
    if (isWithin(home, real_folder)) throw notWatchable(real_folder, `holds the home folder ${home}`);
    const caches = [real_cache_dir, cache, ...others.map((folder) => folder.real_cache_dir)];
    const inner = caches.find((cacheFolder) => isWithin(cacheFolder, real_folder));
    if (inner !== undefined) throw notWatchable(real_folder, `holds the analysis folder ${inner}`);
  }
}

/** ALREADY_WATCHED when another one watches the same folder for the same analysis folder. */
export function expectOnce(
  { real_folder, real_cache_dir }: RealFolders,
  others: readonly RecordedFolder[],
): void {
  const same = others.find(
    (folder) => folder.real_folder === real_folder && folder.real_cache_dir === real_cache_dir,
  );
  if (!same) return;
  const { id, folder_path } = same;
  throw watchErrors.ALREADY_WATCHED(`${folder_path} is watched already, as ${id}`, { id });
}

function notWatchable(folder_path: string, why: string) {
  return watchErrors.INVALID_WATCH_FOLDER(`folder_path ${folder_path} ${why}`, { field: 'folder_path' });
}

function notAllowed(cache_dir: string, why: string) {
  return watchErrors.CACHE_DIR_NOT_ALLOWED(`cache_dir ${cache_dir} ${why}`, { field: 'cache_dir' });
}

function cacheMissing(cache_dir: string, why: string) {
  return watchErrors.CACHE_DIR_MISSING(`cache_dir ${cache_dir} ${why}`, { field: 'cache_dir' });
}

const MISSING = 'does not exist';

function noFolder(fault: string): Place {
  return { fault, real: '', isWritable: false, isPseudo: false, store: null };
}

async function placeAt(path: string): Promise<Place> {
  try {
    const stats = await stat(path, { bigint: true });
    if (!stats.isDirectory()) return noFolder('is not a folder');
    const isPseudo = isPseudoFolder((await statfs(path)).type, stats.dev);
    const isWritable = await access(path, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    return { fault: null, real: await realpath(path), isWritable, isPseudo, store: await storeAt(path) };
  } catch (error) {
    const code = codeOf(error);
    return noFolder(code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : `cannot be read (${code})`);
  }
}

async function storeAt(path: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs, ctimeNs } = await stat(databaseFile(path), { bigint: true });
    // Where the system does not know when a file was made, it says nothing, or when it changed.
    return birthtimeNs > 0n && birthtimeNs < ctimeNs ? `${ino}-${birthtimeNs}` : `${ino}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
