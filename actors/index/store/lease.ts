// Who writes an analysis folder. The lease is a record, taken and given back inside transactions, so LMDB's own lock
// orders two processes that want it at once. Its holder renews it; a lease counts for nothing when its process has ended,
// or when it was not renewed for a minute and nobody can tell whether its process still runs.
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { hasEnded, thisProcess } from '../../../runtime/process/identity.ts';
import { storeErrors } from './contract.ts';
import type { Writes } from './environment.ts';
import { readable } from './faults.ts';
import { leaseKey } from './names.ts';
import { Lease } from './records.ts';
import { seal, unseal } from './table.ts';

export const renewEveryMs = 15_000;
export const expiresAfterMs = 60_000;

export function newLease(): Lease {
  return { ...thisProcess(), token: randomUUID(), renewed_ms: 0 };
}

/** True when the process with this id is certainly the one that took the lease. */
function certainlyRuns(lease: Lease, own: Lease): boolean {
  if (lease.started === '' || own.started === '') return false;
  try {
    process.kill(lease.pid, 0);
    return !hasEnded(lease);
  } catch {
    return false; // Ended, or a process of another user, of which the system tells less.
  }
}

/** Whether a writer with the lease `own` has to leave the folder to `lease`. `now`: milliseconds since 1970. */
export function isHeld(lease: Lease, own: Lease, now: number): boolean {
  if (lease.host === own.host) {
    // Another thread of this process: it was replaced, and this one goes on in its place.
    if (lease.pid === own.pid || hasEnded(lease)) return false;
    if (certainlyRuns(lease, own)) return true;
  }
  // A time far ahead is of a clock that was set back since.
  return Math.abs(now - lease.renewed_ms) < expiresAfterMs;
}

/** A damaged lease is none: whoever held it finds out before its next write. */
function read(writes: Pick<Writes, 'get'>, file: string): Lease | null {
  const bytes = writes.get(leaseKey);
  return bytes === undefined ? null : readable(() => unseal(Lease, leaseKey, bytes, file));
}

function inUse(lease: Lease, own: Lease, file: string): Error {
  const { pid, host, renewed_ms } = lease;
  // The end of a process of this host is seen at once.
  const isNear = host === own.host && certainlyRuns(lease, own);
  const seen = renewed_ms > 0 ? ` (last seen ${new Date(renewed_ms).toISOString()})` : '';
  const who = isNear ? `Process ${pid}` : `Process ${pid} on ${host}`;
  const until = isNear ? '' : `${seen}; if it has ended, try again in ${expiresAfterMs / 1000} s`;
  const message = `${who} is writing to ${dirname(file)}: wait until it is done, or end it${until}`;
  return storeErrors.STORE_IN_USE(message, { pid, host, file });
}

/** Takes the lease. Throws STORE_IN_USE naming the process that holds it. */
export function take(writes: Writes, own: Lease, file: string, now: number): void {
  const current = read(writes, file);
  if (current !== null && current.token !== own.token && isHeld(current, own, now)) {
    throw inUse(current, own, file);
  }
  writes.put(leaseKey, seal(Lease, leaseKey, { ...own, renewed_ms: now }));
}

/** Says that the holder is there. Does nothing when another writer has taken over since. */
export function renew(writes: Writes, own: Lease, file: string, now: number): void {
  if (read(writes, file)?.token !== own.token) return;
  writes.put(leaseKey, seal(Lease, leaseKey, { ...own, renewed_ms: now }));
}

/** Throws STORE_IN_USE when another writer has taken over since. */
export function confirm(writes: Pick<Writes, 'get'>, own: Lease, file: string): void {
  const current = read(writes, file);
  if (current === null) {
    throw storeErrors.STORE_IN_USE(`The lease on ${file} was lost to another writer; try again`, { file });
  }
  if (current.token !== own.token) throw inUse(current, own, file);
}

export function release(writes: Writes, own: Lease, file: string): void {
  if (read(writes, file)?.token === own.token) writes.remove(leaseKey);
}
