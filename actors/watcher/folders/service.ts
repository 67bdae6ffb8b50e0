// The coordinator of watch folders: keeps their configuration, and runs the service that watches them, in one
// process of a home folder at a time.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../../runtime/clock.ts';
import { toFields } from '../../../runtime/errors.ts';
import type { HomeFiles } from '../../../runtime/files/home-files.ts';
import { claim, claimant, type FileClaim, type LockHolder } from '../../../runtime/files/lock.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { Mutex } from '../../../runtime/sync/locks.ts';
import { folders, type SettingValues } from '../../../settings.ts';
import { RootsFile, type RootsState } from '../../index/store/roots-file.ts';
import type { watcherContract } from '../contract.ts';
import {
  ConfigurationFile,
  FolderRecords,
  type RecordedFolder,
  statsOf,
  unwritable,
} from './configuration.ts';
import {
  type FolderStats,
  type NewWatchFolder,
  type OwnWatch,
  type WatchClaims,
  type WatchFolder,
  type WatchFolderChanges,
  type WatchFolderList,
  type WatchFolders,
  type WatchStatus,
  watchErrors,
} from './contract.ts';
import { addFolder, changeFolder, type EditParts, folderOf } from './edits.ts';
import { WatchedPlaces } from './places.ts';
import { pausedUntil } from './schedule.ts';
import { WatchRun, type WatchRunParts } from './watch-run.ts';

export interface WatchFolderParts
  extends Omit<WatchRunParts, 'watcher' | 'configuration' | 'records' | 'places'>,
    Omit<EditParts, 'configuration' | 'places'> {
  /** Null in an engine that only searches. */
  readonly watcher: Ref<typeof watcherContract> | null;
  /** True if `resume` has an effect. */
  readonly resumes: boolean;
  /** Where the roots are now. */
  readonly roots: () => RootsState;
  /** Access to the stored configuration. */
  readonly homeFiles: HomeFiles;
  /** Null for one process of the home folder at a time. */
  readonly claims: WatchClaims | null;
}

/**
 * Films of one task for each decoder, so that none of them runs dry, and at most: other folders, and tasks
 * that wait for their turn, wait for the whole task. Small files share a task in larger numbers, because a
 * task of its own costs more than a still.
 */
const FILMS_EACH = 4;
const MOST_FILMS = 64;
const SMALL_FILES = { most: 200, bytes: 2 ** 30 };
/** How often a service that should run again is tried while another process watches. */
const RESUME_MS = 20_000;

/** `decoders`: 0 for an engine that only searches; it watches nothing. */
export function openWatchFolders(
  values: SettingValues,
  decoders: number,
  parts: Omit<WatchFolderParts, MadeHere>,
): WatchFolders {
  const { home, cache, roots: file } = folders(values);
  const rootsFile = new RootsFile(file);
  const roots = () => rootsFile.read();
  const { shared } = parts;
  const allParts = {
    ...parts,
    roots,
    homes: { home, cache },
    size: { few: Math.max(1, Math.min(MOST_FILMS, FILMS_EACH * decoders)), ...SMALL_FILES },
    interval: values.watch_interval_seconds * 1000,
    resumes: values.watch_resume,
    now: () => Date.now() / 1000,
    newId: randomUUID,
  };
  const open = (claims: WatchClaims | null) => new WatchService({ ...allParts, claims });
  return shared === null ? open(null) : shared.service(allParts.resumes, open);
}

type MadeHere = 'homes' | 'size' | 'interval' | 'resumes' | 'now' | 'newId' | 'roots' | 'claims';

export class WatchService implements OwnWatch {
  readonly #parts: WatchFolderParts;
  readonly #claims: WatchClaims;
  readonly #configuration: ConfigurationFile;
  readonly #records: FolderRecords;
  readonly #places: WatchedPlaces;
  /** Starts and stops come one after the other. */
  readonly #turn = new Mutex();
  #claim: FileClaim | null = null;
  #run: WatchRun | null = null;
  #isClosed = false;
  #disarmResume = () => {};
  /** Files done by runs that have ended. */
  #processed = 0;

