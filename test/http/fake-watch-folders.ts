// Watch folders in memory: they keep what the contract says, look at no disk and analyse nothing.
import {
  type NewWatchFolder,
  type WatchFolder,
  type WatchFolderChanges,
  type WatchFolders,
  type WatchStatus,
  watchErrors,
} from '../../actors/watcher/folders/contract.ts';

export interface FakeWatchFolders extends WatchFolders {
  /** As they were asked for, in order. */
  readonly asked: readonly (readonly [what: string, ...given: unknown[]])[];
  /** To be changed by a test. */
  standing: WatchStatus;
  readonly folders: Map<string, WatchFolder>;
}

export function emptyStatus(more: Partial<WatchStatus> = {}): WatchStatus {
  return {
    state: 'stopped',
    current_folder: null,
    current_file: null,
    task_id: null,
    files_pending: 0,
    files_processed_this_session: 0,
    last_error: null,
    paused_until: null,
    folder_stats: {},
    ...more,
  };
}

export interface FakeWatchOptions {
  /** Whether a folder is there; all are unless said otherwise. */
  readonly isThere?: (path: string) => boolean;
  /** Of an engine that serves nobody. */
  readonly serves?: boolean;
}

export function fakeWatchFolders({ isThere = () => true, serves = true }: FakeWatchOptions = {}) {
  const folders = new Map<string, WatchFolder>();
  const asked: [string, ...unknown[]][] = [];
  let made = 0;
  const known = (id: string): WatchFolder => {
    const folder = folders.get(id);
    if (!folder) throw watchErrors.WATCH_FOLDER_UNKNOWN(`there is no watch folder ${id}`);
    return folder;
  };
  const kept = (folder: WatchFolder): WatchFolder => {
    expectPossible(folder, isThere);
    const same = [...folders.values()].find(
      (one) =>
        one.id !== folder.id && one.folder_path === folder.folder_path && one.cache_dir === folder.cache_dir,
    );
    if (same) throw watchErrors.ALREADY_WATCHED(`${folder.folder_path} is watched already, as ${same.id}`);
    folders.set(folder.id, folder);
    return folder;
  };
  const expectService = () => {
    if (!serves) throw watchErrors.NOT_WATCHING();
  };
  const fake: FakeWatchFolders = {
    asked,
    folders,
    standing: emptyStatus(),
    list: async () => ({ watch_folders: [...folders.values()], service_status: fake.standing }),
    add: async (folder) => {
      asked.push(['add', folder]);
      const id = `${++made}f2c9a01b7d3`;
      const known = { id, created_at: 1_700_000_000, last_poll_time: 0, files_analyzed_count: 0 };
      return kept({ ...folder, ...known, metadata_filter_request: filtersOf(folder) ?? null });
    },
    change: async (id, changes) => {
      asked.push(['change', id, changes]);
      const { metadata_filter_request: _, ...rest } = changes;
      const filters = filtersOf(changes);
      const filtered = filters === undefined ? {} : { metadata_filter_request: filters };
      return kept({ ...known(id), ...rest, ...filtered });
    },
    remove: async (id) => {
      asked.push(['remove', id]);
      known(id);
      folders.delete(id);
    },
    start: async () => {
      expectService();
      fake.standing = { ...fake.standing, state: 'waiting' };
      return fake.standing;
    },
    stop: async () => {
      expectService();
      const isWorking = fake.standing.state === 'running';
      fake.standing = { ...fake.standing, state: isWorking ? 'stopping' : 'stopped' };
      return fake.standing;
    },
    status: async () => fake.standing,
    resume: async () => {},
    close: async () => {},
  };
  return fake;
}

function expectPossible(folder: WatchFolder, isThere: (path: string) => boolean): void {
  const { folder_path, cache_dir } = folder;
  if (!isThere(folder_path))
    throw watchErrors.WATCH_FOLDER_MISSING(`${folder_path} is not there`, { field: 'folder_path' });
  if (cache_dir !== null && !isThere(cache_dir))
    throw watchErrors.CACHE_DIR_MISSING(`${cache_dir} is not there`, { field: 'cache_dir' });
  if (folder.enable_face_analysis && folder.cluster_job_name === null) {
    const field = 'cluster_job_name';
    throw watchErrors.INVALID_WATCH_FOLDER('face analysis needs a cluster_job_name', { field });
  }
}

/** In the one form in which they are answered; undefined where nothing is said of them. */
function filtersOf({ metadata_filter_request: asked }: NewWatchFolder | WatchFolderChanges) {
  if (asked === undefined || asked === null) return asked;
  const filters = Array.isArray(asked) ? asked : asked.filters;
  return filters.length === 0 ? null : { filters };
}
