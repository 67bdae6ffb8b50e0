// The coordinator of watch folders: keeps their configuration, and runs the service that watches them.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../runtime/clock.ts';
import { toFields } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { Mutex } from '../../../runtime/sync/mutex.ts';
import type { Analysis, Tasks } from '../../analysis/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { BatchSize, watcherContract } from '../contract.ts';
import { ConfigurationFile, type RecordedFolder } from './configuration.ts';
import {
  type FolderStats,
  type NewWatchFolder,
  type WatchFolder,
  type WatchFolderChanges,
  type WatchFolderList,
  type WatchFolders,
  type WatchStatus,
  watchErrors,
} from './contract.ts';
import { addFolder, changeFolder, type EditParts, removeFolder } from './edits.ts';
import { Looks } from './looks.ts';
import { Ownership, watchedBy } from './owner.ts';
import type { Homes } from './places.ts';
import { WatchRun } from './watch-run.ts';
import { lastErrorOf, StatsFiles, statsOf } from './watched.ts';
import { ledgerOf } from './watcher-client.ts';

export interface WatchFolderParts {
  readonly homes: Homes;
  /** Null in an engine that only searches. */
  readonly watcher: Ref<typeof watcherContract> | null;
  readonly tasks: Pick<Tasks, 'start' | 'finish' | 'subscribe' | 'busy'>;
  readonly analysis: Pick<Analysis, 'properties'>;
  readonly index: Ref<typeof indexContract>;
  /** Throws NO_FACE_MODEL when no face models are downloaded. */
  readonly expectModelFor: (work: 'faces') => Promise<void>;
  /** Files of one task. */
  readonly batch: BatchSize;
  /** Between two polls, ms. */
  readonly interval: number;
  /** Whether `resume` does anything. */
  readonly resumes: boolean;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  newId(): string;
}

/** How often a service that should run again is tried while another process watches. */
const RESUME_MS = 20_000;

export function createWatchFolders(parts: WatchFolderParts): WatchFolders {
  return new WatchService(parts);
}

class WatchService implements WatchFolders {
  readonly #parts: WatchFolderParts;
  readonly #folder: string;
  readonly #configuration: ConfigurationFile;
  readonly #stats: StatsFiles;
  readonly #owner: Ownership;
  readonly #edits: EditParts;
  readonly #looks: Looks;
  /** Starts and stops come one after the other. */
  readonly #turn = new Mutex();
  #run: WatchRun | null = null;
  #isClosed = false;
  #disarmResume = () => {};
  /** Files done by runs that have ended. */
  #processed = 0;

  constructor(parts: WatchFolderParts) {
    this.#parts = parts;
    const { clock, log, homes, index, expectModelFor, now, newId } = parts;
    this.#folder = join(homes.home, 'watch-folders');
    this.#configuration = new ConfigurationFile(join(this.#folder, 'folders.json'), clock);
    this.#stats = new StatsFiles(this.#folder, log);
    this.#owner = new Ownership(join(this.#folder, 'owner.json'), clock, log);
    this.#looks = new Looks(clock);
    const configuration = this.#configuration;
    this.#edits = { configuration, looks: this.#looks, homes, index, expectModelFor, now, newId };
  }

  async list(): Promise<WatchFolderList> {
    const { watch_folders } = this.#configuration.read();
    const service_status = this.#status(watch_folders);
    const { folder_stats } = service_status;
    return { watch_folders: watch_folders.map((one) => shown(one, folder_stats[one.id])), service_status };
  }

