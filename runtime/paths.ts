// Paths that clients send. They name files of this machine and have to be absolute: the service does not know
// the working folder of its client.
import { isAbsolute, normalize, sep } from 'node:path';
import { Type } from 'typebox';
import { errorTable } from './errors.ts';
import { absolutePath, described } from './schema.ts';
import { quoted } from './text.ts';

export const pathErrors = errorTable({
  PATH_NOT_ABSOLUTE: { meaning: 'The path is not absolute', status: 400, retryable: false },
});

/** Handed on as it was sent; for answers that repeat it. */
export const SentPath = described(
  Type.String({ minLength: 1, maxLength: 32_768 }),
  'Absolute path on the machine of the service.',
);

/** In its plain form once the request is checked. */
export const AbsolutePath = absolutePath(SentPath);

/**
 * The plain form of an absolute path, in which files are named everywhere: no `..`, no doubled or trailing
 * separators.
 */
export function plainPath(path: string): string {
  const plain = normalize(path);
  return plain.length > 1 && plain.endsWith(sep) && !/^[A-Za-z]:\\$/.test(plain) ? plain.slice(0, -1) : plain;
}

/** Why a path cannot be used, to follow the name of its field; null when it can. */
export function pathComplaint(path: string): string | null {
  if (/^[a-z][a-z0-9+.-]+:[\\/]/i.test(path)) return 'must be a local path, not a URL';
  if (path.includes('\0')) return 'must not contain a null character';
  return isAbsolute(path) ? null : 'must be an absolute path';
}

/** The path in its plain form. Throws PATH_NOT_ABSOLUTE naming the field. */
export function absolute(field: string, path: string): string {
  const what = pathComplaint(path);
  if (what !== null) throw pathErrors.PATH_NOT_ABSOLUTE(`${field} ${what}: ${quoted(path)}`, { field });
  return plainPath(path);
}

/** Each path with its place in the list in the name of the field. */
export function allAbsolute(field: string, paths: readonly string[]): string[] {
  return paths.map((path, i) => absolute(`${field}[${i}]`, path));
}
