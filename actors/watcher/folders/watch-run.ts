// The service while it runs. Whenever something happens or falls due, it takes the next step: one folder is
// listed and one is worked on at a time, beside each other. Trouble with one folder pauses that folder; the
// others go on.
import { isAbsolute } from 'node:path';
import type { Clock } from '../../../runtime/clock.ts';
import { toFields } from '../../../runtime/errors.ts';
import { realFolder } from '../../../runtime/files/folder.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { analysisErrors, type Tasks } from '../../analysis/contract.ts';
import {
  type BatchSize,
  isSamePlan,
  type WatchedFolder,
  type WatchPlan,
  type watcherContract,
} from '../contract.ts';
import type { Configuration, ConfigurationFile, FolderRecords } from './configuration.ts';
import { type SharedWatch, type WatchState, watchErrors } from './contract.ts';
import { type FileOutcome, FolderTask, type FolderTaskParts } from './folder-task.ts';
import { FolderWatch, lastErrorOf } from './folder-watch.ts';
import type { Homes, WatchedPlaces } from './places.ts';
import { nextPoll, nextToWork, stateOf, waitAfter } from './schedule.ts';

export interface WatchRunParts extends FolderTaskParts {
  readonly watcher: Ref<typeof watcherContract>;
  readonly tasks: Pick<Tasks, 'start' | 'finish' | 'subscribe' | 'busy'>;
  readonly configuration: ConfigurationFile;
  readonly records: FolderRecords;
  readonly places: WatchedPlaces;
  readonly homes: Homes;
  /** Null for an engine by itself. */
  readonly shared: SharedWatch | null;
  /** Files of one task. */
  readonly size: BatchSize;
  /** Between two polls, ms. */
  readonly interval: number;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** How often the configuration is read, and what was found is recorded. */
const MAINTAIN_MS = 5_000;
/** How long a folder rests whose task somebody has stopped. */
const STOPPED_MS = 60_000;
/** How long the end of the engine waits for what is being recorded. */
const CLOSE_MS = 2_000;

export class WatchRun {
  batch: { readonly watch: FolderWatch; task: FolderTask | null } | null = null;
  /** Files that were analysed or failed. */
  processed = 0;
  /** Resolves when it has stopped; it never rejects. */
  readonly completion: Promise<void>;
  readonly #parts: WatchRunParts;
  readonly #watches = new Map<string, FolderWatch>();
  /** Without links. */
  readonly #homes: readonly string[];
  readonly #shutdown = new AbortController();
  readonly #unsubscribe: () => void;
  readonly #complete: () => void;
  #configuration: Configuration | null = null;
  /** Why the configuration cannot be read; the last one holds. */
  #fault: string | null = null;
  #maintainAt = 0;
  #isStopping = false;
  #isComplete = false;
  #isPolling = false;
  #turns = 0;
  #slotAt: number | null = null;
  #disarm = () => {};
  #feed = { key: '', stop: new AbortController() };

  constructor(parts: WatchRunParts) {
    this.#parts = parts;
    this.#homes = [parts.homes.home, parts.homes.cache].map(realFolder);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.completion = promise;
    this.#complete = resolve;
    this.#unsubscribe = parts.tasks.subscribe((task_id, { type }) => {
      // The slot is free when the listeners were told.
      if (type === 'end' && task_id !== this.batch?.task?.task_id) queueMicrotask(() => this.#step());
    });
    this.refresh();
  }

  get(id: string): FolderWatch | undefined {
    return this.#watches.get(id);
  }

