// A folder while it is watched: what was found in it, when it is listed and worked on next, and what went
// wrong.
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import { Mutex } from '../../../runtime/sync/locks.ts';
import {
  type FileCounts,
  type FileEnd,
  isSamePlan,
  type PollReport,
  type SeenFile,
  type WatchPlan,
} from '../contract.ts';
import type { FolderRecord, RecordedFolder } from './configuration.ts';
import { failureText } from './contract.ts';
import { type FileOutcome, scopeOf, workOf } from './folder-task.ts';
import { pollAfterChange, pollWait, type Scheduled, waitAfter } from './schedule.ts';

/** How often the same file may be handed back for an error that may pass. */
const MOST_TRIES = 3;
const MOST_FAILURES = 50;

export type FileReport = SeenFile & { readonly end: FileEnd };

export class FolderWatch implements Scheduled {
  folder: RecordedFolder;
  cache_dir: string;
  work: string;
  /** Under which it was listed last; null when it has to be listed again before files are taken. */
  plan: WatchPlan | null = null;
  /** Reports are sent one after the other. */
  readonly lock = new Mutex();
  /** Outcomes that the watcher has not received yet. */
  reports: readonly FileReport[] = [];
  /** Not watched any more: whatever still comes of it is passed over. */
  isGone = false;
  /** Aborts the poll that runs; null while none does. */
  polling: AbortController | null = null;
  pollAt: number;
  retryAt: number | null = null;
  turn = 0;
  record: FolderRecord;
  readonly #defaultCache: string;
  readonly #store: string | null;
  #ready = 0;
  /** Polls in a row that failed, those of them that hung, and work in a row that failed. */
  #failures = { polls: 0, hung: 0, work: 0 };
  #lastPoll = { ended: 0, took: 0 };
  #isListed = false;
  /** Faults of the whole folder, and of files and folders in it. */
  #faults: Record<'poll' | 'work' | 'unreadable', string | null> = {
    poll: null,
    work: null,
    unreadable: null,
  };
  /** The last of its files that was analysed or failed has failed: it comes first among the failures. */
  #hasFailed: boolean;
  readonly #tries = new Map<string, number>();

  /** `store`: names the analysis folder of all machines, whatever its path is here; null for one machine. */
  constructor(
    folder: RecordedFolder,
    defaultCache: string,
    record: FolderRecord,
    now: number,
    store: string | null = null,
  ) {
    this.folder = folder;
    this.#store = store;
    this.#defaultCache = defaultCache;
    this.cache_dir = folder.cache_dir ?? defaultCache;
    this.work = workOf(folder, this.#store ?? this.cache_dir);
    this.record = record;
    const [failure] = record.failures;
    this.#hasFailed = failure !== undefined && record.last_error === failureText(failure);
    this.pollAt = now;
    this.#set({});
  }

  get id(): string {
    return this.folder.id;
  }

  get isAway(): boolean {
    return this.#failures.polls > 0;
  }

  get isPending(): boolean {
    return !this.#isListed || this.record.counts.pending > 0;
  }

  get hasWork(): boolean {
    return this.plan !== null && (this.reports.length > 0 || this.#ready > 0);
  }

  /**
   * A person has changed it, or its root is elsewhere: what went wrong before may be fixed. True when other
   * work is to be done.
   */
  edit(folder: RecordedFolder, now: number): boolean {
    const before = this.work;
    const isElsewhere = folder.folder_path !== this.folder.folder_path;
    this.folder = folder;
    this.cache_dir = folder.cache_dir ?? this.#defaultCache;
    this.work = workOf(folder, this.#store ?? this.cache_dir);
    const isOther = this.work !== before || isElsewhere;
    if (isOther) this.#forget();
    this.pollAt = now;
    this.succeed();
    return isOther;
  }

  /** Drops outcomes of any other plan, which are of no use any more. */
  setPlan(plan: WatchPlan): void {
    if (this.plan !== null && !isSamePlan(this.plan, plan)) this.#forget();
    this.plan = plan;
  }

  #forget(): void {
    this.plan = null;
    this.reports = [];
    this.#tries.clear();
  }

  /** `now`: ms of the clock; `time`: Unix seconds. */
  applyPoll(report: PollReport, now: number, time: number, interval: number): void {
    const { counts, ready, unsettled, unreadable: first, unreadable_count, took_ms: took } = report;
    this.#failures = { ...this.#failures, polls: 0, hung: 0 };
    this.#faults.poll = null;
    this.#faults.unreadable =
      first === null ? null : `${unreadable_count} cannot be read: ${first.path} (${first.message})`;
    this.#ready = ready;
    this.#isListed = true;
    this.#lastPoll = { ended: now, took };
    this.pollAt = now + pollWait({ unsettled, took }, interval);
    // The watcher does not count failures that it was not told yet.
    const isClean = counts.failed === 0 && this.reports.length === 0;
    const failures = isClean ? [] : this.record.failures;
    this.#set({ counts, failures, last_poll_time: time });
  }

  /** True when it is the first time in a row. */
  applyPollFailure(error: unknown, now: number): boolean {
    const hangs = engineErrors.ACTOR_STUCK.is(error);
    const { polls, hung } = this.#failures;
    this.#failures = { ...this.#failures, polls: polls + 1, hung: hung + (hangs ? 1 : 0) };
    this.#faults.poll = hangs
      ? `${this.folder.folder_path}: something in it does not answer`
      : toFields(error).message;
    this.#ready = 0;
    const wait =
      this.#failures.hung > 0 ? waitAfter('hung', this.#failures.hung) : waitAfter('away', polls + 1);
    this.pollAt = now + wait;
    this.#set({});
    return polls === 0;
  }

  advancePoll(now: number): void {
    if (!this.isAway) this.pollAt = pollAfterChange({ due: this.pollAt, ...this.#lastPoll }, now);
  }

  /** Files were handed out. A restarted watcher has none until the next poll. */
  applyTake(files: number, counts: FileCounts, now: number): void {
    this.#set({ counts });
    this.#ready = files === 0 ? 0 : Math.max(0, this.#ready - files);
    if (files === 0) this.advancePoll(now);
  }

  succeed(): void {
    this.#failures.work = 0;
    this.retryAt = null;
    this.#faults.work = null;
    this.#set({});
  }

  /** Work on it is tried again later. */
  fail(error: unknown, now: number): void {
    this.#faults.work = toFields(error).message;
    this.retryAt = now + waitAfter('retry', ++this.#failures.work);
    this.#set({});
  }

  /** Somebody has stopped its task: that is no error. */
  postpone(until: number): void {
    this.retryAt = until;
  }

  /** Remembers why files failed, and what the watcher is to be told. `time`: Unix seconds. */
  add(outcomes: readonly FileOutcome[], time: number): readonly FileReport[] {
    const reports = outcomes.map((outcome) => {
      const { path, mark, fault } = outcome;
      const end = this.#endOf(outcome);
      if (end === 'returned') this.#ready++;
      else {
        this.#tries.delete(path);
        const others = this.record.failures.filter(({ media_path }) => media_path !== path);
        const failure = { media_path: path, error: fault?.message ?? '', time };
        if (end !== 'filtered') this.#hasFailed = end === 'failed';
        this.#set({ failures: (end === 'failed' ? [failure, ...others] : others).slice(0, MOST_FAILURES) });
      }
      return { path, mark, end };
    });
    this.reports = [...this.reports, ...reports];
    return reports;
  }

  #endOf({ path, end, fault }: FileOutcome): FileEnd {
    if (end !== 'returned' || fault === null || scopeOf(fault) === 'surroundings') return end;
    const tries = (this.#tries.get(path) ?? 0) + 1;
    this.#tries.set(path, tries);
    return tries < MOST_TRIES ? 'returned' : 'failed';
  }

  /** The watcher was told. */
  confirm(reports: readonly FileReport[], counts: FileCounts): void {
    this.reports = this.reports.filter((report) => !reports.includes(report));
    this.#set({ counts });
  }

  #set(change: Partial<FolderRecord>): void {
    this.record = { ...this.record, ...change };
    this.record = { ...this.record, last_error: lastErrorOf([this]) };
  }

  /** Reason why the whole folder cannot be listed or worked on. */
  get trouble(): string | null {
    return this.#faults.poll ?? this.#faults.work;
  }

  /** The file that failed last; null once another one was analysed after it. */
  get failure(): FolderRecord['failures'][number] | null {
    const [failure = null] = this.record.failures;
    return this.#hasFailed ? failure : null;
  }

  /** Files and folders that cannot be read. */
  get unreadable(): string | null {
    return this.#faults.unreadable;
  }
}

/**
 * Most important error of several folders: one of a whole folder, then the latest failed file, then
 * unreadable ones.
 */
export function lastErrorOf(folders: readonly FolderWatch[]): string | null {
  const failures = folders.flatMap(({ failure }) => failure ?? []).sort((a, b) => b.time - a.time);
  const errors = [
    ...folders.map(({ trouble }) => trouble),
    ...failures.map(failureText),
    ...folders.map(({ unreadable }) => unreadable),
  ];
  return errors.find((error) => error !== null) ?? null;
}
