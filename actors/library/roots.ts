// The coordinator of roots: keeps where they are, in one file of the home folder, and says which are away.
import { existsSync } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '../../runtime/clock.ts';
import { codeOf, reasonOf } from '../../runtime/errors.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { realFolder } from '../../runtime/files/folder.ts';
import { underLock } from '../../runtime/files/lock.ts';
import { folders, type SettingValues } from '../../settings.ts';
import { type NewRoot, type Root, type RootMove, type Roots, rootErrors } from '../index/roots/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import { isMounted, isWithin, movedPath, volumeOf } from '../index/store/footage-path.ts';
import { databaseFile } from '../index/store/names.ts';
import { PathMap } from '../index/store/path-map.ts';
import { type RootRecord, RootsFile, rootsText } from '../index/store/roots-file.ts';
import { inWork, type LibraryParts } from './parts.ts';

/** Media looked for at once. */
const PAGE = 500;

export function createRoots(
  values: Pick<SettingValues, 'home' | 'cache_dir'>,
  index: LibraryParts['index'],
  tasks: RootParts['tasks'],
): Roots {
  const { home, cache, roots } = folders(values);
  return new RootList({ index, tasks, home, cache, file: new RootsFile(roots) });
}

interface RootParts extends Pick<LibraryParts, 'index'> {
  readonly tasks: () => Pick<LibraryParts['tasks'], 'unfinished'>;
  readonly file: RootsFile;
  /** Home folder and default analysis folder, absolute. */
  readonly home: string;
  readonly cache: string;
}

class RootList implements Roots {
  readonly #parts: RootParts;

  constructor(parts: RootParts) {
    this.#parts = parts;
  }

  list(): Promise<Root[]> {
    return toldAll(this.#active());
  }

  async add({ name, folder, cache_dir = this.#parts.cache }: NewRoot, signal: AbortSignal): Promise<Root> {
    const volume = await this.#placeOf(folder);
    signal.throwIfAborted();
    const added = await this.#change((all) => {
      if (all.some((root) => root.name === name && !root.removed)) {
        throw rootErrors.ROOT_EXISTS(`There is already a root ${name}`, { field: 'name' });
      }
      expectFree(all, folder);
      // One that comes back still names what was stored by it.
      const earlier = all.find((record) => record.name === name);
      const origin = earlier?.origin ?? this.paths().stored(folder);
      const root = { name, folder, origin, volume, removed: false };
      return { root, roots: [...all.filter((record) => record !== earlier), root] };
    });
    await this.#settle(cache_dir, signal);
    return told(added);
  }

  async move(
    name: string,
    { folder, cache_dir = this.#parts.cache }: RootMove,
    signal: AbortSignal,
  ): Promise<Root> {
    const before = known(this.#active(), name);
    const volume = await this.#placeOf(folder);
    // Whatever analysis folder the task fills: a root is of all of them.
    const busy = [...((await this.#parts.tasks().unfinished())?.paths ?? [])];
    const worked = busy.find((path) => isWithin(path, before.folder));
    if (worked !== undefined) throw inWork(worked);
    if (folder !== before.folder) await this.#expectFootage(before, folder, cache_dir, signal);
    const moved = await this.#change((all) => {
      const root = { ...known(all, name), folder, volume };
      const others = all.filter((record) => record.name !== name);
      expectFree(others, folder);
      return { root, roots: [...others, root] };
    });
    await this.#settle(cache_dir, signal);
    return told(moved);
  }

  async remove(name: string): Promise<void> {
    await this.#change((all) => {
      const root = { ...known(all, name), removed: true };
      return { root, roots: [...all.filter((record) => record.name !== name), root] };
    });
  }

  paths(): PathMap {
    return this.#parts.file.read().paths;
  }

  async awayOf(path: string): Promise<Root | null> {
    const placed = this.paths().rootOf(path);
    const root = placed && this.#active().find(({ name }) => name === placed.name);
    if (!root) return null;
    const state = await told(root);
    return state.away === null ? null : state;
  }

  #active(): RootRecord[] {
    return this.#parts.file.read().all.filter(({ removed }) => !removed);
  }

