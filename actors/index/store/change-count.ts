// Counts the changes of one kind of records, so that who holds a copy in memory sees with one read that it is
// out of date.
import type { Writes } from './environment.ts';
import { readable } from './faults.ts';
import { ChangeHead } from './records.ts';
import { randomRevision } from './revision.ts';
import { seal, unseal } from './table.ts';

/** Where counting goes on when the count is damaged: nobody takes it for one that was seen. */
const farAhead = 2 ** 40;

/** Null when that cannot be read. */
export function changeCount(reader: Pick<Writes, 'get'>, key: string, file: string): number | null {
  const bytes = reader.get(key);
  return bytes === undefined ? 0 : readable(() => unseal(ChangeHead, key, bytes, file).count);
}

export function countChange(writes: Writes, key: string, file: string): number {
  const count = (changeCount(writes, key, file) ?? farAhead + randomRevision()) + 1;
  writes.put(key, seal(ChangeHead, key, { count }));
  return count;
}