  async add(folder: NewWatchFolder, signal: AbortSignal): Promise<WatchFolder> {
    const added = await addFolder(this.#edits, folder, signal);
    this.#run?.refresh();
    return shown(added, undefined);
  }

  async change(id: string, changes: WatchFolderChanges, signal: AbortSignal): Promise<WatchFolder> {
    const changed = await changeFolder(this.#edits, id, changes, signal);
    this.#run?.refresh();
    return shown(changed, this.#statsOf(id));
  }

  async remove(id: string): Promise<void> {
    await removeFolder(this.#edits, id);
    if (this.#run) this.#run.refresh();
    // Whoever watches removes what it keeps of the folder.
    else if (this.#owner.other() === null) this.#removeLeft(id);
  }

  async start(): Promise<WatchStatus> {
    this.#disarmResume();
    await this.#turn.run(() => this.#start());
    return this.status();
  }

  async #start(): Promise<void> {
    if (this.#isClosed || this.#parts.watcher === null) {
      throw watchErrors.NOT_WATCHING('This engine watches no folders: `framehound serve` does');
    }
    if (this.#run?.start()) {
      await this.#configuration.change(() => ({ running: true }));
      return;
    }
    await this.#run?.ended;
    const { watch_folders } = this.#configuration.read();
    await this.#owner.take(() => this.#lose());
    try {
      await this.#configuration.change(() => ({ running: true }));
    } catch (error) {
      this.#owner.release();
      throw error;
    }
    if (this.#isClosed) {
      this.#owner.release();
      throw watchErrors.NOT_WATCHING('The engine is stopping');
    }
    this.#removeOrphans(new Set(watch_folders.map(({ id }) => id)));
    this.#watch(this.#parts.watcher);
  }

  #watch(watcher: Ref<typeof watcherContract>): void {
    const { batch: size, homes, clock, log, now, interval, tasks, analysis, index } = this.#parts;
    const kept = { configuration: this.#configuration, stats: this.#stats, looks: this.#looks };
    const of = { watcher, tasks, analysis, index, clock, log, now, interval, homes, size };
    const run = new WatchRun({ ...of, ...kept, folder: this.#folder });
    this.#processed = 0;
    this.#run = run;
    log.info('watch folders are watched');
    void run.ended.then(() => {
      this.#processed = run.processed;
      if (this.#run === run) this.#run = null;
      this.#owner.release();
      log.info('watch folders are not watched any more', { files: run.processed });
    });
  }

  async stop(): Promise<WatchStatus> {
    this.#disarmResume();
    if (this.#parts.watcher === null) throw watchErrors.NOT_WATCHING('This engine watches no folders');
    await this.#turn.run(async () => {
      this.#run?.stop();
      // What another process watches goes on, here and after its restart.
      if (this.#run === null && (this.#owner.other() !== null || !this.#configuration.read().running)) return;
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
    this.#owner.release();
  }

  #lose(): void {
    this.#parts.log.error('watching ends', { error: this.#watchedElsewhere() ?? 'another process watched' });
    this.#run?.stop();
  }

  /** Who watches, when it is another process. */
  #watchedElsewhere(): string | null {
    const other = this.#owner.other();
    return other === null ? null : watchedBy(other);
  }

  #status(folders: readonly RecordedFolder[]): WatchStatus {
    const run = this.#run;
    const folder_stats = Object.fromEntries(folders.map(({ id }) => [id, this.#statsOf(id)]));
    const watched = folders.filter(({ enabled }) => enabled);
    const pending = watched.map(({ id }) => folder_stats[id]?.files_pending ?? 0);
    const files_pending = pending.reduce((sum, one) => sum + one, 0);
    const of = { files_pending, folder_stats };
    if (run === null) {
      const last_error = this.#watchedElsewhere();
      const none = { current_folder: null, current_file: null, task_id: null, paused_until: null };
      const files_processed_this_session = this.#processed;
      return { state: 'stopped', ...none, files_processed_this_session, last_error, ...of };
    }
    const { state, batch, until, processed } = run;
    return {
      state,
      current_folder: batch?.watched.folder.folder_path ?? null,
      current_file: batch?.file ?? null,
      task_id: batch?.task_id ?? null,
      files_processed_this_session: processed,
      last_error: this.#watchedElsewhere() ?? run.folders.fault ?? lastErrorOf([...run.folders.all()]),
      paused_until: until === null ? null : this.#unixOf(until),
      ...of,
    };
  }

  #statsOf(id: string): FolderStats {
    const watched = this.#run?.folders.get(id);
    if (watched === undefined) return statsOf(this.#stats.read(id));
    return watched.stats(this.#parts.clock.now(), (at) => this.#unixOf(at));
  }

  /** The clock of waits only goes forward; the one that people read may be set. */
  #unixOf(at: number): number {
    return this.#parts.now() + Math.max(0, at - this.#parts.clock.now()) / 1000;
  }

  /** What is kept of folders that another process removed while nobody watched. */
  #removeOrphans(ids: ReadonlySet<string>): void {
    for (const name of readdirSync(this.#folder)) {
      const [, id] = /^(.+)\.(?:ledger|stats\.json)$/.exec(name) ?? [];
      if (id !== undefined && !ids.has(id)) this.#removeLeft(id);
    }
  }

  #removeLeft(id: string): void {
    this.#stats.remove(id);
    try {
      rmSync(ledgerOf(this.#folder, id), { force: true });
    } catch (error) {
      this.#parts.log.warn('what was done in a watch folder cannot be removed', { id, error });
    }
  }
}

function shown(
  { real_folder: _, real_cache_dir: __, ...folder }: RecordedFolder,
  stats: FolderStats | undefined,
): WatchFolder {
  const { last_poll_time = 0, files_analyzed: files_analyzed_count = 0 } = stats ?? {};
  return { ...folder, last_poll_time, files_analyzed_count };
}
