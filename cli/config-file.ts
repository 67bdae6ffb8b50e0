// config.json of the home folder: settings that stay. Read at every start, written by commands that set one.
import { join } from 'node:path';
import { Type } from 'typebox';
import { engineErrors } from '../runtime/errors.ts';
import { replaceFile } from '../runtime/files/atomic-write.ts';
import { readJsonNow } from '../runtime/files/json-file.ts';

/** An absent file is an empty one. Throws INVALID_CONFIG with what is wrong. */
export function readConfigFile(home: string): Record<string, unknown> {
  try {
    return readJsonNow(Type.Record(Type.String(), Type.Unknown()), pathOf(home)) ?? {};
  } catch (error) {
    throw engineErrors.INVALID_CONFIG(`${pathOf(home)}: ${(error as Error).message}`, {}, error);
  }
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
