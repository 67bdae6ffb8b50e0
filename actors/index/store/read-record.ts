// One record by its key.
import type { Environment } from './environment.ts';
import { type Fields, type Row, type Table, unseal } from './table.ts';

/** Null when there is no folder or no such record. Throws STORE_DAMAGED. */
export function readRecord<F extends Fields>(
  environment: Environment | null,
  shape: Table<F>,
  key: string,
): Row<F> | null {
  const bytes = environment?.get(key);
  if (environment === null || bytes === undefined) return null;
  return unseal(shape, key, bytes, environment.file);
}
