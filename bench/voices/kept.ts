// Keeps values that take minutes to make and depend on their key alone, in the folder for temporary files.
// The files are of one machine and one version of Node, and can be deleted.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { sized } from '../size.ts';

/** Raised when what is made changes without its key saying so. */
const version = 2;

/** `key`: all that the value depends on, as JSON has it. `fresh`: made even where it is kept. */
export async function kept<T>(
  name: string,
  key: unknown,
  make: () => Promise<T> | T,
  fresh = false,
): Promise<T> {
  const folder = join(tmpdir(), 'framehound-kept');
  const hash = createHash('sha256').update(
    JSON.stringify({ version, v8: process.versions.v8, key, ...sized({}, { quick: true }) }),
  );
  const path = join(folder, `${name.replaceAll(/\W+/g, '-')}-${hash.digest('hex').slice(0, 24)}.bin`);
  if (!fresh && existsSync(path)) return deserialize(readFileSync(path)) as T;
  const value = await make();
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.${process.pid}`, serialize(value));
  renameSync(`${path}.${process.pid}`, path);
  return value;
}

/** Digest of the bytes of a file, or of all files of a folder. */
export function digestOf(path: string): string {
  const isFolder = statSync(path).isDirectory();
  const files = isFolder ? readdirSync(path, { recursive: true, withFileTypes: true }) : [];
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of isFolder ? paths.sort() : [path]) hash.update(readFileSync(file));
  return hash.digest('hex');
}
