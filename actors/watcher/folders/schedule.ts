// What the service that watches folders does next: its states, which folder is listed or worked on, and how
// long waits are. Pure: times are milliseconds of one clock that only goes forward.
import type { WatchState } from './contract.ts';

export const triggers = [
  'start',
  'stop',
  'work begins',
  'files pending',
  'nothing pending',
  'slot taken',
  'folder unreadable',
  'task retryable error',
  'retry due',
  'slot free',
  'current work finished',
  'folder edited',
  'folder removed',
  'engine stops',
] as const;
export type Trigger = (typeof triggers)[number];

/** Where a trigger leads; one that is left out changes nothing. */
const transitions: Readonly<Record<WatchState, Partial<Readonly<Record<Trigger, WatchState>>>>> = {
  stopped: { start: 'running' },
  running: {
    stop: 'stopping',
    'nothing pending': 'waiting',
    'slot taken': 'paused',
    'folder unreadable': 'paused',
    'task retryable error': 'paused',
    'engine stops': 'stopped',
  },
  // A start withdraws the stop.
  stopping: { start: 'running', 'current work finished': 'stopped', 'engine stops': 'stopped' },
  // Nothing is worked on while the service waits or is paused, so there is nothing to finish.
  paused: {
    stop: 'stopped',
    'work begins': 'running',
    'files pending': 'running',
    'nothing pending': 'waiting',
    'retry due': 'running',
    'slot free': 'running',
    'folder edited': 'running',
    'folder removed': 'running',
    'engine stops': 'stopped',
  },
  waiting: {
    stop: 'stopped',
    'work begins': 'running',
    'files pending': 'running',
    'slot taken': 'paused',
    'folder unreadable': 'paused',
    'task retryable error': 'paused',
    'folder edited': 'running',
    'engine stops': 'stopped',
  },
};

export function nextState(state: WatchState, trigger: Trigger): WatchState {
  return transitions[state][trigger] ?? state;
}

/** Between a poll that saw files being written and the next one. */
export const SETTLE_MS = 5_000;
const AWAY_FIRST_MS = 5_000;
const AWAY_MOST_MS = 300_000;
const HUNG_FIRST_MS = 300_000;
const HUNG_MOST_MS = 6 * 3_600_000;
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;
/** Of the time at most, in which a folder that changes all the time is listed. */
const POLL_SHARE = 0.2;
/**
 * The same of a folder in which nothing happens; a listing that takes minutes is not waited for longer than
 * `REST_MOST_MS`.
 */
const REST_SHARE = 0.03;
const REST_MOST_MS = 600_000;

/** `failures`: in a row, from 1 on. */
function growing(first: number, most: number, failures: number): number {
  return Math.min(most, first * 2 ** Math.min(30, Math.max(0, failures - 1)));
}

/** Until a task, or a message to another actor, is tried again. */
export function retryWait(failures: number): number {
  return growing(RETRY_FIRST_MS, RETRY_MOST_MS, failures);
}

export interface Polled {
  /** Files that have to be seen once more. */
  readonly unsettled: number;
  /** How long the last poll took. */
  readonly took: number;
}

/** Until a folder that is away is listed again. `failures`: polls in a row that found it away. */
export function awayWait(failures: number): number {
  return growing(AWAY_FIRST_MS, AWAY_MOST_MS, failures);
}

/** The same of one whose listing hung: each try may cost a thread, which is free when the disk answers. */
export function hungWait(failures: number): number {
  return growing(HUNG_FIRST_MS, HUNG_MOST_MS, failures);
}

/** From the end of a poll to the next one; longer than `interval` for a folder that takes long to list. */
export function pollWait({ unsettled, took }: Polled, interval: number): number {
  if (unsettled > 0) return Math.max(Math.min(SETTLE_MS, interval), took / POLL_SHARE);
  return Math.max(interval, Math.min(REST_MOST_MS, took / REST_SHARE));
}

/** When a folder is listed in which something changed: soon, but a large one is not listed all the time. */
export function pollAfterChange(
  { due, ended, took }: { readonly due: number; readonly ended: number; readonly took: number },
  now: number,
): number {
  const pause = Math.max(1_000, took / POLL_SHARE);
  return Math.min(due, Math.max(now + 500, ended + pause));
}

/** A folder as the schedule sees it. */
export interface Scheduled {
  /** When it is listed next. */
  readonly pollAt: number;
  /** It was not listed since the service began, or some of its files are not analysed, however they stand. */
  readonly isPending: boolean;
  /** Files that may be taken now. */
  readonly ready: number;
  /** It cannot be read; it is tried again at `pollAt`. */
  readonly away: boolean;
  /** Work on it failed and is tried again then; null when it did not. */
  readonly retryAt: number | null;
  /** The turn in which it was worked on last: the higher the later; 0 for never. */
  readonly served: number;
}

/** Of several that are due, the one that waits longest. */
export function nextPoll<F extends Scheduled>(folders: Iterable<F>): F | null {
  let first: F | null = null;
  for (const folder of folders) if (first === null || folder.pollAt < first.pollAt) first = folder;
  return first;
}

/**
 * The one with ready files that was worked on longest ago, so that a small folder never waits for a huge one
 * to end.
 */
export function nextToWork<F extends Scheduled>(folders: Iterable<F>, now: number): F | null {
  let first: F | null = null;
  for (const folder of folders) {
    if (folder.ready === 0 || folder.away || (folder.retryAt ?? now) > now) continue;
    if (first === null || folder.served < first.served) first = folder;
  }
  return first;
}

export interface Idle {
  readonly trigger: 'files pending' | 'nothing pending' | 'folder unreadable' | 'task retryable error';
  /** When it is tried again; null when it waits for files. */
  readonly until: number | null;
}

/** Why no folder can be worked on: the trouble that is over first, or that nothing is pending. */
export function whyIdle(folders: Iterable<Scheduled>, now: number): Idle {
  let found: Idle = { trigger: 'nothing pending', until: null };
  for (const { away, pollAt, retryAt, isPending } of folders) {
    if (isPending && found.until === null) found = { trigger: 'files pending', until: null };
    const until = away ? pollAt : retryAt !== null && retryAt > now ? retryAt : null;
    if (until === null || (found.until !== null && found.until <= until)) continue;
    found = { trigger: away ? 'folder unreadable' : 'task retryable error', until };
  }
  return found;
}
