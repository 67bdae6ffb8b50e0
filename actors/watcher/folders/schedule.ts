// Schedule of the service that watches folders: which folder is listed or worked on next, how long waits are,
// and the resulting state of the service. Pure: times are milliseconds of a monotonic clock.
import type { WatchState } from './contract.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** The first wait and the longest one, in ms. */
const waits = {
  /** Until work is tried again. */
  retry: [2 * SECOND, MINUTE],
  /** Until a folder that cannot be reached is listed again. */
  away: [5 * SECOND, 5 * MINUTE],
  /** The same of one whose listing hung: each try may cost a thread, which is free when the disk answers. */
  hung: [5 * MINUTE, 6 * HOUR],
} as const;

/** `failures`: in a row, from 1 on. */
export function waitAfter(kind: keyof typeof waits, failures: number): number {
  const [first, most] = waits[kind];
  return Math.min(most, first * 2 ** Math.min(30, failures - 1));
}

/** Between a poll that saw files being written and the next one. */
const SETTLE_MS = 5 * SECOND;
/** Largest share of the time spent on listing a folder that changes all the time. */
const POLL_SHARE = 0.2;
/** The same of a folder in which nothing happens, and how long a slow listing is waited for at most. */
const REST_SHARE = 0.03;
const REST_MOST_MS = 10 * MINUTE;

/** From the end of a poll to the next one; longer than `interval` for a folder that takes long to list. */
export function pollWait({ unsettled, took }: { unsettled: number; took: number }, interval: number): number {
  if (unsettled > 0) return Math.max(Math.min(SETTLE_MS, interval), took / POLL_SHARE);
  return Math.max(interval, Math.min(REST_MOST_MS, took / REST_SHARE));
}

/** When a folder is listed in which something changed: soon, but a large one is not listed all the time. */
export function pollAfterChange(
  { due, ended, took }: { readonly due: number; readonly ended: number; readonly took: number },
  now: number,
): number {
  return Math.min(due, Math.max(now + 500, ended + Math.max(SECOND, took / POLL_SHARE)));
}

/** A folder as the schedule sees it. */
export interface Scheduled {
  /** When it is listed next. */
  readonly pollAt: number;
  /** It was not listed since the service began, or some of its files are not analysed, however they stand. */
  readonly isPending: boolean;
  /** Files may be taken, or what became of some is not recorded yet. */
  readonly hasWork: boolean;
  /** It cannot be listed; it is tried again at `pollAt`. */
  readonly isAway: boolean;
  /** Work on it failed and is tried again then; null when it did not. */
  readonly retryAt: number | null;
  /** The turn in which it was worked on last: the higher the later; 0 for never. */
  readonly turn: number;
}

/** When a folder in trouble is tried again; null when it is in none. */
export function pausedUntil({ isAway, pollAt, retryAt }: Scheduled, now: number): number | null {
  if (isAway) return pollAt;
  return retryAt !== null && retryAt > now ? retryAt : null;
}

/** The due folder that has waited longest. */
export function nextPoll<F extends Scheduled>(folders: Iterable<F>): F | null {
  let first: F | null = null;
  for (const folder of folders) if (first === null || folder.pollAt < first.pollAt) first = folder;
  return first;
}

/** The one that was worked on longest ago, so that a small folder never waits for a huge one to end. */
export function nextToWork<F extends Scheduled>(folders: Iterable<F>, now: number): F | null {
  let first: F | null = null;
  for (const folder of folders) {
    if (!folder.hasWork || folder.isAway || (folder.retryAt ?? now) > now) continue;
    if (first === null || folder.turn < first.turn) first = folder;
  }
  return first;
}

export interface Activity {
  readonly isStopping: boolean;
  /** Files of a folder are being worked on. */
  readonly isWorking: boolean;
  /** When work is tried again while somebody else's task runs; null when none does. */
  readonly slotAt: number | null;
}

/** The state of the service, and when a paused one goes on. */
export function stateOf(
  folders: readonly Scheduled[],
  { isStopping, isWorking, slotAt }: Activity,
  now: number,
): { readonly state: WatchState; readonly until: number | null } {
  if (isStopping) return { state: isWorking ? 'stopping' : 'stopped', until: null };
  if (isWorking) return { state: 'running', until: null };
  if (nextToWork(folders, now) !== null) {
    return { state: slotAt === null ? 'running' : 'paused', until: slotAt };
  }
  const retries = folders.flatMap((folder) => pausedUntil(folder, now) ?? []);
  if (retries.length > 0) return { state: 'paused', until: Math.min(...retries) };
  return { state: folders.some(({ isPending }) => isPending) ? 'running' : 'waiting', until: null };
}
