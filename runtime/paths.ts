// Paths that clients send. They name files of this machine and have to be absolute: the service does not know
// the working folder of its client.
import { isAbsolute, normalize, parse, sep } from 'node:path';
import { Type } from 'typebox';
import { errorTable } from './errors.ts';
import { absolutePath, described, repeatedPath } from './schema.ts';
import { quoted } from './text.ts';

const pathErrors = errorTable({
  PATH_NOT_ABSOLUTE: { meaning: 'The path is not absolute', status: 400 },
});

/**
 * Handed on as it was sent; for answers that repeat it. The handler takes it through `allAbsolute` and
 * `spelledOnDisk`.
 */
export const SentPath = repeatedPath(
  described(Type.String({ minLength: 1, maxLength: 32_768 }), 'Absolute path on the machine of the service.'),
);

/** In its plain form once the request is checked. */
export const AbsolutePath = absolutePath(SentPath);

/**
 * The plain form of an absolute path, in which files are named everywhere: no `..`, no doubled or trailing
 * separators; on Windows also a capital letter for the drive, and no `\\?\`, which Node adds where it is
 * needed.
 */
export function plainPath(path: string): string {
  const plain = sep === '/' ? normalize(path) : plainDrive(normalize(path));
  return plain.length > 1 && plain.endsWith(sep) && !/^[A-Za-z]:\\$/.test(plain) ? plain.slice(0, -1) : plain;
}

/** Volumes (`\\?\Volume{…}\`) and other devices have only the long form. */
function plainDrive(path: string): string {
  return path
    .replace(/^\\\\\?\\UNC\\/i, '\\\\')
    .replace(/^\\\\\?\\(?=[A-Za-z]:\\)/, '')
    .replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/**
 * Equal for two spellings that the system takes for one path: Windows and macOS make no difference between
 * `A` and `a`, and macOS none between the ways in which Unicode writes an accent. A path of Windows may also
 * be looked at elsewhere, in a library that came from there.
 */
export function comparablePath(path: string, platform = process.platform): string {
  if (/^([A-Za-z]:\\|\\\\)/.test(path)) return path.toLowerCase();
  return platform === 'darwin' ? path.normalize('NFC').toLowerCase() : path;
}

/** Why a path cannot be used, to follow the name of its field; null when it can. */
export function pathComplaint(path: string): string | null {
  if (/^[a-z][a-z0-9+.-]+:[\\/]/i.test(path)) return 'must be a local path, not a URL';
  if (path.includes('\0')) return 'must not contain a null character';
  if (!isAbsolute(path)) return 'must be an absolute path';
  // To Windows that is a path on the drive that the service happens to run on.
  const isWithoutDrive = sep === '\\' && parse(path).root.length === 1;
  return isWithoutDrive ? 'must name its drive, as C:\\Films does' : null;
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
