// A lock file, for short changes of files that several processes share. Its text names the holder; a lock
// whose holder has ended is taken over.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../clock.ts';
import { codeOf, engineErrors } from '../errors.ts';
import { hasEnded, ProcessIdentity, thisProcess } from '../process/identity.ts';
import { createFile, replaceFile } from './atomic-write.ts';
import { discardSync, isInUse, rmSync } from './names.ts';

/** Owner of a lock. A process may own it several times in succession. */
export const LockHolder = Type.Object({ ...ProcessIdentity.properties, token: Type.String() });
export type LockHolder = Static<typeof LockHolder>;

/** Tokens of this process: a record with its process id and another token belongs to an earlier process. */
const tokens = new Set<string>();

/** *Held until `letGo`.* */
export function newHolder(): LockHolder {
  const holder = { ...thisProcess(), token: randomUUID() };
  tokens.add(holder.token);
  return holder;
}

export function letGo({ token }: LockHolder): void {
  tokens.delete(token);
}

/** `unknown`: of a holder on another machine only time tells. */
export function isAlive(holder: LockHolder): boolean | 'unknown' {
  const self = thisProcess();
  if (holder.host !== self.host) return 'unknown';
  if (holder.pid === self.pid && holder.started === self.started) return tokens.has(holder.token);
  return !hasEnded(holder);
}

/** Null for what names no holder. */
function holderOf(text: string): LockHolder | null {
  try {
    const value: unknown = JSON.parse(text);
    return Check(LockHolder, value) ? value : null;
  } catch {
    return null; // Cut short: nobody can be asked whether it lives.
  }
}

/**
 * How long a lock is waited for, and how long one that cannot be asked about has to stay the same to be taken
 * over.
 */
const WAIT_MS = 10_000;
const SILENT_MS = 5_000;
const AGAIN_MS = 20;

