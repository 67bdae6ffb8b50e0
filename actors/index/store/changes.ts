// The last changes to what is known of media, so that whoever holds a copy in memory, in this process or
// another, can follow without reading everything again. A ring: who is further behind than it is long reads
// everything.
import type { Writes } from './environment.ts';
import { readable } from './faults.ts';
import { Change, ChangeHead } from './records.ts';
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
  /** What to ask with next time. */
  readonly seen: number;
  /** Oldest first; null when there were too many to tell. */
  readonly changed: readonly MediaChange[] | null;
}

type Reader = Pick<Writes, 'get'>;

/** A head that is damaged counts from here again: so far ahead that everyone reads everything. */
const farAhead = 2 ** 40;

/** Null when the record is damaged, which is no reason to store or answer nothing. */
function headOf(reader: Reader, file: string): number | null {
  const bytes = reader.get(headKey);
  if (bytes === undefined) return 0;
  return readable(() => unseal(ChangeHead, headKey, bytes, file).count);
}

export function noteChange(writes: Writes, { path, hash }: MediaChange, file: string): void {
  const count = (headOf(writes, file) ?? farAhead) + 1;
  const key = changeKey(count);
  writes.put(key, seal(Change, key, { count, path, hash_str: hash }));
  writes.put(headKey, seal(ChangeHead, headKey, { count }));
}

/** Tells everyone to read everything anew: media were removed or moved, which no single change says. */
export function noteUpheaval(writes: Writes, file: string): void {
  const count = (headOf(writes, file) ?? farAhead) + upheaval;
  writes.put(headKey, seal(ChangeHead, headKey, { count }));
}

/** What changed after `seen`; null asks for a beginning. */
export function changesSince(reader: Reader, seen: number | null, file: string): Changes {
  const head = headOf(reader, file);
  if (head === null) return { seen: -1, changed: null };
  if (seen === null || head < seen || head - seen > ringLength) return { seen: head, changed: null };
  const changed: MediaChange[] = [];
  for (let count = seen + 1; count <= head; count++) {
    const key = changeKey(count);
    const bytes = reader.get(key);
    const row = bytes === undefined ? null : readable(() => unseal(Change, key, bytes, file));
    // Written over by a process that was faster, or damaged.
    if (row?.count !== count) return { seen: head, changed: null };
    changed.push({ path: row.path, hash: row.hash_str });
  }
  return { seen: head, changed };
}