  #change(
    edit: (all: readonly RootRecord[]) => { root: RootRecord; roots: readonly RootRecord[] },
  ): Promise<RootRecord> {
    const { file } = this.#parts;
    const refused = (what: string, path: string, cause?: unknown) =>
      rootErrors.ROOTS_UNWRITABLE(what, { path }, cause);
    return underLock(`${file.path}.lock`, { clock: systemClock, refused }, () => {
      const { root, roots } = edit(file.read().all);
      try {
        replaceFile(file.path, rootsText(withoutSpent(roots)), { flush: true });
      } catch (error) {
        throw refused(`${file.path} cannot be written (${codeOf(error)})`, file.path, error);
      }
      return root;
    });
  }

  /** The volume of a folder that can be a root. ROOT_INVALID naming why it cannot. */
  async #placeOf(folder: string): Promise<string | null> {
    const reason = await this.#fault(folder);
    if (reason === null) return volumeOf(folder);
    throw rootErrors.ROOT_INVALID(`folder ${folder} ${reason}`, { field: 'folder' });
  }

  async #fault(folder: string): Promise<string | null> {
    if (folder === '/') return 'is the whole file system: name the folder in it that holds the footage';
    const fault = await absence(folder);
    if (fault !== null) return fault;
    const real = realFolder(folder);
    const home = realFolder(this.#parts.home);
    if (isWithin(real, home)) return `is ${real === home ? '' : 'in '}the home folder ${home}`;
    for (let at = real; ; at = dirname(at)) {
      if (existsSync(databaseFile(at)))
        return at === real ? 'is an analysis folder' : `is in the analysis folder ${at}`;
      if (dirname(at) === at) return null;
    }
  }

  /** ROOT_NOT_THERE when none of its media lies in the new folder: then it is a mistake, or too early. */
  async #expectFootage(
    { name, folder }: RootRecord,
    to: string,
    cache_dir: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (!existsSync(databaseFile(cache_dir))) return;
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const page = { cache_dir, under: folder, offset, limit: PAGE };
      const answer = await this.#parts.index.ask('held_media', page, { signal });
      total = answer.total;
      for (const { path } of answer.media) {
        const there = await stat(movedPath(path, folder, to)).catch(() => null);
        if (there?.isFile()) return;
      }
      if (total === 0) return;
      if (offset + PAGE < total) continue;
      const media = total === 1 ? 'the 1 known file' : `any of the ${total} known files`;
      const what = `${to} does not have ${media} of root ${name}. Nothing was changed`;
      throw rootErrors.ROOT_NOT_THERE(what, { field: 'folder' });
    }
  }

  /** Stores paths that now lie within a root relative to it. */
  async #settle(cache_dir: string, signal: AbortSignal): Promise<void> {
    if (!existsSync(databaseFile(cache_dir))) return;
    try {
      let after: string | null = '';
      while (after !== null) {
        const step: { after: string | null } = await this.#parts.index.ask(
          'settle_paths',
          { cache_dir, after },
          { signal },
        );
        after = step.after;
      }
    } catch (error) {
      // The next writer of the folder settles the path.
      if (!storeErrors.STORE_READ_ONLY.is(error)) throw error;
    }
  }
}

function known(all: readonly RootRecord[], name: string): RootRecord {
  const match = all.find((root) => root.name === name && !root.removed);
  if (match !== undefined) return match;
  const names = all.filter(({ removed }) => !removed).map((root) => root.name);
  const there = names.length === 0 ? 'there are no roots' : `there are ${names.sort().join(', ')}`;
  throw rootErrors.ROOT_UNKNOWN(`There is no root ${name}; ${there}`, { name });
}

function expectFree(all: readonly RootRecord[], folder: string): void {
  const real = realFolder(folder);
  const existingRoot = all.find((root) => !root.removed && realFolder(root.folder) === real);
  if (existingRoot === undefined) return;
  throw rootErrors.ROOT_EXISTS(`${folder} is the root ${existingRoot.name} already`, { field: 'folder' });
}

/** Without roots of before that change nothing, because another root holds what is stored by them. */
function withoutSpent(roots: readonly RootRecord[]): RootRecord[] {
  return roots.filter((root) => {
    if (!root.removed) return true;
    const active = roots.filter(({ removed }) => !removed);
    const others = new PathMap(active.map((root) => ({ ...root, prefix: root.origin })));
    return others.rootOfStored(root.origin) === null || others.shown(root.origin) !== root.folder;
  });
}

export function rootsIn(file: string): Promise<Root[]> {
  return toldAll(new RootsFile(file).read().all.filter(({ removed }) => !removed));
}

function toldAll(roots: readonly RootRecord[]): Promise<Root[]> {
  return Promise.all(roots.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(told));
}

async function told({ name, folder, volume }: RootRecord): Promise<Root> {
  return { name, folder, away: await rootAbsence(folder, volume) };
}

/** Why the folder of a root cannot be reached; null when it can. */
async function rootAbsence(folder: string, volume: string | null): Promise<string | null> {
  if (volume !== null && !(await isMounted(volume)))
    return `is on the volume ${volume}, which is not mounted`;
  const fault = await absence(folder);
  if (fault !== null) return fault;
  try {
    for await (const _ of await opendir(folder)) return null;
    return 'is empty: its volume may not be mounted';
  } catch (error) {
    return `cannot be read: ${reasonOf(error)}`;
  }
}

/** Why there is no such folder; null when there is. */
async function absence(folder: string): Promise<string | null> {
  try {
    return (await stat(folder)).isDirectory() ? null : 'is not a folder';
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read: ${reasonOf(error)}`;
  }
}
