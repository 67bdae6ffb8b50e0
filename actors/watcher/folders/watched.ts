// A folder while it is watched: what was found in it, when it is listed and worked on next, and what went
// wrong.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { codeOf } from '../../../runtime/files/error-code.ts';
import type { Log } from '../../../runtime/log.ts';
import { Mutex } from '../../../runtime/sync/mutex.ts';
import { FileCounts, type FileEnd, type PollReport, type SeenFile } from '../contract.ts';
import type { RecordedFolder } from './configuration.ts';
import { type FileFailure, FolderStats, failureText } from './contract.ts';
import { type EndedFile, isOfEveryFile } from './ends.ts';
import { cacheOf, type Homes } from './places.ts';
import { type Plan, workOf } from './request-of.ts';
import { awayWait, hungWait, pollAfterChange, pollWait, retryWait, type Scheduled } from './schedule.ts';

/** How often the same file may be handed back for an error that may pass. */
const MOST_TRIES = 3;

export interface UnsentReport {
  /** Under which the files were taken. */
  readonly plan: Plan;
  readonly files: readonly (SeenFile & { readonly end: FileEnd })[];
}

export class Watched implements Scheduled {
  #folder: RecordedFolder;
  cache: string;
  work: string;
  /** Under which the watcher has it; null while it has it not. */
  opened: Plan | null = null;
  /** The watcher has seen its files since it was opened there: it passes over what it is told of others. */
  isListed = false;
  /** Opening and settling come one after the other. */
  readonly lock = new Mutex();
  /** Ends of files that the watcher was not told of yet. */
  readonly unsent: UnsentReport[] = [];
  /** Not watched any more: whatever still comes of it is passed over. */
  isGone = false;
  /** Aborts the poll that runs; null while none does. */
  polling: AbortController | null = null;
  pollAt: number;
  ready = 0;
  retryAt: number | null = null;
  served = 0;
  /** What was found differs from what is recorded of it; `soon`: in more than the time of the last poll. */
  unsaved: 'soon' | 'later' | null = null;
  savedAt: number;
  #record: FolderRecord;
  #awayCount = 0;
  /** How often its listing hung until the watcher was replaced, since it was listed last. */
  #hangs = 0;
  #retries = 0;
  #polledAt = 0;
  #pollTook = 0;
  /** Names the watcher did not keep: the next poll brings them. */
  #more = false;
  #wasListed = false;
  /** The last of its files that ended, other than by its filter, has failed: it comes first in the record. */
  #hasFailed: boolean;
  #pollFault: string | null = null;
  #workFault: string | null = null;
  #unreadable: string | null = null;
  readonly #tries = new Map<string, number>();

  constructor(folder: RecordedFolder, homes: Homes, record: FolderRecord, now: number) {
    this.#folder = folder;
    this.cache = cacheOf(folder, homes);
    this.work = workOf(folder, this.cache);
    this.#record = { ...record, last_error: null };
    const [failure] = record.failures;
    this.#hasFailed = failure !== undefined && record.last_error === failureText(failure);
    this.pollAt = now;
    this.savedAt = now;
  }

  get folder(): RecordedFolder {
    return this.#folder;
  }

  get id(): string {
    return this.#folder.id;
  }

  get away(): boolean {
    return this.#awayCount > 0;
  }

  get isPending(): boolean {
    return !this.#wasListed || this.#record.counts.pending > 0;
  }

  /**
   * A person has changed it: what went wrong before may be fixed. True when something else is to be done with
   * files.
   */
  edit(folder: RecordedFolder, homes: Homes, now: number): boolean {
    const before = this.work;
    this.#folder = folder;
    this.cache = cacheOf(folder, homes);
    this.work = workOf(folder, this.cache);
    this.pollAt = now;
    this.wentWell();
    return this.work !== before;
  }

