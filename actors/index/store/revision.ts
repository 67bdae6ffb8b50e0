// Revisions of records: another one tells readers that what they hold is replaced.
import { randomInt } from 'node:crypto';
import { readable } from './faults.ts';

/**
 * A damaged record may have had any revision: then it is one by chance. `first`: of a record that was not
 * there.
 */
export function revisionAfter(read: () => { readonly revision: number } | null, first = 1): number {
  const known = readable(() => ({ revision: read()?.revision ?? null }));
  if (known === null) return randomRevision();
  return known.revision === null ? first : known.revision + 1;
}

/** For records that may have been there before, were removed, and must not be taken for the same again. */
export function randomRevision(): number {
  return randomInt(2 ** 30, 2 ** 31);
}