  /** The state, when a paused service goes on, and what went wrong. */
  get status(): { state: WatchState; until: number | null; fault: string | null } {
    const watches = [...this.#watches.values()];
    const activity = {
      isStopping: this.#isStopping,
      isWorking: this.batch !== null,
      slotAt: this.#slotAt,
    };
    return {
      ...stateOf(watches, activity, this.#parts.clock.now()),
      fault: this.#fault ?? lastErrorOf(watches),
    };
  }

  /** Reads the configuration again; a poll that runs does not delay it. */
  refresh(): void {
    this.#maintainAt = 0;
    this.#step();
  }

  /** Files that are being worked on are finished. */
  stop(): void {
    this.batch?.task?.finish();
    this.#halt();
  }

  #halt(): void {
    this.#isStopping = true;
    for (const { polling } of this.#watches.values()) polling?.abort();
    this.#step();
  }

  /** Withdraws a stop; false when it has stopped already. */
  start(): boolean {
    if (this.#isComplete) return false;
    this.#isStopping = false;
    this.#step();
    return true;
  }

  /**
   * The engine ends: nothing is begun or waited for any more. What is known is recorded, if that is quick.
   * Never rejects.
   */
  async close(): Promise<void> {
    this.#shutdown.abort();
    this.#halt();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(CLOSE_MS, resolve);
    await Promise.race([this.completion, late]);
    cancel();
  }

  /** Begins all due work and sets a timer for the next. */
  #step(): void {
    if (this.#isComplete) return;
    this.#disarm();
    if (this.#isStopping) {
      if (this.batch === null) void this.#finish();
      return;
    }
    const now = this.#parts.clock.now();
    if (now >= this.#maintainAt) this.#maintain(now);
    const poll = nextPoll(this.#watches.values());
    if (!this.#isPolling && poll !== null && poll.pollAt <= now) void this.#poll(poll);
    this.#startWork(now);
    const times = [...this.#watches.values()].flatMap(({ pollAt, retryAt }) => [pollAt, retryAt ?? 0]);
    const next = Math.min(...[this.#maintainAt, this.#slotAt ?? 0, ...times].filter((at) => at > now));
    this.#disarm = this.#parts.clock.after(next - now, () => this.#step());
  }

  #startWork(now: number): void {
    if (this.batch !== null) return;
    const watch = nextToWork(this.#watches.values(), now);
    if (watch === null || !this.#parts.tasks.busy) {
      this.#slotAt = null;
      if (watch !== null) void this.#startTask(watch);
    } else if (this.#slotAt === null || this.#slotAt <= now) this.#slotAt = now + MAINTAIN_MS;
  }

  #maintain(now: number): void {
    this.#maintainAt = now + MAINTAIN_MS;
    try {
      this.#apply(this.#parts.configuration.read(), now);
      this.#fault = null;
    } catch (error) {
      const { message } = toFields(error);
      if (this.#fault !== message)
        this.#parts.log.error('the watch folders cannot be read', { error: message });
      this.#fault = message;
    }
    for (const { id, record } of this.#watches.values()) this.#parts.records.save(id, record, now);
    this.#listen();
  }

  /** Watches the folders of the configuration that are enabled. */
  #apply(configuration: Configuration, now: number): void {
    if (configuration === this.#configuration) return;
    this.#configuration = configuration;
    const { homes, records, shared } = this.#parts;
    const store = shared?.store ?? null;
    const folders = new Map(configuration.watch_folders.map((folder) => [folder.id, folder]));
    for (const watch of this.#watches.values()) {
      if (!folders.get(watch.id)?.enabled) this.#drop(watch, !folders.has(watch.id));
    }
    for (const [id, folder] of folders) {
      const watch = this.#watches.get(id);
      if (watch === undefined) {
        if (folder.enabled)
          this.#watches.set(id, new FolderWatch(folder, homes.cache, records.read(id), now, store));
      } else if (JSON.stringify(watch.folder) !== JSON.stringify(folder)) {
        const isOtherWork = watch.edit(folder, now);
        // A poll by the exclusions of before says nothing any more.
        watch.polling?.abort();
        if (isOtherWork && this.batch?.watch === watch) this.batch.task?.finish();
      }
    }
  }

  #drop(watch: FolderWatch, isRemoved: boolean): void {
    watch.isGone = true;
    watch.polling?.abort();
    if (this.batch?.watch === watch) this.batch.task?.finish();
    this.#watches.delete(watch.id);
    if (isRemoved) this.#parts.records.remove(watch.id);
    else this.#parts.records.write(watch.id, watch.record);
    void this.#closeFolder(watch, isRemoved);
  }

  /** Hears of changes in the folders that can be reached. Polls find all others. */
  #listen(): void {
    const reachable = [...this.#watches.values()].filter(
      ({ isAway, folder }) => !isAway && isAbsolute(folder.folder_path),
    );
    const folders = reachable.map(({ id, folder: { folder_path } }) => ({ id, folder_path }));
    const key = JSON.stringify(folders);
    if (key === this.#feed.key) return;
    this.#feed.stop.abort();
    const feed = { key, stop: new AbortController() };
    this.#feed = feed;
    if (folders.length > 0) void this.#follow(folders, feed);
  }

  async #follow(
    folders: { id: string; folder_path: string }[],
    feed: { key: string; readonly stop: AbortController },
  ): Promise<void> {
    const { watcher, clock, log } = this.#parts;
    const { signal } = feed.stop;
    try {
      for await (const { id } of watcher.feed('changes', { folders }, { signal })) {
        this.#watches.get(id)?.advancePoll(clock.now());
        this.#step();
      }
    } catch (error) {
      if (!signal.aborted) log.debug('changes in watch folders are not told', { error });
    }
    feed.key = '';
  }

  async #poll(watch: FolderWatch): Promise<void> {
    const { clock, now, interval, log, watcher } = this.#parts;
    const { excluded_extensions, excluded_filename_globs, excluded_folder_globs } = watch.folder;
    const exclusions = { excluded_extensions, excluded_filename_globs, excluded_folder_globs };
    const caches = (this.#configuration?.watch_folders ?? []).map(({ real_cache_dir }) => real_cache_dir);
    const skip = [...new Set([...this.#homes, ...caches])];
    this.#isPolling = true;
    const polling = new AbortController();
    watch.polling = polling;
    const isStale = () => watch.isGone || polling.signal.aborted;
    try {
      const { shared, places } = this.#parts;
      if (!isAbsolute(watch.folder.folder_path)) throw withoutRoot(watch);
      const plan = { work: watch.work, store: shared?.store ?? (await places.store(watch.folder)) };
      if (isStale()) return;
      watch.setPlan(plan);
      const request = { folder: this.#folderOf(watch, plan), exclusions, skip };
      const report = await watcher.ask('poll', request, { signal: polling.signal });
      if (!isStale()) watch.applyPoll(report, clock.now(), now(), interval);
    } catch (error) {
      if (!isStale() && watch.applyPollFailure(error, clock.now()))
        log.warn('a watch folder cannot be listed', { id: watch.id, error: toFields(error).message });
    } finally {
      watch.polling = null;
      this.#isPolling = false;
      this.#step();
    }
  }

  #folderOf({ id, folder: { folder_path } }: FolderWatch, plan: WatchPlan): WatchedFolder {
    const { records, shared } = this.#parts;
    return { id, folder_path, ledger: records.ledgerOf(id), shared: shared !== null, plan };
  }

  /** Reports earlier outcomes first. */
  async #startTask(watch: FolderWatch): Promise<void> {
    const { clock, log } = this.#parts;
    watch.turn = ++this.#turns;
    const batch: WatchRun['batch'] = { watch, task: null };
    this.batch = batch;
    try {
      await this.#send(watch);
      await this.#runTask(watch, batch);
    } catch (error) {
      if (watch.isGone || this.#shutdown.signal.aborted) return;
      if (analysisErrors.ANOTHER_TASK.is(error)) watch.postpone(clock.now() + waitAfter('retry', 1));
      else {
        log.warn('a watch folder is worked on later', { id: watch.id, error: toFields(error).message });
        watch.fail(error, clock.now());
      }
    } finally {
      this.batch = null;
      this.#step();
    }
  }

  async #runTask(watch: FolderWatch, batch: { task: FolderTask | null }): Promise<void> {
    const { watcher, clock, size, tasks } = this.#parts;
    const { plan, folder: settings, cache_dir } = watch;
    if (plan === null) return;
    const request = { folder: this.#folderOf(watch, plan), size };
    const { files, counts } = await watcher.ask('take', request);
    watch.applyTake(files.length, counts, clock.now());
    const report = (outcomes: readonly FileOutcome[]) => this.#record(watch, plan, outcomes);
    const task = new FolderTask(this.#parts, { settings, cache_dir, files, report });
    batch.task = task;
    if (this.#isStopping || watch.isGone || watch.work !== plan.work) task.finish();
    const { fault, isHandedBack } = await task.run(this.#shutdown.signal);
    await this.#send(watch);
    if (fault !== null) throw new Error(fault.message);
    watch.succeed();
    // A stop in favour of a new task hands the slot to it; a plain stop should last for a while.
    if (isHandedBack && !tasks.busy) watch.postpone(clock.now() + STOPPED_MS);
  }

  #record(watch: FolderWatch, plan: WatchPlan, outcomes: readonly FileOutcome[]): void {
    if (watch.isGone || this.#shutdown.signal.aborted) return;
    const reports = watch.add(outcomes, this.#parts.now());
    this.processed += reports.filter(({ end }) => end === 'analyzed' || end === 'failed').length;
    // Outcomes of another plan do not count: the work is done again.
    if (watch.plan === null || !isSamePlan(plan, watch.plan)) watch.reports = [];
    // The end of the batch sends what failed now, and reports the error.
    this.#send(watch).catch(() => {});
  }

  #send(watch: FolderWatch): Promise<void> {
    return watch.lock.run(async () => {
      const { reports, plan } = watch;
      if (reports.length === 0 || plan === null || watch.isGone) return;
      const request = { folder: this.#folderOf(watch, plan), files: [...reports] };
      watch.confirm(reports, (await this.#parts.watcher.ask('report', request)).counts);
    });
  }

  async #finish(): Promise<void> {
    this.#isComplete = true;
    this.#unsubscribe();
    this.#feed.stop.abort();
    for (const watch of this.#watches.values()) {
      this.#parts.records.write(watch.id, watch.record);
      if (!this.#shutdown.signal.aborted) await this.#closeFolder(watch, false);
    }
    this.#complete();
  }

  async #closeFolder({ id }: FolderWatch, remove: boolean): Promise<void> {
    const { watcher, records, log } = this.#parts;
    try {
      await watcher.ask('close', { id, ledger: records.ledgerOf(id), remove });
    } catch (error) {
      // A watcher that is gone has nothing open.
      log.warn('a watch folder cannot be closed', { id, error });
    }
  }
}

/** In a cluster, machines that have the root are preferred. */
function withoutRoot({ folder: { folder_path } }: FolderWatch): Error {
  return watchErrors.WATCH_FOLDER_MISSING(
    `${folder_path} cannot be watched: no running machine has the roots of all watch folders, and this one lacks that root`,
  );
}
