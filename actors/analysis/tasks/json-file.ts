// Files of one JSON value in the folder of the records.
import { readFile } from 'node:fs/promises';
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { analysisErrors } from '../contract.ts';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Undefined when there is no such file. Throws TASK_DAMAGED when it is not what it should be. `complete` adds
 * what an older version did not write.
 */
export async function readJson<S extends TSchema>(
  path: string,
  schema: S,
  complete: (value: Fields) => unknown,
): Promise<Static<S> | undefined> {
  let value: unknown;
  try {
    value = complete(JSON.parse(await readFile(path, 'utf8')) as Fields);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw damaged(path, error);
  }
  if (!Check(schema, value)) throw damaged(path, 'it has an unexpected format');
  return value;
}

export function damaged(path: string, error: unknown) {
  return analysisErrors.TASK_DAMAGED(`${path}: cannot be read (${String(error)})`, { path }, error);
}
