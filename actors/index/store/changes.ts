// The last changes to what is known of media, so that whoever holds a copy in memory, in this process or
// another, can follow without reading everything again. A ring: who is further behind than it is long reads
// everything.

import { randomInt } from 'node:crypto';
import type { Environment, Transaction } from './environment.ts';
import { readable } from './faults.ts';
import { ChangeHeadRow, ChangeRow } from './records.ts';
import { seal, unseal } from './table.ts';

export const ringLength = 1024;
/** How far an upheaval counts on: nobody can follow it change by change. */
export const upheaval = ringLength + 1;

const headKey = 'changes';
const changeKey = (count: number): string => `change/${String(count % ringLength).padStart(4, '0')}`;

export interface MediaChange {
  readonly path: string;
  readonly hash: string;
}

export interface Changes {
  /** Argument of the next call. */
  readonly position: number;
  /** Oldest first; null when there were too many to tell. */
  readonly changed: readonly MediaChange[] | null;
}

type Reader = Pick<Transaction, 'get'>;

/**
 * A count that is damaged goes on from here: so far ahead that nobody takes it for one that was seen, and
 * everyone reads everything.
 */
const farAhead = 2 ** 40;

export function noteChange(writes: Transaction, { path, hash }: MediaChange, file: string): void {
  const count = (changeCount(writes, headKey, file) ?? farAhead) + 1;
  const key = changeKey(count);
  writes.put(key, seal(ChangeRow, key, { count, path, hash_str: hash }));
  writes.put(headKey, seal(ChangeHeadRow, headKey, { count }));
}

/** Tells everyone to read everything anew: media were removed or moved, which no single change says. */
export function noteUpheaval(writes: Transaction, file: string): void {
  const count = (changeCount(writes, headKey, file) ?? farAhead) + upheaval;
  writes.put(headKey, seal(ChangeHeadRow, headKey, { count }));
}

/** Changes after `position`; null asks for a starting point. */
export function changesSince(
  reader: Reader,
  position: number | null,
  { file, paths, moves }: Pick<Environment, 'file' | 'paths' | 'moves'>,
): Changes {
  const changes = changeCount(reader, headKey, file);
  if (changes === null) return { position: -1, changed: null };
  // When a root moves, every path may be another one.
  const head = changes + moves * upheaval;
  if (position === null || head < position || head - position > ringLength)
    return { position: head, changed: null };
  const changed: MediaChange[] = [];
  for (let count = position + 1 - moves * upheaval; count <= changes; count++) {
    const key = changeKey(count);
    const bytes = reader.get(key);
    const row = bytes === undefined ? null : readable(() => unseal(ChangeRow, key, bytes, file));
    // Written over by a process that was faster, or damaged.
    if (row?.count !== count) return { position: head, changed: null };
    changed.push({ path: paths.shown(row.path), hash: row.hash_str });
  }
  return { position: head, changed };
}

// Revisions of records: another one tells readers that what they hold is replaced.

/**
 * A damaged record may have had any revision: then it is one by chance. `first`: of a record that was not
 * there.
 */
export function revisionAfter(read: () => { readonly revision: number } | null, first = 1): number {
  const record = readable(() => ({ revision: read()?.revision ?? null }));
  if (record === null) return randomRevision();
  return record.revision === null ? first : record.revision + 1;
}

/** For records that may have been there before, were removed, and must not be taken for the same again. */
export function randomRevision(): number {
  return randomInt(2 ** 30, 2 ** 31);
}

// Counts the changes of one kind of records, so that who holds a copy in memory sees with one read that it is
// out of date.

/** Null when the record is damaged, which is no reason to store or answer nothing. */
export function changeCount(reader: Reader, key: string, file: string): number | null {
  const bytes = reader.get(key);
  return bytes === undefined ? 0 : readable(() => unseal(ChangeHeadRow, key, bytes, file).count);
}

export function countChange(writes: Transaction, key: string, file: string): number {
  const count = (changeCount(writes, key, file) ?? farAhead + randomRevision()) + 1;
  writes.put(key, seal(ChangeHeadRow, key, { count }));
  return count;
}