  open(plan: Plan, counts: FileCounts, isFilled: boolean): void {
    const isOther = this.opened !== null && !isFilled;
    if (isOther) this.#tries.clear();
    if (this.opened === null || isOther) this.ready = 0;
    if (this.opened === null) this.isListed = false;
    this.count(this.opened === null ? this.#unlisted(counts) : counts);
    this.opened = plan;
  }

  /** A ledger knows only what is done: the other files are those that were found when it was listed last. */
  #unlisted(counts: FileCounts): FileCounts {
    const { analyzed, failed, filtered } = counts;
    const files = Math.max(counts.files, this.#record.counts.files);
    return { files, pending: files - analyzed - failed - filtered, analyzed, failed, filtered };
  }

  count(counts: FileCounts): void {
    const { counts: before } = this.#record;
    if (JSON.stringify(before) === JSON.stringify(counts)) return;
    this.#set({ counts }, 'soon');
  }

  /** `now`: ms of the clock; `time`: Unix seconds. */
  polled(report: PollReport, { now, took, time, interval }: PollTimes): void {
    const { counts, ready, unsettled, unreadable, unreadable_count } = report;
    this.#awayCount = 0;
    this.#hangs = 0;
    this.#pollFault = null;
    const [first] = unreadable;
    this.#unreadable =
      first === undefined ? null : `${unreadable_count} cannot be read: ${first.path} (${first.message})`;
    this.ready = ready;
    this.#wasListed = true;
    this.#more = counts.pending > ready + unsettled + unreadable_count;
    this.#polledAt = now;
    this.#pollTook = took;
    this.pollAt = now + pollWait({ unsettled, took }, interval);
    this.count(counts);
    this.#set({ last_poll_time: time }, 'later');
    // Ends that the watcher was not told of yet are not counted by it.
    const isNoneLeft = counts.failed === 0 && this.unsent.length === 0;
    if (isNoneLeft && this.#record.failures.length > 0) this.#set({ failures: [] }, 'soon');
  }

  /** True when it is the first time in a row. */
  pollFailed(error: unknown, now: number): boolean {
    this.#awayCount++;
    this.#pollFault = engineErrors.ACTOR_STUCK.is(error)
      ? `${this.#folder.folder_path}: something in it does not answer`
      : toFields(error).message;
    this.ready = 0;
    if (engineErrors.ACTOR_STUCK.is(error)) this.#hangs++;
    this.pollAt = now + (this.#hangs > 0 ? hungWait(this.#hangs) : awayWait(this.#awayCount));
    this.#set({}, 'soon');
    return this.#awayCount === 1;
  }

  changed(now: number): void {
    if (this.away) return;
    this.pollAt = pollAfterChange({ due: this.pollAt, ended: this.#polledAt, took: this.#pollTook }, now);
  }

  took(files: number, counts: FileCounts, now: number): void {
    this.count(counts);
    this.ready = files === 0 ? 0 : Math.max(0, this.ready - files);
    // There are more than were kept by name.
    if (this.ready === 0 && files > 0 && this.#more) this.pollAt = Math.min(this.pollAt, now);
  }

  wentWell(): void {
    this.#retries = 0;
    this.retryAt = null;
    if (this.#workFault !== null) this.#set({}, 'soon');
    this.#workFault = null;
  }

  /** Work on it is tried again later. */
  pause(error: unknown, now: number): void {
    this.#workFault = toFields(error).message;
    this.retryAt = now + retryWait(++this.#retries);
    this.#set({}, 'soon');
  }

  /** Somebody has stopped its task: that is no error. */
  rest(now: number, ms: number): void {
    this.retryAt = now + ms;
  }

  /** Remembers why files failed; answers what the watcher is told. `time`: Unix seconds. */
  note(ended: readonly EndedFile[], time: number): UnsentReport['files'] {
    return ended.map(({ path, mark, end, fault }) => {
      const told = this.#endOf({ path, mark, end, fault });
      if (told !== 'returned') this.#tries.delete(path);
      else this.ready++;
      if (told !== 'returned')
        this.#keepFailure(path, told === 'failed' ? (fault?.message ?? '') : null, time);
      if (told === 'failed' || told === 'analyzed') this.#hasFailed = told === 'failed';
      return { path, mark, end: told };
    });
  }

  #endOf({ path, end, fault }: EndedFile): FileEnd {
    if (end !== 'returned' || fault === null || isOfEveryFile(fault.code)) return end;
    const tries = (this.#tries.get(path) ?? 0) + 1;
    this.#tries.set(path, tries);
    return tries < MOST_TRIES ? 'returned' : 'failed';
  }

  /** `error` null: it did not fail. */
  #keepFailure(path: string, error: string | null, time: number): void {
    const { failures } = this.#record;
    const others = failures.filter(({ media_path }) => media_path !== path);
    if (error === null && others.length === failures.length) return;
    const fresh = error === null ? [] : [{ media_path: path, error, time }];
    this.#set({ failures: [...fresh, ...others].slice(0, MOST_FAILURES) }, 'soon');
  }

  #set(change: Partial<FolderRecord>, when: 'soon' | 'later'): void {
    this.#record = { ...this.#record, ...change };
    if (this.unsaved !== 'soon') this.unsaved = when;
  }

  /** What keeps the whole folder from being listed or worked on. */
  get trouble(): string | null {
    return this.#pollFault ?? this.#workFault;
  }

  /** The file that failed last; null once another one was analysed after it. */
  get failure(): FileFailure | null {
    const [failure] = this.#record.failures;
    return failure !== undefined && this.#hasFailed ? failure : null;
  }

  /** Files and folders that cannot be read. */
  get unreadable(): string | null {
    return this.#unreadable;
  }

  get record(): FolderRecord {
    return { ...this.#record, last_error: lastErrorOf([this]) };
  }

  /** `unixOf`: Unix seconds of a time of the clock. */
  stats(now: number, unixOf: (at: number) => number): FolderStats {
    const until = this.away ? this.pollAt : this.retryAt;
    const paused_until = until !== null && (this.away || until > now) ? unixOf(until) : null;
    return { ...statsOf(this.record), paused_until };
  }
}

export interface PollTimes {
  readonly now: number;
  /** ms */
  readonly took: number;
  readonly time: number;
  readonly interval: number;
}

/**
 * Of several folders: what concerns a whole one, then the file that failed last, then what cannot be read.
 */
export function lastErrorOf(folders: readonly Watched[]): string | null {
  const failures = folders.flatMap(({ failure }) => failure ?? []).sort((a, b) => b.time - a.time);
  const found = [
    ...folders.map(({ trouble }) => trouble),
    ...failures.map(failureText),
    ...folders.map(({ unreadable }) => unreadable),
  ];
  return found.find((one) => one !== null) ?? null;
}

export function statsOf({ counts, last_poll_time, last_error, failures }: FolderRecord): FolderStats {
  const { pending, analyzed, failed, filtered } = counts;
  const files = {
    files_pending: pending,
    files_analyzed: analyzed,
    files_failed: failed,
    files_filtered: filtered,
  };
  return { ...files, last_poll_time, last_error, paused_until: null, failures: [...failures] };
}

// What was found in a watch folder, in a small file of its own, so that it is known while nothing is watched.

const FolderRecord = Type.Object({
  version: Type.Literal(1),
  counts: FileCounts,
  last_poll_time: FolderStats.properties.last_poll_time,
  last_error: FolderStats.properties.last_error,
  failures: FolderStats.properties.failures,
});
type FolderRecord = Static<typeof FolderRecord>;

/** Failures that are kept of a folder. */
const MOST_FAILURES = 50;

const noneFound: FolderRecord = {
  version: 1,
  counts: { files: 0, pending: 0, analyzed: 0, failed: 0, filtered: 0 },
  last_poll_time: 0,
  last_error: null,
  failures: [],
};

export class StatsFiles {
  readonly #folder: string;
  readonly #log: Log;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** A file that is not there or damaged says that nothing was found: the next poll knows better. */
  read(id: string): FolderRecord {
    const path = this.#path(id);
    try {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (Check(FolderRecord, value)) return value;
      this.#log.warn('what was found in a watch folder cannot be read', { path });
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        this.#log.warn('what was found in a watch folder cannot be read', { path, error });
    }
    return noneFound;
  }

  /** True when it is written. */
  write(id: string, record: FolderRecord): boolean {
    try {
      replaceFile(this.#path(id), JSON.stringify(record), { flush: false, folderMode: 0o777 });
      return true;
    } catch (error) {
      this.#log.warn('what was found in a watch folder cannot be recorded', { id, error });
      return false;
    }
  }

  remove(id: string): void {
    try {
      rmSync(this.#path(id), { force: true });
    } catch (error) {
      this.#log.warn('what was found in a watch folder cannot be removed', { id, error });
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.stats.json`);
  }
}