export interface LockOptions {
  readonly clock: Clock;
  /** The error of whoever asks: `what` says why the lock at this path cannot be had. */
  refused(what: string, path: string, cause?: unknown): Error;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `change`, which does not wait for anything, while no other process does so under the same lock. Its
 * folder is made. Throws what `refused` makes, and CANCELLED.
 */
export async function underLock<T>(path: string, options: LockOptions, change: () => T): Promise<T> {
  const holder = newHolder();
  try {
    await take(path, holder, options);
    try {
      return change();
    } finally {
      // A change that took very long may have lost it to a process of another machine.
      // One that cannot be removed is taken over when this process ends; the change was made all the same.
      if (claimText(path) === JSON.stringify(holder)) discardSync(path);
    }
  } finally {
    letGo(holder);
  }
}

/** The text of a file, null while there is none, and since when it is known to have been so. */
interface Seen {
  readonly text: string | null;
  readonly since: number;
}

async function take(path: string, holder: LockHolder, options: LockOptions): Promise<void> {
  const { clock, signal, refused } = options;
  const began = clock.now();
  let lock: Seen = { text: null, since: began };
  let removal = lock;
  for (;;) {
    if (signal?.aborted) throw engineErrors.CANCELLED();
    const now = clock.now();
    let isFree = false;
    try {
      if (create(path, holder)) return;
      // Both from the first look on: who ended while it removed a lock left two files of which only time
      // tells.
      lock = lookAgain(path, lock, now);
      removal = lookAgain(removalOf(path), removal, now);
      if (hasGone(removal, now)) rmSync(removalOf(path), { force: true });
      isFree = hasGone(lock, now) && breakLock(path, lock.text, holder);
    } catch (error) {
      // The name of a lock that was just removed, or that somebody looks at, may be refused for a moment.
      if (!isInUse(error) || now - began >= WAIT_MS) throw unwritable(path, error, options);
    }
    if (!isFree && now - began >= WAIT_MS) throw refused(`${path} is locked by ${nameOf(lock)}`, path);
    await pause(clock, isFree ? 0 : AGAIN_MS);
  }
}

function nameOf({ text }: Seen): string {
  const holder = holderOf(text ?? '');
  return holder === null ? 'somebody' : `process ${holder.pid} on ${holder.host}`;
}

function lookAgain(path: string, before: Seen, now: number): Seen {
  const text = textAt(path);
  return before.text === text ? before : { text, since: now };
}

function hasGone({ text, since }: Seen, now: number): boolean {
  if (text === null) return false;
  const holder = holderOf(text);
  const alive = holder === null ? 'unknown' : isAlive(holder);
  return alive === false || (alive === 'unknown' && now - since >= SILENT_MS);
}

/** Held by the one that removes a lock. */
function removalOf(path: string): string {
  return `${path}.over`;
}

/**
 * Only one at a time removes a lock, and only the lock that it looked at. False when another one is at it.
 */
function breakLock(path: string, text: string | null, holder: LockHolder): boolean {
  const removal = removalOf(path);
  if (!create(removal, holder)) return false;
  try {
    if (textAt(path) === text) rmSync(path, { force: true });
  } finally {
    discardSync(removal);
  }
  return true;
}

function create(path: string, holder: LockHolder): boolean {
  return createFile(path, JSON.stringify(holder), { flush: false, folderMode: 0o777 });
}

/** Null when it is gone. Throws the error of the file system. */
function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function unwritable(path: string, error: unknown, { refused }: LockOptions): Error {
  return refused(`${path} cannot be written (${codeOf(error) || String(error)})`, path, error);
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

// A claim: a file that names the process that has something to itself for long, such as a download. It is
// renewed while it is held. It counts for nothing when its process has ended, or, where that cannot be asked,
// when it was not renewed for a while.

const RENEW_MS = 15_000;
/** Clocks of two machines may differ. */
const CLAIM_SILENT_MS = 300_000;

interface ClaimOptions extends LockOptions {
  /** The error of whoever comes second. */
  conflict(holder: LockHolder): Error;
  /** Another process has it after all, as after a long sleep of this machine. */
  onLost?(): void;
}

export interface FileClaim {
  /** Never fails: a claim that stays is of a process that has ended. */
  release(): void;
}

/** Its folder is made. Throws what `conflict` and `refused` make, and CANCELLED. */
export async function claim(path: string, options: ClaimOptions): Promise<FileClaim> {
  const holder = newHolder();
  const text = JSON.stringify(holder);
  const write = () => {
    try {
      replaceFile(path, text, { flush: false, folderMode: 0o777 });
    } catch (error) {
      throw options.refused(`${path} cannot be written (${codeOf(error)})`, path, error);
    }
  };
  try {
    await underLock(`${path}.lock`, options, () => {
      const rival = claimant(path);
      if (rival !== null) throw options.conflict(rival);
      write();
    });
  } catch (error) {
    letGo(holder);
    throw error;
  }
  let disarm = () => {};
  const renew = () => {
    const current = claimText(path);
    if (current !== null && current !== text) {
      letGo(holder);
      options.onLost?.();
      return;
    }
    try {
      if (current === null) write();
      else utimesSync(path, new Date(), new Date());
    } catch {
      // It counts while this process lives, and is tried again.
    }
    disarm = options.clock.after(RENEW_MS, renew);
  };
  disarm = options.clock.after(RENEW_MS, renew);
  return {
    release: () => {
      disarm();
      letGo(holder);
      if (claimText(path) === text) discardSync(path);
    },
  };
}

/** The process that holds a claim; null when none does, or what is there names none. */
export function claimant(path: string): LockHolder | null {
  const holder = holderOf(claimText(path) ?? '');
  const alive = holder !== null && isAlive(holder);
  if (alive === false) return null;
  // Where it is not known when a process began, another one may have its number by now.
  const isSure = alive === true && (holder?.started !== '' || holder.pid === process.pid);
  return isSure || isFresh(path) ? holder : null;
}

/** A time far ahead is of a clock that was set back since. */
function isFresh(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < CLAIM_SILENT_MS;
}

/** Null when there is none, or it cannot be read. */
function claimText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