  constructor(parts: WatchFolderParts) {
    this.#parts = parts;
    const folder = join(parts.homes.home, 'watch-folders');
    this.#claims = parts.claims ?? claimsIn(join(folder, 'owner.json'), parts.clock);
    this.#configuration = new ConfigurationFile(
      join(folder, 'folders.json'),
      parts.homeFiles,
      parts.clock,
      parts.roots,
    );
    this.#records = new FolderRecords(folder, parts.log, parts.shared?.ledgers);
    this.#places = new WatchedPlaces(parts.homes, parts.clock);
  }

  get #edits(): EditParts {
    return { ...this.#parts, configuration: this.#configuration, places: this.#places };
  }

  get isRecorded(): boolean {
    return this.#configuration.read().running;
  }

  async record(running: boolean): Promise<void> {
    if (this.isRecorded !== running) await this.#configuration.change(() => ({ running }));
  }

  async reads(): Promise<boolean> {
    if (this.#parts.watcher === null) return false;
    const enabled = this.#configuration.read().watch_folders.filter((folder) => folder.enabled);
    const results = await Promise.allSettled(enabled.map((folder) => this.#places.folder(folder)));
    return results.every(({ status }) => status === 'fulfilled');
  }

  async list(): Promise<WatchFolderList> {
    const { watch_folders } = this.#configuration.read();
    const service_status = this.#status(watch_folders);
    const { folder_stats } = service_status;
    return {
      watch_folders: watch_folders.map((folder) => viewOf(folder, folder_stats[folder.id])),
      service_status,
    };
  }

  async add(folder: NewWatchFolder, signal: AbortSignal): Promise<WatchFolder> {
    const recorded = await addFolder(this.#edits, folder, signal);
    this.#run?.refresh();
    return viewOf(recorded, undefined);
  }

  async change(id: string, changes: WatchFolderChanges, signal: AbortSignal): Promise<WatchFolder> {
    const recorded = await changeFolder(this.#edits, id, changes, signal);
    this.#run?.refresh();
    return viewOf(recorded, this.#statsOf(id));
  }

  async remove(id: string): Promise<void> {
    await this.#configuration.change((now) => ({ remove: folderOf(now, id).id }));
    if (this.#run) this.#run.refresh();
    // A watching process removes its own records of the folder.
    else if (this.#other() === null) this.#records.remove(id);
  }

  async start(): Promise<WatchStatus> {
    this.#disarmResume();
    await this.#turn.run(() => this.#start());
    return this.status();
  }

  async #start(): Promise<void> {
    const { watcher } = this.#parts;
    if (this.#isClosed || watcher === null) {
      throw watchErrors.NOT_WATCHING('This engine watches no folders: `framehound serve` does');
    }
    if (!this.#run?.start()) {
      await this.#run?.completion;
      this.#claim = await this.#claimWatch();
    }
    try {
      // Another machine may have recorded meanwhile that it is to stop.
      if (this.#parts.shared === null || !this.isRecorded)
        await this.#configuration.change(() => ({ running: true }));
      if (this.#isClosed) throw watchErrors.NOT_WATCHING('The engine is stopping');
    } catch (error) {
      if (this.#run === null) this.#release();
      throw error;
    }
    if (this.#run === null) this.#watch(watcher);
  }

  #claimWatch(): Promise<FileClaim> {
    return this.#claims.claim(() => {
      this.#claim = null;
      this.#parts.log.error('watching ends', { error: this.#other() ?? 'another one watches' });
      this.#run?.stop();
    });
  }

  #release(): void {
    this.#claim?.release();
    this.#claim = null;
  }

  #watch(watcher: Ref<typeof watcherContract>): void {
    const { log } = this.#parts;
    const { watch_folders } = this.#configuration.read();
    this.#records.removeOthers(new Set(watch_folders.map(({ id }) => id)));
    const files = { configuration: this.#configuration, records: this.#records, places: this.#places };
    const run = new WatchRun({ ...this.#parts, ...files, watcher });
    this.#processed = 0;
    this.#run = run;
    log.info('watch folders are watched');
    void run.completion.then(() => {
      this.#processed = run.processed;
      this.#run = null;
      this.#release();
      log.info('watch folders are not watched any more', { files: run.processed });
    });
  }

  async stop(): Promise<WatchStatus> {
    this.#disarmResume();
    if (this.#parts.watcher === null) throw watchErrors.NOT_WATCHING('This engine watches no folders');
    await this.#turn.run(async () => {
      this.#run?.stop();
      // Folders that another process watches continue, here and after its restart.
      if (this.#run === null && (this.#other() !== null || !this.#configuration.read().running)) return;
      await this.#configuration.change(() => ({ running: false }));
    });
    return this.status();
  }

  async status(): Promise<WatchStatus> {
    return this.#status(this.#configuration.read().watch_folders);
  }

  async resume(): Promise<void> {
    const { resumes, watcher, clock, log } = this.#parts;
    if (!resumes || watcher === null || this.#isClosed) return;
    try {
      if (this.#configuration.read().running && this.#run === null) await this.#turn.run(() => this.#start());
    } catch (error) {
      const { message } = toFields(error);
      log.warn('watch folders are not watched, though they were before', { error: message });
      // It may only seem to live: a machine of another name, or one that has just ended.
      if (this.#isClosed || !watchErrors.WATCHED_ELSEWHERE.is(error)) return;
      this.#disarmResume = clock.after(RESUME_MS, () => void this.resume());
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#disarmResume();
    await this.#run?.close();
    this.#release();
  }

  /** The other process that watches; null if there is none. */
  #other(): string | null {
    return this.#claim === null ? this.#claims.other() : null;
  }

  #status(all: readonly RecordedFolder[]): WatchStatus {
    const run = this.#run;
    const { state, until, fault } = run?.status ?? { state: 'stopped', until: null, fault: null };
    const folder_stats = Object.fromEntries(all.map(({ id }) => [id, this.#statsOf(id)]));
    const pending = all.map(({ id, enabled }) => (enabled ? (folder_stats[id]?.files_pending ?? 0) : 0));
    return {
      state,
      current_folder: run?.batch?.watch.folder.folder_path ?? null,
      current_file: run?.batch?.task?.file ?? null,
      task_id: run?.batch?.task?.task_id ?? null,
      files_pending: pending.reduce((sum, files) => sum + files, 0),
      files_processed_this_session: run?.processed ?? this.#processed,
      last_error: this.#other() ?? fault,
      paused_until: until === null ? null : this.#unixOf(until),
      folder_stats,
    };
  }

  #statsOf(id: string): FolderStats {
    const watch = this.#run?.get(id);
    if (watch === undefined) return statsOf(this.#records.read(id));
    const until = pausedUntil(watch, this.#parts.clock.now());
    return { ...statsOf(watch.record), paused_until: until === null ? null : this.#unixOf(until) };
  }

  /** The clock of waits only goes forward; the one that people read may be set. */
  #unixOf(at: number): number {
    return this.#parts.now() + Math.max(0, at - this.#parts.clock.now()) / 1000;
  }
}

/** One process of a home folder watches. `path`: names it. */
function claimsIn(path: string, clock: Clock): WatchClaims {
  const conflict = (holder: LockHolder) =>
    watchErrors.WATCHED_ELSEWHERE(watchedBy(holder), { pid: holder.pid, host: holder.host });
  return {
    claim: (onLost) => claim(path, { clock, refused: unwritable, conflict, onLost }),
    other: () => {
      const holder = claimant(path);
      return holder === null ? null : watchedBy(holder);
    },
  };
}

function watchedBy({ pid, host }: Pick<LockHolder, 'pid' | 'host'>): string {
  return `Process ${pid} on ${host} watches the folders of this home folder`;
}

function viewOf(
  { real_folder: _, real_cache_dir: __, ...folder }: RecordedFolder,
  stats: FolderStats | undefined,
): WatchFolder {
  const { last_poll_time = 0, files_analyzed: files_analyzed_count = 0 } = stats ?? {};
  return { ...folder, last_poll_time, files_analyzed_count };
}
