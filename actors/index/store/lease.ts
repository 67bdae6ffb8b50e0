// Who writes an analysis folder. The lease is a record, taken and given back inside transactions, so LMDB's own lock
// orders two processes that want it at once. A lease of a process that has ended counts for nothing.
import { randomUUID } from 'node:crypto';
import { hasEnded, thisProcess } from '../../../runtime/process/identity.ts';
import { storeErrors } from './contract.ts';
import type { Writes } from './environment.ts';
import { leaseKey } from './names.ts';
import { Lease } from './records.ts';
import { seal, unseal } from './table.ts';

export function newLease(): Lease {
  return { ...thisProcess(), token: randomUUID() };
}

/** False when the process of a lease has certainly ended. */
export function isHeld(lease: Lease, own: Lease): boolean {
  if (lease.host !== own.host) return true;
  // Another thread of this process: it was replaced, and this one goes on in its place.
  if (lease.pid === own.pid) return false;
  return !hasEnded(lease);
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
