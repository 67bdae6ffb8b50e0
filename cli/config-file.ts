// config.json of the home folder: settings that stay. Read at every start, written by commands that set one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineErrors, reasonOf } from '../runtime/errors.ts';
import { replaceFile } from '../runtime/files/atomic-write.ts';

/** An absent file is an empty one. Throws INVALID_CONFIG with what is wrong. */
export function readConfigFile(home: string): Record<string, unknown> {
  const path = pathOf(home);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw engineErrors.INVALID_CONFIG(`${path}: cannot be read (${reasonOf(error)})`, {}, error);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    throw engineErrors.INVALID_CONFIG(`${path}: is not JSON (${reasonOf(error)})`, {}, error);
  }
  throw engineErrors.INVALID_CONFIG(`${path}: is not a JSON object`);
}

/** Keeps what else the file says. Answers its path. */
export function writeSetting(home: string, name: string, value: unknown): string {
  const all = { ...readConfigFile(home), [name]: value };
  replaceFile(pathOf(home), `${JSON.stringify(all, null, 2)}\n`, { flush: true });
  return pathOf(home);
}

function pathOf(home: string): string {
  return join(home, 'config.json');
}
