// Small files of one JSON object, which the program keeps for itself: read whole, and checked. `replaceFile`
// and `createFile` write them. What is wrong with a file is thrown as an error whose message follows its
// path, and which never repeats the text: it may be secret.
import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { codeOf } from '../errors.ts';
import '../schema.ts'; // The words of its errors.

export type JsonFields = Readonly<Record<string, unknown>>;

/** Adds what an older version did not write, or throws what is wrong. */
type Complete = (value: JsonFields) => unknown;

/** Undefined when there is no such file. */
export async function readJson<S extends TSchema>(
  schema: S,
  path: string,
  complete?: Complete,
): Promise<Static<S> | undefined> {
  const text = await readFile(path, 'utf8').catch(nullIfAbsent);
  return text === null ? undefined : jsonIn(schema, text, complete);
}

/** The same at once. */
export function readJsonNow<S extends TSchema>(
  schema: S,
  path: string,
  complete?: Complete,
): Static<S> | undefined {
  const text = readTextNow(path);
  return text === null ? undefined : jsonIn(schema, text, complete);
}

/** Null when there is no such file. */
function readTextNow(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return nullIfAbsent(error);
  }
}

function jsonIn<S extends TSchema>(
  schema: S,
  text: string,
  complete: Complete = (value) => value,
): Static<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('is not a JSON object');
  const whole = complete(value as JsonFields);
  if (Check(schema, whole)) return whole;
  const [first] = Errors(schema, whole);
  throw new Error(`has unexpected contents: ${first?.instancePath || 'it'} ${first?.message ?? 'is wrong'}`);
}

/** Throws for what a newer program wrote: it may mean something else. */
export function expectVersion(version: number, value: JsonFields): JsonFields {
  const { version: written } = value;
  if (typeof written !== 'number' || written <= version) return value;
  throw new Error(`was written by a newer program (version ${written})`);
}

/** Another text when the file is another one or was written; empty when there is none. */
export function markOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.size}-${stats.mtimeNs}-${stats.ino}`;
  } catch (error) {
    return nullIfAbsent(error) ?? '';
  }
}

/** The code of the system stays with the error. */
function nullIfAbsent(cause: unknown): null {
  const code = codeOf(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw Object.assign(new Error(`cannot be read (${code || String(cause)})`, { cause }), { code });
}
