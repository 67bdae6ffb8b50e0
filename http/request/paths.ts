// Paths that clients send. They name files of this machine and have to be absolute: the service does not know
// the working folder of its client.
import { isAbsolute, normalize, sep } from 'node:path';
import { Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { quoted } from '../../runtime/quoted.ts';
import { described } from '../../runtime/schema.ts';

export const pathErrors = errorTable({
  PATH_NOT_ABSOLUTE: { meaning: 'The path is not absolute', status: 400, retryable: false },
});

export const AbsolutePath = described(
  Type.String({ minLength: 1, maxLength: 32_768 }),
  'Absolute path on the machine of the service.',
);

export const CacheDir = described(
  AbsolutePath,
  'Analysis folder: where the service keeps what it found. Absolute path; its layout is private to the service.',
);

/**
 * The path in its plain form: no `..`, no doubled or trailing separators. Throws PATH_NOT_ABSOLUTE naming the
 * field.
 */
export function absolute(field: string, path: string): string {
  if (!isAbsolute(path) || path.includes('\0')) {
    const what = path.includes('\0') ? 'contains a null character' : 'must be an absolute path';
    throw pathErrors.PATH_NOT_ABSOLUTE(`${field} ${what}: ${quoted(path)}`, { field });
  }
  const plain = normalize(path);
  return plain.length > 1 && plain.endsWith(sep) && !/^[A-Za-z]:\\$/.test(plain) ? plain.slice(0, -1) : plain;
}

/** Each path with its place in the list in the name of the field. */
export function allAbsolute(field: string, paths: readonly string[]): string[] {
  return paths.map((path, at) => absolute(`${field}[${at}]`, path));
}
