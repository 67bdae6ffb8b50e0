// Who writes an analysis folder. The lease is a record, taken and given back inside transactions, so LMDB's own lock
// orders two processes that want it at once. A lease of a process that has ended counts for nothing.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { storeErrors } from '../contract.ts';
import type { Writes } from './environment.ts';
import { leaseKey } from './names.ts';
import { Lease } from './records.ts';
import { seal, unseal } from './table.ts';

interface Seen {
  /** When the process began, in the kernel's own count, so that a reused process number is not taken for the old one. */
  readonly started: string;
  /** Killed, but its parent has not asked for its end yet: its number is still taken. */
  readonly ended: boolean;
}

/** What the system shows of a process; `started` is empty where it shows nothing. */
function look(pid: number): Seen {
  if (process.platform !== 'linux') return { started: '', ended: false };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: `${boot}/${fields[19] ?? ''}`, ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { started: '', ended: false }; // Gone, or hidden: then only the number itself can be asked for.
  }
}

export function newLease(): Lease {
  return { pid: process.pid, started: look(process.pid).started, host: hostname(), token: randomUUID() };
}

/** False when the process of a lease has certainly ended. */
export function isHeld(lease: Lease, own: Lease): boolean {
  if (lease.host !== own.host) return true;
  // Another thread of this process: it was replaced, and this one goes on in its place.
  if (lease.pid === own.pid) return false;
  try {
    process.kill(lease.pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const { started, ended } = look(lease.pid);
  return !ended && (started === '' || lease.started === '' || started === lease.started);
}

function read(writes: Pick<Writes, 'get'>, file: string): Lease | null {
  const bytes = writes.get(leaseKey);
  return bytes === undefined ? null : unseal(Lease, leaseKey, bytes, file);
}

function inUse(lease: Lease, file: string): Error {
  return storeErrors.STORE_IN_USE(`Process ${lease.pid} on ${lease.host} is writing ${file}`, {
    pid: lease.pid,
    host: lease.host,
    file,
  });
}

/** Takes the lease. Throws STORE_IN_USE naming the process that holds it. */
export function take(writes: Writes, own: Lease, file: string): void {
  const current = read(writes, file);
  if (current !== null && current.token !== own.token && isHeld(current, own)) throw inUse(current, file);
  writes.put(leaseKey, seal(Lease, leaseKey, own));
}

/** Throws STORE_IN_USE when another writer has taken over since. */
export function confirm(writes: Pick<Writes, 'get'>, own: Lease, file: string): void {
  const current = read(writes, file);
  if (current === null) throw storeErrors.STORE_IN_USE(`The lease on ${file} was given to another writer`);
  if (current.token !== own.token) throw inUse(current, file);
}

export function release(writes: Writes, own: Lease, file: string): void {
  if (read(writes, file)?.token === own.token) writes.remove(leaseKey);
}
