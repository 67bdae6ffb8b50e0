// A claim: a file that names the process that has something to itself for long, such as a download. It is
// renewed while it is held. It counts for nothing when its process has ended, or, where that cannot be asked,
// when it was not renewed for a while.
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { replaceFile } from './atomic-write.ts';
import { codeOf } from './error-code.ts';
import { type Holder, holderOf, isAlive, type LockOptions, letGo, newHolder, underLock } from './lock.ts';

const RENEW_MS = 15_000;
/** Clocks of two machines may differ. */
const SILENT_MS = 300_000;

export interface ClaimOptions extends LockOptions {
  /** The error of whoever comes second. */
  conflict(holder: Holder): Error;
  /** Another process has it after all, as after a long sleep of this machine. */
  onLost?(): void;
}

export interface Claim {
  /** Never fails: a claim that stays is of a process that has ended. */
  release(): void;
}

/** Its folder is made. Throws what `conflict` and `refused` make, and CANCELLED. */
export async function claim(path: string, options: ClaimOptions): Promise<Claim> {
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
      const other = claimant(path);
      if (other !== null) throw options.conflict(other);
      write();
    });
  } catch (error) {
    letGo(holder);
    throw error;
  }
  let disarm = () => {};
  const renew = () => {
    const current = textAt(path);
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
      if (textAt(path) === text) rmSync(path, { force: true });
    },
  };
}

/** The process that holds a claim; null when none does, or what is there names none. */
export function claimant(path: string): Holder | null {
  const holder = holderOf(textAt(path) ?? '');
  const alive = holder !== null && isAlive(holder);
  if (alive === false) return null;
  // Where it is not known when a process began, another one may have its number by now.
  const isSure = alive === true && (holder?.started !== '' || holder.pid === process.pid);
  return isSure || isFresh(path) ? holder : null;
}

/** A time far ahead is of a clock that was set back since. */
function isFresh(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < SILENT_MS;
}

/** Null when there is none, or it cannot be read. */
function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
