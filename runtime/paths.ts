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

/** The path in its plain form. Throws PATH_NOT_ABSOLUTE naming the field. */
export function absolute(field: string, path: string): string {
  if (!isAbsolute(path) || path.includes('\0')) {
    const what = path.includes('\0') ? 'contains a null character' : 'must be an absolute path';
    throw pathErrors.PATH_NOT_ABSOLUTE(`${field} ${what}: ${quoted(path)}`, { field });
  }
  return plainPath(path);
}

/** Each path with its place in the list in the name of the field. */
export function allAbsolute(field: string, paths: readonly string[]): string[] {
  return paths.map((path, i) => absolute(`${field}[${i}]`, path));
}
